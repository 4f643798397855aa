"""`SelfPlay`: one player of a game as a Gymnasium world; a policy or a scripted opponent plays the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import gymnasium as gym
import numpy as np

from agentgym.core._pettingzoo_views import load
from agentgym.core.catalog import card as card_of
from agentgym.core.checks import check_count
from agentgym.core.driver import StepResult, drive
from agentgym.core.errors import ConfigError, EngineFailure, unknown
from agentgym.core.grammar import ActionGrammar, Call, Invalid
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.rivals import Rival, Talk, make_rival
from agentgym.core.snapshot import Snapshot, fingerprint
from agentgym.core.tasks import Spec, Task, TaskSet

Policy: TypeAlias = Callable[[str, list[str] | None, np.random.Generator], str]
Opponent: TypeAlias = str | Policy | Rival | Mapping[str, Any] | Any
ID = "AgentGym/SelfPlay-v0"
SPENT = {
    "opponent_tokens": "tokens that the opponent has read and written in this episode",
    "opponent_cost": "US dollars that its answers have cost",
}


@dataclass(frozen=True, slots=True)
class SelfPlayState:
    """All that changes.

    Attributes:
        game: The state of the game.
        player: The player that is the agent.
        opponent: Name of who plays the others.
        talks: What an opponent that is a model or a policy has seen and said, by player that it has acted for.
        owed: What the agent's player earned before the agent first acted; its first step pays it.
    """

    game: Snapshot
    player: str
    opponent: str
    talks: Mapping[str, Talk] = field(default_factory=dict)
    owed: float = 0.0


class SelfPlay(LanguageEnv):
    """A game of several players for one agent: a `LanguageEnv`, so that every agent, wrapper and trainer plays it.

    The agent is one player. Between two of its actions the other players act, all of them played by one opponent: a
    scripted opponent of the game, a policy, or whoever is drawn from a pool at each reset. Rewards are what the player
    gets from one of its actions to the next; the first pays what it got before as well. `success`, events, metrics and
    costs are the player's own. Refusals, tries and defaults are those of the game, so a third refused action in a row
    changes the game. The episode ends when the player is out. Where it is out before the agent is asked, one step is
    left, which changes nothing and pays what the player got, whatever is said.

    `reset(options={"player": ..., "opponent": ...})` names player and opponent of one episode; `task` is as in the
    game. Everything the opponents draw comes from `np_random`, so in a re-seeded fork they draw anew.

    `gymnasium.make("agentgym.wrappers.selfplay:AgentGym/SelfPlay-v0", game=..., opponent=...)` makes one as well, in
    any process.

    A model has manual, tools and conversation of the player that it is, as in a match, but no wrappers of its own. What
    it reads, writes and costs stands in `info["metrics"]` as `opponent_tokens` and `opponent_cost`. Where it has no
    answer, the world has failed: the episode is truncated with a `failure`, and is nobody's loss.

    Args:
        game: Id of the game, with or without the namespace.
        opponent: Who plays the others: a name of the game's `opponents`; an agent by name, such as `hf:MODEL`,
            `endpoint:MODEL`, `run:FOLDER` or `module:name` of a function or a factory of policies; a table with such a
            `name` and the agent's options; a policy; or a sequence of these, from which one is drawn at each reset. A
            function of the text its player sees, the player's admissible actions (None if they cannot be listed) and a
            generator, which gives an action, is a policy too. The policy that is being trained makes it self-play.
        player: The player that is the agent; None draws one at each reset, so that the agent learns every role.
        past: How many earlier selves `add_to_pool` keeps beside the opponents given; the oldest is forgotten first.
        split, max_turns, render_mode: As in `LanguageEnv`; `max_turns` counts the agent's own actions.
        options: Further arguments of the game.

    Raises:
        UnknownName: if game, player or opponent is not known.
        ConfigError: if the id is no game of several players, or nobody is left to play against.
    """

    reset_options = frozenset({"player", "opponent"})

    def __init__(
        self,
        game: str,
        *,
        opponent: Opponent | Sequence[Opponent] = "strong",
        player: str | None = None,
        past: int = 10,
        split: str = "train",
        max_turns: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ):
        known = card_of(game)
        if known.api == "gymnasium":
            raise ConfigError(f"{known.id} has one player already; SelfPlay shows one player of a game of several")
        past = check_count("past", past, 0)
        self.game: Any = load(known)(split=split, render_mode=render_mode, **options)
        self._driver = drive(self.game)
        self.card = replace(  # type: ignore[misc]
            known,
            id=f"{known.id}#player",
            api="gymnasium",
            players=1,
            opponents=(),
            rival="",
            deterministic=False,
            scores={},
        )
        self.task_schema = self.game.task_schema  # type: ignore[misc]
        self.admissible_complete = self.game.admissible_complete  # type: ignore[misc]
        self.observation_length = self.game.observation_length  # type: ignore[misc]
        self.action_length = self.game.action_length  # type: ignore[misc]
        self._pool: dict[str, Policy | Rival | None] = {}
        self._talks: dict[str, Talk] = {}
        self._owed = 0.0
        several = isinstance(opponent, Sequence) and not isinstance(opponent, str)
        for each in opponent if several else [opponent]:  # type: ignore[union-attr]
            self._admit(each)
        if not self._pool:
            raise ConfigError(f"nobody plays against the agent; opponents of {known.id}: {', '.join(known.opponents)}")
        if any(isinstance(each, Rival) for each in self._pool.values()):
            self.card = replace(self.card, metrics={**self.card.metrics, **SPENT})  # type: ignore[misc]
        self._given = len(self._pool)
        self._past = past
        self._fixed = None if player is None else self._known_player(player)
        self._player = self._fixed or self.game.possible_agents[0]
        self._opponent = next(iter(self._pool))
        super().__init__(split=split, max_turns=max_turns, render_mode=render_mode)

    # Who plays.

    @property
    def player(self) -> str:
        """The player that is the agent in this episode."""
        return self._player

    @property
    def opponent(self) -> str:
        """Name of who plays the others in this episode."""
        return self._opponent

    @property
    def pool(self) -> tuple[str, ...]:
        """Names of those who may be drawn at a reset: the opponents given, then earlier selves, oldest first."""
        return tuple(self._pool)

    def add_to_pool(self, name: str, policy: Any) -> None:
        """Keep a copy of the learner as a further opponent; it must not learn on.

        Args:
            name: A name that is not in the pool.
            policy: The copy.

        Raises:
            ConfigError: if the name is taken, or `past` is 0.
        """
        if self._past == 0 or name in self._pool:
            raise ConfigError(f"cannot keep {name!r}: " + ("past is 0" if self._past == 0 else "the name is taken"))
        earlier = list(self._pool)[self._given :]
        for old in earlier[: len(earlier) + 1 - self._past]:
            del self._pool[old]
        self._pool[name] = self._playing(policy)

    def _admit(self, opponent: Opponent) -> None:
        if isinstance(opponent, str) and opponent in self.game.opponents:
            self._pool[opponent] = None
        elif isinstance(opponent, str) and ":" not in opponent:
            raise unknown(f"opponent of {self.game.card.id}", opponent, self.game.opponents)
        elif isinstance(opponent, str):
            self._pool[opponent] = self._rival(opponent, {})
        elif isinstance(opponent, Mapping):
            options = {key: value for key, value in opponent.items() if key != "name"}
            if not isinstance(opponent.get("name"), str):
                raise ConfigError(f"a table of an opponent has a name, such as hf:MODEL, got {dict(opponent)!r}")
            rival = self._rival(opponent["name"], options)
            self._pool[f"{opponent['name']}#{fingerprint(options)[:6]}" if options else opponent["name"]] = rival
        elif not (callable(opponent) or hasattr(opponent, "reads")):
            raise ConfigError(f"an opponent is a name, a table, a policy or a function, got {opponent!r}")
        else:
            name = f"{opponent.__module__}:{getattr(opponent, '__qualname__', type(opponent).__name__)}"
            self._pool[name] = self._playing(opponent)

    def _rival(self, who: Any, options: Mapping[str, Any]) -> Rival:
        rival = make_rival(who, options)
        rival.check(self._driver)
        return rival

    def _playing(self, policy: Any) -> Policy | Rival:
        """A policy in a form that this world asks: functions as they are, what reads and speaks as a rival."""
        return self._rival(policy, {}) if hasattr(policy, "reads") else policy

    def _known_player(self, player: str) -> str:
        if player not in self.game.possible_agents:
            raise unknown(f"player of {self.game.card.id}", player, self.game.possible_agents)
        return player

    # The world.

    @property
    def _state(self) -> SelfPlayState | None:
        """The game and who plays it as plain data; None before the first reset."""
        if self._task is None:
            return None
        return SelfPlayState(self._driver.snapshot(), self._player, self._opponent, dict(self._talks), self._owed)

    @_state.setter
    def _state(self, saved: SelfPlayState) -> None:
        self._driver.restore(saved.game)
        self._player, self._opponent, self._talks = saved.player, saved.opponent, dict(saved.talks)
        self._owed = saved.owed

    @property
    def grammar(self) -> ActionGrammar:  # type: ignore[override]
        """The grammar of the player that is the agent."""
        return self.game.player_grammar(self._player)

    def player_manual(self, player: str) -> str:
        """The game's manual for the player that is the agent."""
        return str(self.game.player_manual(self._player))

    def tasks(self, split: str) -> TaskSet:
        """The game's tasks."""
        return self.game.tasks(split)

    def check_task(self, spec: Spec) -> None:
        """The game's own check."""
        self.game.check_task(spec)

    def content_key(self, spec: Spec) -> str:  # type: ignore[override]
        """The game's own key."""
        return self.game.content_key(spec)

    def instruction(self, spec: Spec) -> str:
        """The game's own words."""
        return self.game.instruction(spec)

    def _turn_limit(self, task: Task) -> int:
        return self.game._turn_limit(task)

    def _reference(self) -> Any:
        return self.game.reference()

    def _check_options(self, options: Mapping[str, Any]) -> None:
        if "player" in options:
            self._known_player(options["player"])
        if "opponent" in options and options["opponent"] not in self._pool:
            raise unknown("opponent in the pool", options["opponent"], self._pool)

    def _reset(self, task: Task) -> str:
        players, opponents = self.game.possible_agents, list(self._pool)
        seed, place, drawn = (int(number) for number in self.np_random.integers(2**31, size=3))
        self._player = self.options.get("player") or self._fixed or players[place % len(players)]
        self._opponent = self.options.get("opponent") or opponents[drawn % len(opponents)]
        self._talks, self._owed = {}, 0.0
        chosen = dict(task.spec) if task.split not in self.game.card.splits else task.id
        self.game.split = self.split
        self._driver.reset(seed=seed, options={"task": chosen})
        self._owed = self._play_others()
        given = self._driver.result(self._player)
        if given.info["failure"]:
            raise EngineFailure(given.info["failure"])
        return str(given.observation).replace(f"\n{self.grammar.line}", "", 1)

    def parse(self, action: str, player: str | None = None) -> Call | Invalid:
        """As the game reads it.

        Args:
            action: What is said.
            player: None to have it read by the game. By name, as a turn is played, it stays unread: refusals and tries
                are the game's business.
        """
        return self.game.parse(action, self._player) if player is None else Call("act", said=action)

    def _step(self, call: Call) -> Outcome:
        reward, mine, given = self._advance(call.said)
        info = given.info
        if info["failure"]:
            raise EngineFailure(info["failure"])
        return Outcome(
            given.observation, reward, given.terminated, info["success"], mine["action_valid"], mine["error"],
            info["progress"], info["events"], {**info["metrics"], **self._spent()}, info["costs"], given.truncated,
        )  # fmt: skip

    def _spent(self) -> dict[str, float]:
        """What the opponent's answers have cost in this episode, where one of the pool is a model or a policy."""
        if SPENT.keys() - self.card.metrics.keys():
            return {}
        talks = self._talks.values()
        return dict(
            zip(SPENT, (float(sum(each.tokens for each in talks)), sum(each.cost for each in talks)), strict=True)
        )

    def _advance(self, action: str) -> tuple[float, Mapping[str, Any], StepResult]:
        """The agent acts, and the others until it is asked again.

        Returns:
            The player's reward, its info right after the action, and what it gets at the end.
        """
        driver, player = self._driver, self._player
        owed, self._owed = self._owed, 0.0
        if self._out:
            return owed, {"action_valid": True, "error": ""}, driver.result(player)
        driver.step({each: action if each == player else self._opponent_action(each) for each in driver.to_act})
        reward, infos = owed + driver.rewards[player], self.game.infos
        mine = infos[player] if player in infos else driver.result(player).info
        return reward + self._play_others(), mine, driver.result(player)

    @property
    def _out(self) -> bool:
        """Whether the game is over for the agent's player."""
        return self._player not in self._driver.to_act

    def _play_others(self) -> float:
        """Let the other players act until the agent is asked or out; what the agent's player gets by that."""
        driver, player, reward = self._driver, self._player, 0.0
        while (acting := driver.to_act) and player not in acting and player in self.game.agents:
            driver.step({each: self._opponent_action(each) for each in acting})
            reward += driver.rewards[player]
        return reward

    def _opponent_action(self, player: str) -> str:
        policy = self._pool.get(self._opponent)
        if policy is None:
            return self._driver.opponent_action(player, self._opponent, self.np_random)
        if isinstance(policy, Rival):
            self._talks[player] = policy.act(self._driver, player, self._talks.get(player, Talk()), self.np_random)
            return self._talks[player].action
        seen = self._driver.result(player).observation
        return policy(seen, self._driver.admissible_actions(player), self.np_random)

    def _admissible(self) -> list[str] | None:
        return [self._anything()] if self._out else self._driver.admissible_actions(self._player)

    def _sample(self, rng: np.random.Generator) -> str:
        return self._anything() if self._out else self._driver.sample_action(self._player, rng)

    def _oracle(self) -> str:
        return self._anything() if self._out else self._driver.oracle_action(self._player)

    def _expert(self) -> str:
        return self._anything() if self._out else self._driver.expert_action(self._player)

    def _anything(self) -> str:
        """What can be said in the one step of an episode that was over before the agent acted."""
        return self.grammar.examples[0]

    def _key_state(self) -> Any:
        told = [
            [player, fingerprint([repr(turn) for turn in talk.turns])] for player, talk in sorted(self._talks.items())
        ]
        return [self._driver.state_key(), self._player, self._opponent, self._owed, *([told] if told else [])]

    def _forked(self, reseed: int | None) -> None:
        self._driver = self._driver.fork(reseed)
        self.game = self._driver.world
        self._pool, self._talks = dict(self._pool), dict(self._talks)  # rivals that are policies are shared


if ID not in gym.registry:
    gym.register(id=ID, entry_point=f"{SelfPlay.__module__}:{SelfPlay.__qualname__}")
