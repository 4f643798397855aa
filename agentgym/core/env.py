"""`BaseEnv`: the rules of an episode, once, for any number of players.

Gymnasium (`gymnasium_env.LanguageEnv`), PettingZoo's AEC and parallel interfaces (`pettingzoo_envs`) are three adapters
of this class; they translate and have no rules of their own. This file answers: where the state lives, which task is
played, who acts, how text becomes a call, what a call leads to, what `info` says, what a refused action does, when an
episode ends, what happens when the engine fails, what a snapshot holds, what a fork is, what the state key names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding

from agentgym.core.checks import check_action, check_count
from agentgym.core.copies import Copied
from agentgym.core.errors import ConfigError, EngineFailure, SnapshotError, unknown
from agentgym.core.generated import shared_tasks
from agentgym.core.grammar import Call, Invalid
from agentgym.core.hooks import InterfaceHooks, WorldHooks
from agentgym.core.outcome import JointOutcome, Outcome, PlayerState
from agentgym.core.snapshot import Snapshot, check_snapshot, copy_state, fingerprint
from agentgym.core.task_request import requested_task
from agentgym.core.tasks import Task

PLAYER = "player_0"  # the only player of a world for one


class BaseEnv(Copied, WorldHooks, InterfaceHooks):
    """An episode of a world, for any number of players.

    A world keeps all that changes during an episode in `self._state`, a flat mutable object of plain data, and
    everything else in parts that depend on the task alone. It implements two hooks, `_reset` and `_step` (in
    simultaneous games `_step_all`), and, as far as it can, the optional ones; `hooks.HOOKS` names them all. It
    overrides nothing else.

    Attributes:
        possible_agents: Names of all players.
        agents: Players still in the episode.
        split: Where tasks are drawn from.
        options: Reset options of this episode, other than the task.
        max_turns: The turn limit of this episode.
        in_turn: Whether one player acts at a time, the one that `_to_move` names; otherwise all that are still in.
        tries: Refused actions in a row after which a default action is played for a player; None: never, a refused
            action just counts a turn.
    """

    in_turn: ClassVar[bool] = False
    tries: int | None = None
    possible_agents: list[str]
    agents: list[str]
    max_turns: int
    render_mode: str | None
    _turn: int
    _players: dict[str, PlayerState]
    _failure: str
    _replayed_calls: list[tuple[int, Mapping[str, str], Mapping[str, Any]]] | None  # of worlds that replay
    _rng_at_reset: Mapping[str, Any] | None

    def _configure(self, players: Sequence[str], split: str, max_turns: int | None, render_mode: str | None) -> None:
        """Check and keep the arguments that every world takes."""
        if split not in self.card.splits:
            raise unknown(f"split of {self.card.id}", split, self.card.splits)
        if max_turns is not None:
            max_turns = check_count("max_turns", max_turns)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise unknown(f"render mode of {self.card.id}", render_mode, self.metadata["render_modes"])
        self.possible_agents = list(players)
        self.split, self.render_mode, self._turn_limit_given = split, render_mode, max_turns
        self.max_turns = max_turns or self.card.max_turns
        self._zero_metrics = dict.fromkeys(self.card.metrics, 0.0)
        self._zero_costs = dict.fromkeys(self.card.costs, 0.0)
        self._seeded = shared_tasks(type(self), self.config)
        self._clear_episode()

    # Who acts, and what a player is told.

    @property
    def turn(self) -> int:
        """Steps taken in this episode; those of all players count."""
        return self._turn

    @property
    def ended(self) -> bool:
        """Whether the episode is over for every player."""
        players = self._players
        for name in self.agents:
            player = players[name]
            if not (player.terminated or player.truncated):
                return False
        return True

    @property
    def to_act(self) -> list[str]:
        """The players that act in the next step; empty when the episode is over."""
        if self.ended:
            return []
        return [self._to_move()] if self.in_turn else self.agents[:]

    def parse(self, action: str, player: str | None = None) -> Call | Invalid:
        """Read an action without playing it.

        Args:
            action: What was said.
            player: Who said it, where players have different grammars.
        """
        check_action(action)
        if len(action) > self.action_length:
            return Invalid(f"the action has {len(action)} characters, at most {self.action_length} are read")
        return (self.grammar if player is None else self.player_grammar(player)).parse(action)

    def _require_turn(self, player: str, what: str) -> None:
        """Refuse a question about a player's next action where it has none."""
        if self._task is not None and player in self.to_act:
            return
        if player not in self.possible_agents:
            raise unknown(f"player of {self.card.id}", player, self.possible_agents)
        if self._task is None or self.ended:
            raise ResetNeeded(f"{self.card.id}: {what}() needs an episode under way; call reset()")
        raise ConfigError(f"{self.card.id}: {what}({player!r}) out of turn; to act: {', '.join(self.to_act)}")

    # An episode: it begins, players act, it ends.

    def _begin_episode(self, seed: int | None, options: Mapping[str, Any] | None) -> Any:
        """Begin an episode, as `reset` of every interface does; what `_reset` returned."""
        task, extra = requested_task(self, options)
        if seed is not None:  # only now: a refused reset leaves the episode under way, and its generator, alone
            self._np_random, self._np_random_seed = seeding.np_random(seed)
        task = task or self.tasks(self.split).draw(self.np_random)
        self._clear_episode()
        self.options = extra
        try:
            return self._start(task)
        except EngineFailure as error:
            return self._note_failure(error)

    def _clear_episode(self) -> None:
        self.options = {}
        self._turn, self._failure = 0, ""
        self._replayed_calls = self._rng_at_reset = None
        self._reset_players()

    def _reset_players(self) -> None:
        self.agents = list(self.possible_agents)
        self._players = {name: PlayerState() for name in self.agents}

    def _start(self, task: Task) -> Any:
        self._task = task
        if self.card.snapshot == "replay":
            self._replayed_calls, self._rng_at_reset = [], self.np_random.bit_generator.state
        self.max_turns = self._allowed_turns(task, self._turn_limit_given)
        return self._reset(task)

    def _play_turn(self, name: str, action: str) -> Any:
        """One player acts, alone or in its turn; the outcome."""
        self._turn += 1
        player = self._players[name]
        player.begin_turn()
        rng = None if self._replayed_calls is None else self.np_random.bit_generator.state
        try:
            call = self.parse(action, name)
            outcome: Any = self.refuse(call.reason) if isinstance(call, Invalid) else self._apply({name: call})
            played: str | None = action
            if outcome.valid:
                player.refused = 0
            else:
                played = self._note_refusal(name, outcome.error)
                if played is not None:
                    outcome = self._apply({name: self._read(played, name)})
                    assert outcome.valid, f"{self.card.id} refuses its own default {played!r}: {outcome.error}"
        except EngineFailure as error:
            return self._note_failure(error)
        if rng is not None and played is not None:
            self._replayed_calls.append((self._turn, {name: played}, rng))  # type: ignore[union-attr]
        self._settle(outcome)
        if outcome.spent or self._turn >= self.max_turns:
            self._limit_turns(outcome.spent)
        return outcome

    def _play_round(self, actions: Mapping[str, str | None]) -> Any:
        """Every player still in acts at once; a refused or missing action is replaced by the default."""
        self._turn += 1
        try:
            calls: dict[str, Call] = {}
            played: dict[str, str] = {}
            for name in self.agents:
                self._players[name].begin_turn()
                said = actions.get(name)
                call = self.parse(said, name) if said is not None else self._no_action(name)
                reason = call.reason if isinstance(call, Invalid) else self._objection(name, call)
                default = self._note_refusal(name, reason) if reason else None
                played[name] = str(said) if default is None else default
                calls[name] = call if default is None and isinstance(call, Call) else self._read(played[name], name)
            if self._replayed_calls is not None:
                self._replayed_calls.append((self._turn, played, self.np_random.bit_generator.state))
            outcome = self._apply(calls)
            assert outcome.valid, f"{self.card.id}: _step_all may not refuse; _objection says why: {outcome.error}"
        except EngineFailure as error:
            return self._note_failure(error)
        self._settle(outcome)
        if outcome.spent or self._turn >= self.max_turns:
            self._limit_turns(outcome.spent)
        return outcome

    def _read(self, action: str, name: str) -> Call:
        call = self.parse(action, name)
        assert isinstance(call, Call), f"{self.card.id} cannot parse {action!r}, which it played before"
        return call

    def refuse(self, reason: str) -> Any:
        """The outcome of an action that is malformed or not possible now."""
        return JointOutcome(valid=False, error=reason)

    def _note_refusal(self, name: str, reason: str) -> str | None:
        """Count a refused action; the default to be played instead if it was the last try, otherwise None."""
        if self.tries is None:
            return None
        player = self._players[name]
        player.valid, player.error, player.refused = False, reason, player.refused + 1
        default = self._default(name) if player.refused >= self.tries else None
        self._tell_refusal(name, reason, player.refused, default)
        if default is not None:
            player.refused = 0
        return default

    def _settle(self, outcome: Any) -> None:
        """Record what an outcome says of every player."""
        players = self._players
        for player in players.values():
            player.reward = 0.0
        for name, reward in outcome.rewards.items():
            if name not in self.agents:
                raise AssertionError(f"{self.card.id}: a reward for {name!r}, which has left the game")
            players[name].reward += float(reward)
        if outcome.over or outcome.out or outcome.winners or outcome.progress:
            for name, player in players.items():
                ends = name in outcome.out or (outcome.over and name in self.agents)
                self._settle_player(player, ends, name in outcome.winners, outcome.progress.get(name))

    def _settle_player(self, player: PlayerState, ends: bool, success: bool, progress: float | None) -> None:
        """Record the end, success and progress of one player."""
        if ends:
            player.terminated = True
        if success:
            if not player.terminated:
                raise AssertionError(f"{self.card.id}: success without terminated")
            player.success, player.progress = True, 1.0
        elif progress is not None:
            player.progress = float(progress)  # an int would make vector environments cut others' fractions

    def _limit_turns(self, spent: bool) -> None:
        """Turns have run out, or a limit of the world's own is `spent`: truncate the episode for all that go on."""
        if spent:
            self.max_turns = self._turn
        for player in self._players.values():
            player.truncated = not player.terminated

    def _after_end(self) -> Outcome:
        """The answer to an action after the end, where an interface has one: nothing changes and nothing is paid."""
        reason = "The episode is over; call reset() to begin another."
        return Outcome(reason, valid=False, error=reason)

    def _note_failure(self, error: EngineFailure) -> Any:
        """The engine failed: the episode is truncated for every player, with reward 0."""
        self._failure = str(error) or "the engine failed"
        for player in self._players.values():
            player.reward, player.truncated = 0.0, not player.terminated
        return self._tell_failure(f"The environment failed: {self._failure}")

    # State.

    def state_key(self) -> str:
        """Names all that the dynamics read except generator and turn: equal keys, equal futures in distribution."""
        players = [(name, self._players[name]) for name in self.agents]
        standing = [[name, each.terminated, each.truncated, each.refused] for name, each in players]
        return fingerprint([self.task.spec, self.options, standing, self._failure or self._key_state()])

    def snapshot(self) -> Snapshot:
        """The exact state, generator and turn count included.

        Raises:
            SnapshotError: if the card says `snapshot="none"`.
        """
        if self.card.snapshot == "none":
            raise SnapshotError(f"{self.card.id} cannot be copied; its card says snapshot='none'")
        replays = self._replayed_calls
        return Snapshot(
            env_id=self.card.id,
            task=self.task,
            options=copy_state(dict(self.options)) if self.options else {},
            state=copy_state(self._state) if replays is None else None,
            players={name: player.copy() for name, player in self._players.items()},
            agents=tuple(self.agents),
            interface=self._interface_state(),
            calls=None if replays is None else tuple(replays),
            rng_at_reset=self._rng_at_reset,
            rng=self.np_random.bit_generator.state,
            turn=self._turn,
            max_turns=self.max_turns,
            failure=self._failure,
            exchange=self._last_exchange(),
        )

    def restore(self, saved: Snapshot) -> None:
        """Return to the state `saved`, taken from this world in this or another process.

        Raises:
            SnapshotError: if it is none or another world's, or the engine failed while the episode was played again.
        """
        check_snapshot(saved, self.card.id)
        same_begin = self._task is saved.task and self.options == saved.options and not self._failure
        self.options = copy_state(dict(saved.options)) if saved.options else {}
        if saved.calls is not None:
            self._replay(saved)
        else:
            if not same_begin:
                self._restart(saved.task)
            self._state = copy_state(saved.state)
        self._players = {name: player.copy() for name, player in saved.players.items()}
        self.agents = list(saved.agents)
        self.np_random.bit_generator.state = saved.rng
        self.max_turns, self._turn, self._failure = saved.max_turns, saved.turn, saved.failure
        self._restore_interface(saved)

    def _replay(self, saved: Snapshot) -> None:
        """Begin again and play each action in its turn with the generator as it was then: wrappers draw from it too."""
        self.np_random.bit_generator.state = dict(saved.rng_at_reset or {})
        self._turn = 0
        try:
            self._restart(saved.task)
            for turn, actions, rng in saved.calls or ():
                self._turn = turn
                self.np_random.bit_generator.state = dict(rng)
                self._apply({name: self._read(action, name) for name, action in actions.items()})
        except EngineFailure as error:
            raise SnapshotError(f"{self.card.id}: the engine failed while the episode was replayed: {error}") from error
        self._replayed_calls = list(saved.calls or ())

    def _restart(self, task: Task) -> None:
        self._reset_players()
        self._start(task)

    def fork(self, reseed: int | None = None) -> Self:
        """A second, independent environment in this state.

        Args:
            reseed: Seed of the fork's generator. Give one for look-ahead: a fork with a copied generator sees what
                this environment is about to draw.
        """
        saved = self.snapshot()
        if self.card.snapshot == "copy":
            twin = object.__new__(type(self))
            vars(twin).update(vars(self))
            twin._make_spaces()  # spaces draw from generators of their own
        else:
            twin = type(self)(**self._constructor_arguments)
        twin._np_random = np.random.Generator(type(self.np_random.bit_generator)(0))
        twin.restore(saved)
        if reseed is not None:
            twin._np_random, twin._np_random_seed = seeding.np_random(reseed)
        twin._forked(reseed)
        return twin

    # `info`.

    def _info(self, player: PlayerState, told: Any) -> dict[str, Any]:
        """`info`, built anew: the same keys, each of one type, whatever happened.

        Args:
            player: Whose it is.
            told: What has `valid`, `error`, `events`, `metrics` and `costs`: an outcome, or the player's state itself.
        """
        task = self._task or self.task
        withheld = self.card.hidden_progress and not player.ended and task.split.startswith("test")
        metrics, costs, events = None if withheld else told.metrics, told.costs, told.events
        shown_metrics, shown_costs = self._zero_metrics.copy(), self._zero_costs.copy()
        for shown, given in ((shown_metrics, metrics), (shown_costs, costs)) if metrics or costs else ():
            for key, value in (given or {}).items():
                if key not in shown:
                    raise AssertionError(f"{self.card.id}: {key!r} is not declared in the card")
                shown[key] = float(value)
        return {
            "task_id": task.id,
            "split": task.split,
            "instruction": task.instruction,
            "success": player.success,
            "progress": 0.0 if withheld else player.progress,
            "action_valid": told.valid,
            "error": told.error,
            "failure": self._failure,
            "events": [copy_state(event if type(event) is dict else dict(event)) for event in events] if events else [],
            "metrics": shown_metrics,
            "costs": shown_costs,
        }
