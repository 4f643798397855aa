"""`SelfPlay`: one seat of a game of many seats, as a Gymnasium world; somebody else holds the others."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded

from agentgym.core._views import load
from agentgym.core.catalog import card as card_of
from agentgym.core.env import PLAYER
from agentgym.core.errors import ConfigError, EngineFailure, unknown
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import Snapshot
from agentgym.core.tasks import Panel, Spec, Task

Policy: TypeAlias = Callable[[str, list[str] | None, np.random.Generator], str]
ID = "AgentGym/SelfPlay-v0"
Step: TypeAlias = tuple[str, float, bool, bool, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Table:
    """All that changes: the game, which seat is the agent's, and who holds the others."""

    game: Snapshot
    seat: str
    rival: str


class SelfPlay(LanguageEnv):
    """A game of many seats for one agent: a `LanguageEnv`, so that every agent, wrapper and trainer plays it.

    The agent holds one seat. Between two of its actions the other seats act, all held by one rival: a scripted opponent
    of the game, a policy, or whoever is drawn from a pool at each reset. Rewards are what the seat gets from one of its
    actions to the next; `success`, events, metrics and costs are the seat's own. Refusals, tries and defaults are those
    of the game, so a third refused action in a row changes the game. The episode ends when the seat is out.

    `reset(options={"seat": ..., "opponent": ...})` names seat and rival of one episode; `task` is as in the game.
    Everything the rivals draw comes from `np_random`, so a re-seeded fork has other rivals' dice.

    `gymnasium.make("agentgym.wrappers.selfplay:AgentGym/SelfPlay-v0", game=..., opponent=...)` makes one as well, in
    any process.

    Args:
        game: Id of the game, with or without the namespace.
        opponent: The rival: a name of the game's `opponents`, a policy, `module:function` that is one, or a sequence
            of these, from which one is drawn at each reset. A policy is a function of the text its seat sees, the
            seat's admissible actions (None if they cannot be listed) and a generator; it gives an action. The policy
            that is being trained makes it self-play.
        seat: The agent's seat; None draws one at each reset, so that the agent learns every role.
        past: How many earlier selves `remember` keeps beside the opponents given; the oldest is forgotten first.
        split, max_turns, render_mode: As in `LanguageEnv`; `max_turns` counts the agent's own actions.
        options: Further arguments of the game.

    Raises:
        UnknownName: if game, seat or opponent is not known.
        ConfigError: if the id is no game of many seats, or nobody is left to play against.
    """

    reset_options = frozenset({"seat", "opponent"})

    def __init__(
        self,
        game: str,
        *,
        opponent: str | Policy | Sequence[str | Policy] = "strong",
        seat: str | None = None,
        past: int = 10,
        split: str = "train",
        max_turns: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ):
        known = card_of(game)
        if known.api == "gymnasium":
            raise ConfigError(f"{known.id} has one seat already; SelfPlay shows one seat of a game of many")
        if past < 0:
            raise ConfigError(f"past must be 0 or more, got {past}")
        self.game: Any = load(known)(split=split, render_mode=render_mode, **options)
        self.card = replace(  # type: ignore[misc]
            known,
            id=f"{known.id}#seat",
            api="gymnasium",
            seats=1,
            opponents=(),
            rival="",
            deterministic=False,
            scores={},
        )
        self.grammar = self.game.grammar
        self.task_schema = self.game.task_schema  # type: ignore[misc]
        self.admissible_complete = self.game.admissible_complete  # type: ignore[misc]
        self.observation_length = self.game.observation_length  # type: ignore[misc]
        self.action_length = self.game.action_length  # type: ignore[misc]
        self._rivals: dict[str, Policy | None] = {}
        given = [opponent] if isinstance(opponent, str) or callable(opponent) else list(opponent)
        for each in given:
            self._admit(each)
        if not self._rivals:
            raise ConfigError(f"nobody plays against the agent; opponents of {known.id}: {', '.join(known.opponents)}")
        self._given = len(self._rivals)
        self._past = past
        self._fixed = None if seat is None else self._known_seat(seat)
        self._seat = self._fixed or self.game.possible_agents[0]
        self._rival = next(iter(self._rivals))
        super().__init__(split=split, max_turns=max_turns, render_mode=render_mode)

    # Who plays.

    @property
    def seat(self) -> str:
        """The agent's seat in this episode."""
        return self._seat

    @property
    def rival(self) -> str:
        """Name of who holds the other seats in this episode."""
        return self._rival

    @property
    def pool(self) -> tuple[str, ...]:
        """Names of those who may be drawn at a reset: the opponents given, then earlier selves, oldest first."""
        return tuple(self._rivals)

    def remember(self, name: str, policy: Policy) -> None:
        """Keep a copy of the learner as a further rival; it must not learn on.

        Args:
            name: Of the rival.
            policy: The learner as it is now.

        Raises:
            ConfigError: if the name is taken, or `past` is 0.
        """
        if self._past == 0 or name in self._rivals:
            raise ConfigError(f"cannot keep {name!r}: " + ("past is 0" if self._past == 0 else "the name is taken"))
        earlier = list(self._rivals)[self._given :]
        for old in earlier[: len(earlier) + 1 - self._past]:
            del self._rivals[old]
        self._rivals[name] = policy

    def _admit(self, rival: str | Policy) -> None:
        if not isinstance(rival, str):
            self._rivals[f"{rival.__module__}:{getattr(rival, '__qualname__', type(rival).__name__)}"] = rival
        elif ":" in rival:
            module, _, name = rival.partition(":")
            self._rivals[rival] = getattr(importlib.import_module(module), name)
        elif rival in self.game.opponents:
            self._rivals[rival] = None
        else:
            raise unknown(f"opponent of {self.game.card.id}", rival, self.game.opponents)

    def _known_seat(self, seat: str) -> str:
        if seat not in self.game.possible_agents:
            raise unknown(f"seat of {self.game.card.id}", seat, self.game.possible_agents)
        return seat

    # The world.

    @property
    def _state(self) -> Table | None:  # type: ignore[override]
        """The table as plain data; None before the first reset."""
        if self._task is None:
            return None
        return Table(self.game.snapshot(), self._seat, self._rival)

    @_state.setter
    def _state(self, table: Table) -> None:
        self.game.restore(table.game)
        self._seat, self._rival = table.seat, table.rival

    @property
    def manual(self) -> str:
        """The game's manual."""
        return self.game.manual

    def tasks(self, split: str) -> Panel:
        """The game's tasks."""
        return self.game.tasks(split)

    def check_task(self, spec: Spec) -> None:
        """The game's own check."""
        self.game.check_task(spec)

    def content_key(self, spec: Spec) -> str:
        """The game's own key."""
        return self.game.content_key(spec)

    def instruction(self, spec: Spec) -> str:
        """The game's own words."""
        return self.game.instruction(spec)

    def _turn_limit(self, task: Task) -> int:
        return self.game._turn_limit(task)

    def _reference(self) -> Any:
        return self.game._reference()

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; see the class and `LanguageEnv.reset`."""
        wanted = dict(options or {})
        if "seat" in wanted:
            self._known_seat(wanted["seat"])
        if "opponent" in wanted and wanted["opponent"] not in self._rivals:
            raise unknown("opponent in the pool", wanted["opponent"], self._rivals)
        return super().reset(seed=seed, options=wanted)

    def _reset(self, task: Task) -> str:
        seats, rivals = self.game.possible_agents, list(self._rivals)
        seed, place, drawn = (int(number) for number in self.np_random.integers(2**31, size=3))
        self._seat = self.options.get("seat") or self._fixed or seats[place % len(seats)]
        self._rival = self.options.get("opponent") or rivals[drawn % len(rivals)]
        chosen = dict(task.spec) if task.split not in self.game.card.splits else task.id
        self.game.split = self.split
        self.game.reset(seed=seed, options={"task": chosen})
        self._others()
        if self.game.infos.get(self._seat, {}).get("failure"):
            raise EngineFailure(self.game.infos[self._seat]["failure"])
        self._copy_standing()
        return self._shown().replace(f"\n{self.grammar.line}", "", 1)

    def step(self, action: str) -> Step:
        """Play one action of the agent's seat, and then what the rival's seats do until it is asked again."""
        if not isinstance(action, str):
            raise TypeError(f"an action is a string, got {type(action).__name__}")
        if self._task is None:
            raise ResetNeeded(f"{self.card.id}: call reset() before step()")
        if self.ended:
            return self._after_end()
        self._turn += 1
        reward, mine, given, (terminated, truncated) = self._advance(action)
        player = self._players[PLAYER]
        if given["failure"]:
            outcome = self._note_failure(EngineFailure(given["failure"]))
        else:
            outcome = Outcome(
                self._shown(), reward, terminated, given["success"], mine["action_valid"], mine["error"],
                given["progress"], given["events"], given["metrics"], given["costs"],
            )  # fmt: skip
            self._settle(outcome)
            player.truncated = player.truncated or truncated
        text, info = self._show(action, outcome.text), self._outcome_info(outcome)
        return text, float(outcome.reward), player.terminated, player.truncated, info

    def _advance(self, action: str) -> tuple[float, Mapping[str, Any], Mapping[str, Any], tuple[bool, bool]]:
        """The agent acts, and the others until it is asked again.

        Returns:
            The seat's reward, its info right after the action and at the end, and its flags.
        """
        game, seat = self.game, self._seat
        if game.card.api == "aec":
            game.step(action)
            reward, mine = game.rewards[seat], game.infos[seat]
            return reward + self._others(), mine, game.infos[seat], self._flags()
        said = {each: action if each == seat else self._rival_action(each) for each in game.agents}
        _, rewards, terminations, truncations, infos = game.step(said)
        return rewards[seat], infos[seat], infos[seat], (terminations[seat], truncations[seat])

    def _others(self) -> float:
        """In a game of turns, let the other seats act until the agent is asked; what the agent's seat gets by that."""
        game, reward = self.game, 0.0
        if game.card.api != "aec":
            return reward
        while not any(self._flags()) and game.agent_selection != self._seat:
            mover = game.agent_selection
            left = game.terminations[mover] or game.truncations[mover]
            game.step(None if left else self._rival_action(mover))
            reward += game.rewards[self._seat]
        return reward

    def _rival_action(self, seat: str) -> str:
        policy = self._rivals.get(self._rival)
        if policy is None:
            return self.game.opponent_action(seat, self._rival, self.np_random)
        return policy(self.game.observe(seat)["text"], self.game.admissible_actions(seat), self.np_random)

    def _copy_standing(self) -> None:
        """The agent stands as its seat does: the game may be over before it acts."""
        player = self._players[PLAYER]
        player.terminated, player.truncated = self._flags()
        player.success = self.game.infos[self._seat]["success"]

    def _flags(self) -> tuple[bool, bool]:
        """Whether the agent's seat is terminated, and whether it is truncated."""
        return self.game.terminations[self._seat], self.game.truncations[self._seat]

    def _shown(self) -> str:
        return self.game.observe(self._seat)["text"]

    def _admissible(self) -> list[str] | None:
        return self.game.admissible_actions(self._seat)

    def _sample(self, rng: np.random.Generator) -> str:
        return self.game.sample_action(self._seat, rng)

    def _oracle(self) -> str:
        return self.game.oracle_action(self._seat)

    def _expert(self) -> str:
        return self.game.expert_action(self._seat)

    def _key_state(self) -> Any:
        return [self.game.state_key(), self._seat, self._rival]

    def fork(self, reseed: int | None = None) -> SelfPlay:
        """A second, independent table in this state; see `LanguageEnv.fork`. Rivals that are policies are shared."""
        twin = super().fork(reseed)
        assert isinstance(twin, SelfPlay)
        twin.game = self.game.fork(reseed)
        twin._rivals = dict(self._rivals)
        return twin


if ID not in gym.registry:
    gym.register(id=ID, entry_point=f"{SelfPlay.__module__}:{SelfPlay.__qualname__}")
