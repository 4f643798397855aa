"""A correct world as a third party would write it: five boxes, one of which holds a note with a password."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np

import agentgym
from agentgym.core import (
    Call,
    Command,
    EnvCard,
    FiniteTaskSet,
    Grammar,
    LanguageEnv,
    Outcome,
    Score,
    Task,
    TaskError,
    Tool,
    ToolGrammar,
    cut_by_hash,
    fingerprint,
)

BOXES = 5
SHARES = {"train": 0.5, "val": 0.25, "test": 0.25}
SYLLABLES = ("ka", "mo", "ri", "zu", "te", "lo", "fa", "ni")


def make_spec(name: str) -> dict:
    rng = np.random.default_rng([int(name), 77])
    word = "".join(SYLLABLES[int(i)] for i in rng.integers(len(SYLLABLES), size=3))
    return {"box": int(rng.integers(1, BOXES + 1)), "word": f"{word}{name}"}


def instruct(spec: dict) -> str:
    return f"One of {BOXES} boxes holds a note with a password. Find it and say it."


@lru_cache
def panel(split: str) -> FiniteTaskSet:
    ids = cut_by_hash([str(number) for number in range(40)], SHARES)[split]
    return FiniteTaskSet(split, ids, lambda name: Task(name, split, instruct({}), make_spec(name)))


CARD = EnvCard(
    id="Vault/Vault-v0",
    kind="text",
    entry_point="vault_world:VaultEnv",
    description="Open boxes until a note with a password turns up, then say it.",
    citation="made for the tests",
    splits={"train": 20, "val": 10, "test": 10},
    max_turns=8,
    deterministic=True,
    scores={
        "test": {
            "random": Score(0.3, 0.181),
            "nothing": Score(0.0, 0.0),
            "expert": Score(1.0, 0.963),
            "oracle": Score(1.0, 1.0),
        }
    },
    events={"open": "the number of the `box`"},
    metrics={"opened": "boxes open so far"},
    costs={"wrong": "wrong passwords said"},
)


@dataclass(slots=True)
class State:
    opened: list[int] = field(default_factory=list)
    guesses: int = 0


class VaultEnv(LanguageEnv):
    card = CARD
    grammar = Grammar(
        [
            Command("open <box>", "look into a box.", ("open 3",), choices={"box": tuple("12345")}),
            Command("say <word>", "say the password.", ("say sesame",), variants=("tell <word>",)),
        ],
        rules="Find the password.",
    )
    task_schema: ClassVar = {
        "type": "object",
        "properties": {
            "box": {"type": "integer", "minimum": 1, "maximum": BOXES},
            "word": {"type": "string", "minLength": 3, "maxLength": 20},
        },
        "required": ["box", "word"],
        "additionalProperties": False,
    }
    admissible_complete = False
    action_length = 400
    _state: State

    def tasks(self, split):
        return panel(split)

    def content_key(self, spec):
        return fingerprint(spec)

    def check_task(self, spec):
        if not re.fullmatch("[a-z0-9]+", spec["word"]):
            raise TaskError(f"a password is made of letters and digits, got {spec['word']!r}")

    def instruction(self, spec):
        return instruct(spec)

    def _reset(self, task: Task) -> str:
        self._state = State()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        return self._open(int(call["box"])) if call.name == "open" else self._say(call["word"])

    def _open(self, box: int) -> Outcome:
        if box in self._state.opened:
            return self.refuse(f"box {box} is open already.")
        self._state.opened.append(box)
        return Outcome(
            self._view(),
            reward=-0.01,
            progress=0.5 if self._seen() else 0.0,
            events=[{"type": "open", "box": box}],
            metrics={"opened": len(self._state.opened)},
        )

    def _say(self, word: str) -> Outcome:
        if word.lower() == self.task.spec["word"]:
            return Outcome("The vault opens.", reward=1.0, terminated=True, success=True)
        self._state.guesses += 1
        return Outcome(f"Nothing happens. {self._view()}", reward=-0.02, costs={"wrong": 1.0})

    def _seen(self) -> bool:
        return self.task.spec["box"] in self._state.opened

    def _view(self) -> str:
        note = f" A note says {self.task.spec['word']}." if self._seen() else ""
        return f"Open boxes: {sorted(self._state.opened) or 'none'}. Wrong guesses: {self._state.guesses}.{note}"

    def _words(self, name: str, value: object) -> str:
        return f"{name} {value}"

    def _admissible(self) -> list[str]:
        actions = [self._words("open", box) for box in range(1, BOXES + 1) if box not in self._state.opened]
        return actions + ([self._words("say", self.task.spec["word"])] if self._seen() else [])

    def _sample(self, rng) -> str:
        if rng.random() < 0.6:
            return self._words("say", "".join(SYLLABLES[int(i)] for i in rng.integers(len(SYLLABLES), size=2)))
        return super()._sample(rng)

    def _oracle(self) -> str:
        return self._words("say", self.task.spec["word"])

    def _expert(self) -> str:
        if self._seen():
            return self._words("say", self.task.spec["word"])
        return self._words("open", min(set(range(1, BOXES + 1)) - set(self._state.opened)))

    def _reference(self) -> dict:
        return {"password": self.task.spec["word"]}


def variant(cls: type[LanguageEnv], **changes) -> type[LanguageEnv]:
    """Give a subclass a card of its own and register it."""
    name = f"Vault/{cls.__name__}-v0"
    cls.card = EnvCard(
        **{**vars(CARD), "id": name, "entry_point": f"{cls.__module__}:{cls.__name__}", "scores": {}, **changes}
    )
    agentgym.register(cls.card)
    return cls


class Replayed(VaultEnv):
    """The same world as if its engine could not be copied: snapshots replay the episode. Boxes jam by chance."""

    def _step(self, call: Call) -> Outcome:
        if call.name == "open" and self.np_random.random() < 0.2:
            return Outcome(f"Box {call['box']} jams. {self._view()}")
        return super()._step(call)

    def _open(self, box: int) -> Outcome:
        if box in self._state.opened:  # a refusal may draw nothing, so what jams can be opened again
            return Outcome(f"It is open already. {self._view()}")
        return super()._open(box)


class Tooled(VaultEnv):
    """The same world with tool calls for actions."""

    grammar = ToolGrammar(
        [
            Tool(
                "open",
                "Look into a box.",
                {
                    "type": "object",
                    "properties": {"box": {"type": "integer", "minimum": 1, "maximum": BOXES}},
                    "required": ["box"],
                    "additionalProperties": False,
                },
                ({"box": 3},),
            ),
            Tool(
                "say",
                "Say the password.",
                {
                    "type": "object",
                    "properties": {"word": {"type": "string", "maxLength": 100}},
                    "required": ["word"],
                    "additionalProperties": False,
                },
                ({"word": "sesame"},),
            ),
        ],
        rules="Find the password.",
    )

    def _words(self, name: str, value: object) -> str:
        return f'{{"name": "{name}", "arguments": {{"{"box" if name == "open" else "word"}": {value!r}}}}}'.replace(
            "'", '"'
        )


class Borrowed(VaultEnv):
    """Its `val` is somebody else's panel: one task comes twice, and one vault cannot be opened."""

    def tasks(self, split):
        if split != "val":
            return panel(split)
        ids = [task.id for task in panel("val")]
        return FiniteTaskSet(
            "val",
            [*ids, f"{ids[1]}/2"],
            lambda name: Task(name, "val", instruct({}), make_spec(name.partition("/")[0])),
        )

    def _say(self, word):
        if self.task.id == panel("val")[0].id:
            return Outcome("The vault is stuck.")
        return super()._say(word)


agentgym.register(CARD)
variant(Borrowed, splits={"train": 20, "val": 11, "test": 10}, published={"val": 10 / 11})
variant(
    Replayed,
    snapshot="replay",
    deterministic=False,
    oracle_success=1.0,
)
variant(Tooled, tools=True)
