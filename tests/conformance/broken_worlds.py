"""Worlds with one fault each, and the checks that must catch it: first the one meant for it, then others that see it.

Every other check must pass, so that a failure points at its cause.
"""

import os
from dataclasses import dataclass, replace
from typing import ClassVar

import gymnasium as gym
import numpy as np
from faults import BROKEN, broken, foreign
from vault_world import VaultEnv, instruct, make_spec, panel

from agentgym.core import FiniteTaskSet, Grammar, Task

# Interface.


class Nested(gym.Env):
    """A plain Gymnasium environment, right but for a Dict inside a Dict."""

    metadata: ClassVar = {"render_modes": []}
    observation_space = gym.spaces.Dict({"a": gym.spaces.Dict({"b": gym.spaces.Discrete(9)})})
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return self.observe(), {}

    def step(self, action):
        self.count += 1
        return self.observe(), 0.0, self.count >= 8, False, {}

    def observe(self):
        return {"a": {"b": self.count}}


foreign("Nested", "spaces")(Nested)


@broken("spaces")
class NumpyFlag(VaultEnv):
    def step(self, action):
        text, reward, terminated, truncated, info = super().step(action)
        return text, reward, np.bool_(terminated), truncated, info


@broken("spaces")
class TooLong(VaultEnv):
    def step(self, action):
        text, *rest = super().step(action)
        return (text if self.turn < 4 else text * 2_000), *rest


@broken("info")
class SharedEvents(VaultEnv):
    def _info(self, player, told):
        self.events = getattr(self, "events", [])
        return {**super()._info(player, told), "events": self.events}


@broken("info")
class KeptMetrics(VaultEnv):
    """Gives out its own zeros; whoever changes them changes the environment."""

    def _info(self, player, told):
        info = super()._info(player, told)
        return {**info, "metrics": self._zero_metrics} if self.turn == 2 else info


@broken("info", "engine failures")
class ExtraKey(VaultEnv):
    def step(self, action):
        *rest, info = super().step(action)
        return *rest, {**info, "hint": "warm"}


@broken("info")
class UndeclaredEvent(VaultEnv):
    def _say(self, word):
        outcome = super()._say(word)
        outcome.events = [{"type": "said"}]
        return outcome


@broken("success")
class EndlessSuccess(VaultEnv):
    def _settle(self, outcome):
        super()._settle(outcome)
        for player in self._players.values():
            player.terminated, player.truncated = False, self.turn >= self.max_turns


@foreign("NotJson", "spec as JSON", kwargs={"things": {1, 2}})
class NotJson(Nested):
    observation_space = gym.spaces.Discrete(9)

    def __init__(self, things):
        self.things = things

    def observe(self):
        return self.count


@broken("grammar and manual")
class Unlimited(VaultEnv):
    """Does not say how much of an action is read."""

    def player_manual(self, player):
        return self.grammar.manual


@broken("bad options")
class Swallowing(VaultEnv):
    def __init__(self, *, split="train", max_turns=None, render_mode=None, **ignored):
        super().__init__(split=split, max_turns=max_turns, render_mode=render_mode)


@broken()
class Overriding(VaultEnv):
    """Overrides what is no hook, and keeps something of its own under a name of the core."""

    @property
    def task_kind(self):
        return ""

    def _reset(self, task):
        self._rng_at_reset = None
        return super()._reset(task)


@broken("Gymnasium's checker", "bad options")
class BlankRender(VaultEnv):
    def render(self):
        return None


# Actions.


@dataclass(slots=True)
class Grumbling:
    opened: list[int]
    guesses: int = 0
    refusals: int = 0


@broken("invalid actions")
class RememberedRefusal(VaultEnv):
    def _reset(self, task):
        text = super()._reset(task)
        self._state = Grumbling([])
        return text

    def _refusal(self, reason):
        self._state.refusals += 1
        return super()._refusal(reason)


@broken("invalid actions")
class DrawingRefusal(VaultEnv):
    def _refusal(self, reason):
        self.np_random.random()
        return super()._refusal(reason)


@broken("invalid actions")
class SilentRefusal(VaultEnv):
    def _refusal(self, reason):
        return "No."


@broken("invalid actions")
class Raising(VaultEnv):
    def _say(self, word):
        if word == "-1":
            raise ValueError("a password is no number")
        return super()._say(word)


@broken("admissible actions")
class OpenAgain(VaultEnv):
    """Lists boxes that are open already."""

    def _admissible(self):
        return [f"open {box}" for box in range(1, 6)]


@broken("admissible actions")
class OutOfOrder(VaultEnv):
    def admissible_actions(self):
        actions = super().admissible_actions()
        return actions if actions is None else actions[::-1]


@broken("sample_action")
class BadSample(VaultEnv):
    def _sample(self, rng):
        return "sing" if rng.random() < 0.1 else super()._sample(rng)


@broken("sample_action")
class NotAll(VaultEnv):
    """Claims a complete list although any word may be said."""

    admissible_complete = True


class Mute(Grammar):
    @property
    def manual(self):
        return self.rules


@broken("grammar and manual")
class NoManual(VaultEnv):
    grammar = Mute(VaultEnv.grammar.commands, "Find the password.")


# Episodes.


@broken("turn limit")
class OneMore(VaultEnv):
    def _limit_turns(self, spent):
        if self.turn > self.max_turns:
            super()._limit_turns(spent)


@broken("after the end")
class PaysAfterwards(VaultEnv):
    def _after_end(self):
        return replace(super()._after_end(), reward=1.0)


@broken("engine failures")
class Unmarked(VaultEnv):
    def _note_failure(self, error):
        text = super()._note_failure(error)
        self._failure = ""
        return text


@broken("engine failures")
class NeverRecovers(VaultEnv):
    def _note_failure(self, error):
        self.damaged = True
        return super()._note_failure(error)

    def _view(self):
        return super()._view() + (" Smoke rises." if getattr(self, "damaged", False) else "")


@broken(
    "reset equals fresh", "Gymnasium's checker", "engine failures", "snapshot and restore", "wrapped state",
    "task options", "bad tasks",
)  # fmt: skip
class Veteran(VaultEnv):
    """Counts its episodes, outside the state."""

    episodes = 0

    def _reset(self, task):
        self.episodes += 1
        return super()._reset(task)

    def _view(self):
        return f"{super()._view()} Episode {self.episodes}."


# State.


@broken("snapshot and restore", "wrapped state", "state key")
class LiveSnapshot(VaultEnv):
    def snapshot(self):
        return super().snapshot()._replace(state=self._state)


@broken("fork", "wrapped state", "re-seeded forks", "admissible actions")
class SiameseFork(VaultEnv):
    def fork(self, reseed=None):
        twin = super().fork(reseed)
        twin._state = self._state
        return twin


@broken("fork", "wrapped state", "re-seeded forks", "admissible actions")
class BoundMethods(VaultEnv):
    """Keeps its own methods in a table; those of a fork still act on the origin."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.table = {"open": self._open, "say": self._say}

    def _step(self, call):
        return self.table[call.name](int(call["box"]) if call.name == "open" else call["word"])


@broken("snapshot and restore", "wrapped state")
class HiddenState(VaultEnv):
    """Counts the openings beside the state."""

    def _reset(self, task):
        self.openings = 0
        return super()._reset(task)

    def _open(self, box):
        self.openings += box not in self._state.opened
        return super()._open(box)

    def _view(self):
        return f"{super()._view()} {self.openings} openings."


@broken("re-seeded forks")
class Dripping(VaultEnv):
    """Draws although the card says deterministic."""

    def _open(self, box):
        if box in self._state.opened:
            return super()._open(box)
        return replace(super()._open(box), text=f"{self._view()} {self.np_random.integers(9)} drops fall.")


@broken("re-seeded forks", deterministic=False)
class SameDice(VaultEnv):
    """Its forks ignore the seed they are given."""

    def fork(self, reseed=None):
        return super().fork(None)


@broken("state key")
class Blind(VaultEnv):
    def state_key(self):
        return "the same everywhere"


@broken("state key")
class Forgetful(VaultEnv):
    """Leaves out of the key what the texts read."""

    def _key_state(self):
        return self._state.opened


@broken("state key", "invalid actions")
class Counting(VaultEnv):
    def state_key(self):
        return f"{super().state_key()} {self.turn}"


# Tasks.


@broken("panels", splits={"train": 20, "val": 10, "test": 11})
class Miscounted(VaultEnv):
    """The card says one task too many."""


@broken("panels", "task options")
class Unstable(VaultEnv):
    """by_id gives another instruction than the index."""

    def tasks(self, split):
        return Renamed(split, [task.id for task in panel(split)], panel(split).by_id)


class Renamed(FiniteTaskSet):
    def by_id(self, task_id):
        return replace(super().by_id(task_id), instruction="Find it.")


@broken("disjoint splits")
class Overlapping(VaultEnv):
    def tasks(self, split):
        if split != "test":
            return panel(split)
        ids = ["900", *(task.id for task in panel("test"))][:10]
        stolen = panel("train")[3].spec
        return FiniteTaskSet(
            "test",
            ids,
            lambda name: Task(name, "test", instruct({}), stolen if name == "900" else make_spec(name)),
        )


@broken("disjoint splits", splits={"train": 20, "val": 11, "test": 10})
class Repeating(VaultEnv):
    """One task of a panel comes twice, and its card does not say that the panel is another benchmark's."""

    def tasks(self, split):
        if split != "val":
            return panel(split)
        ids = [task.id for task in panel("val")]
        spec = panel("val")[1].spec
        return FiniteTaskSet(
            "val",
            [*ids, "900"],
            lambda name: Task(name, "val", instruct({}), spec if name == "900" else make_spec(name)),
        )


@broken("task options")
class NamesItself(VaultEnv):
    """Its first text holds the id, so a task given as its own specification begins otherwise."""

    def _reset(self, task):
        return f"Task {task.id}. {super()._reset(task)}"


@broken("bad tasks")
class Careless(VaultEnv):
    def check_task(self, spec):
        if not spec["word"].isalnum():
            raise KeyError(spec["word"])


@broken("reference")
class GivesAway(VaultEnv):
    def reference(self):
        return self._reference()


@broken("leaks")
class Leaking(VaultEnv):
    def _reset(self, task):
        return f"{super()._reset(task)} It is not {task.spec['word'].upper()}, or is it?"


@broken("leaks")
class LeakingInfo(VaultEnv):
    def _info(self, player, told):
        note = {"type": "open", "box": 0, "note": self.task.spec["word"]}
        return {**super()._info(player, told), "events": [note]}


@broken("leaks")
class LeakingPage(VaultEnv):
    """Its page shows an onlooker what is in the boxes, on test too."""

    metadata: ClassVar = {"render_modes": ["human", "ansi", "html"], "render_fps": 4}

    def render(self):
        return f"<p>{self.task.spec['word']}</p>" if self.render_mode == "html" else super().render()


# Other environments.


@broken("interleaving", "snapshot and restore", "fork", "wrapped state")
class Interleaved(VaultEnv):
    """Shares its state with every other environment of its class."""

    others: ClassVar[list[VaultEnv]] = []

    def _reset(self, task):
        self.others.append(self)
        return super()._reset(task)

    def _view(self):
        crowd = self.others[-1] is not self and self.turn > 0
        return super()._view() + " Somebody else is here." * crowd


@broken(
    "replay", "Gymnasium's checker", "info", "spec as JSON", "engine failures", "reset equals fresh",
    "task options", "bad tasks", "interleaving",
)  # fmt: skip
class Entropic(VaultEnv):
    def _reset(self, task):
        return f"{super()._reset(task)} {os.urandom(4).hex()}"


@broken()
class NotMade(VaultEnv):
    def __init__(self, **kwargs):
        raise RuntimeError("the lock is rusty")


del BROKEN[NotMade.card.id]  # nothing else can be checked there
