"""Bandit: arms with names, of which one pays rarely and much, the others surely and little."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task, cut_by_hash
from agentgym.envs.games._cards.chance import BANDIT

SURE, RARE, CHANCE = 0.1, 1.0, 0.25  # what a safe arm pays; what the risky arm pays, and how often
LEVELS = {
    "original": {"arms": 2, "pulls": 1, "names": "telling"},
    "row": {"arms": 6, "pulls": 1, "names": "telling"},
    "explore": {"arms": 5, "pulls": 20, "names": "arbitrary"},
}
MOST_ARMS, MOST_PULLS = 6, 100
SPARE = 2  # turns for refused actions
STREAM = 0xBA2D
SAFE = (
    "accountant", "actuary", "archivist", "auditor", "baker", "beekeeper", "bookbinder", "bookkeeper", "caretaker",
    "carpenter", "cartographer", "cashier", "civil servant", "clerk", "copyist", "curator", "dentist", "dietitian",
    "editor", "florist", "gardener", "geometer", "grocer", "hatmaker", "indexer", "inspector", "janitor", "joiner",
    "lexicographer", "librarian", "locksmith", "mailman", "midwife", "miller", "notary", "nurse", "optician",
    "organist", "paralegal", "pharmacist", "piano tuner", "plumber", "postmaster", "potter", "proofreader",
    "receptionist", "registrar", "schoolteacher", "secretary", "shoemaker", "statistician", "surveyor", "tailor",
    "tax adviser", "translator", "tutor", "upholsterer", "verger", "watchmaker", "weaver",
)  # fmt: skip
RISKY = (
    "adventurer", "aerialist", "alligator wrestler", "arms dealer", "astronaut", "base jumper", "bomb disposer",
    "bootlegger", "bounty hunter", "buccaneer", "bullfighter", "bull rider", "burglar", "card sharp", "cat burglar",
    "cliff diver", "conquistador", "corsair", "daredevil", "day trader", "duellist", "explorer", "fire eater",
    "fortune seeker", "freebooter", "gambler", "gold digger", "gunslinger", "hang glider", "high roller", "highwayman",
    "human cannonball", "ice climber", "knife thrower", "lion tamer", "mercenary", "moonshiner", "mountaineer",
    "oil prospector", "outlaw", "pearl diver", "pirate", "poker player", "privateer", "race driver", "rum runner",
    "shark diver", "smuggler", "snake charmer", "speculator", "spy", "start-up founder", "storm chaser", "stuntman",
    "sword swallower", "test pilot", "tightrope walker", "treasure hunter", "venture capitalist", "wildcatter",
)  # fmt: skip
PARTS = {"train": 0.6, "val": 0.12, "test": 0.28}


@dataclass(slots=True)
class State:
    """Pulls made, how many of them of the risky arm, and what each arm has shown: 0 nothing, 1 safe, 2 risky."""

    pulls: int
    good: int
    shown: list[int]


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `BanditEnv`."""

    level: str = named_level("original", LEVELS, of="Bandit")
    arms: int = whole(None, 2, MOST_ARMS)
    pulls: int = whole(None, 1, MOST_PULLS)
    names: str = one_of(None, ("telling", "arbitrary"))


class BanditEnv(LanguageEnv):
    """Choose among arms by their names, or by trying them.

    Description: every arm bears the name of an occupation. One arm pays 1 with probability 0.25 and otherwise 0, the
    others always pay 0.1. With `names="telling"` the generous arm has a daring name and the others have staid ones;
    with `names="arbitrary"` names say nothing. The text says which.

    Observation: the arms and the pulls left; after a pull `Pirate: 1 points`.

    Actions: `pull pirate`; also `choose pirate`, or the bare name, `pirate`.

    Reward: what the arm pays. The episode ends with the last pull, or two turns after as many turns as there are pulls;
    success is to have pulled the arm of the higher mean in more than half of the pulls.

    Splits: `train` without end, `val` 60 and `test` 100 tasks; no name stands in two splits.

    Oracle: always the arm of the higher mean. Expert: takes names at their word where they tell, otherwise tries arms
    until one shows that it is not safe.

    Args:
        level: `original` (two arms, one pull), `row` (six arms, one pull) or `explore` (five arms with arbitrary names,
            twenty pulls).
        arms: Number of arms, 2 to 6, in place of the level's.
        pulls: Number of pulls, 1 to 100, in place of the level's.
        names: `telling` or `arbitrary`, in place of the level's.

    Source: the bandit of RAGEN (Wang et al. 2025, arXiv:2504.20073), whose payments and task of reading names it has.
    """

    card = BANDIT
    config = Config()
    grammar = Grammar(
        [
            Command(
                "pull <arm>",
                "pull the arm of this name.",
                examples=("pull librarian", "librarian"),
                variants=("choose <arm>", "<arm>"),
            )
        ],
        rules="Pull the arm that pays more on average. One arm pays 1 point one time in four, otherwise nothing; the "
        "others always pay 0.1 points.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "arms": {
                "type": "array",
                "minItems": 2,
                "maxItems": MOST_ARMS,
                "items": {"type": "string", "enum": [*SAFE, *RISKY]},
            },
            "risky": {"type": "integer", "minimum": 0},
            "pulls": {"type": "integer", "minimum": 1, "maximum": MOST_PULLS},
            "telling": {"type": "boolean"},
        }
    )
    _state: State

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """Names of arms of one split, and which of them is risky.

        Args:
            config: How many arms and pulls, and whether names tell.
            seed: Its last digit says whose names are drawn: 8 those of `val`, 9 of `test`, others of `train`.
        """
        part = {8: "val", 9: "test"}.get(seed % 10, "train")
        rng = np.random.default_rng([seed, STREAM])
        safe, risky = _names()
        if config.names == "telling":
            daring = risky[part][int(rng.integers(len(risky[part])))]
            staid = rng.permutation(safe[part])[: config.arms - 1].tolist()
            place = int(rng.integers(config.arms))
            names = [*staid[:place], daring, *staid[place:]]
        else:
            names = rng.permutation([*safe[part], *risky[part]])[: config.arms].tolist()
            place = int(rng.integers(config.arms))
        return {"arms": names, "risky": place, "pulls": config.pulls, "telling": config.names == "telling"}

    @staticmethod
    def fits(config: Config, split: str, spec: Spec) -> bool:
        """No name stands in two splits: those of `spec` must all be names of `split`, whatever the `config`."""
        safe, risky = _names()
        return all(name in safe[split] or name in risky[split] for name in spec["arms"])

    def check_task(self, spec: Spec) -> None:
        """Names must differ, the risky arm must be one of them, and names that tell must tell the truth."""
        arms, risky = spec["arms"], spec["risky"]
        if len(set(arms)) < len(arms):
            raise TaskError(f"two arms have one name: {arms}")
        if risky >= len(arms):
            raise TaskError(f"risky must be the place of an arm, 0 to {len(arms) - 1}, got {risky}")
        if spec["telling"] and any((name in RISKY) != (place == risky) for place, name in enumerate(arms)):
            raise TaskError(f"names that tell are daring for arm {risky} and staid for the others, got {arms}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        names = "Guess it from their names" if spec["telling"] else "Their names say nothing about what they pay"
        pulls = "You have one pull" if spec["pulls"] == 1 else f"You have {spec['pulls']} pulls"
        return (
            f"There are {len(spec['arms'])} arms, named {_listed(spec['arms'])}. One of them pays 1 point one time in "
            f"four and otherwise nothing; the others always pay 0.1 points. {names}, and pull the arm that pays more "
            f"on average. {pulls}."
        )

    def _turn_limit(self, task: Task) -> int:
        return int(task.spec["pulls"]) + SPARE

    def _reset(self, task: Task) -> str:
        self._arms: list[str] = task.spec["arms"]
        self._risky: int = task.spec["risky"]
        self._pulls: int = task.spec["pulls"]
        self._places = {name: place for place, name in enumerate(self._arms)}
        self._listed = _listed(self._arms)
        self._state = State(0, 0, [0] * len(self._arms))
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        state, name = self._state, call["arm"].lower()
        place = self._places.get(name, -1)
        if place < 0:
            return self.refuse(f"There is no arm {shorten(call['arm'])!r}; the arms are {self._listed}.")
        good = place == self._risky
        points = (RARE if self.np_random.random() < CHANCE else 0.0) if good else SURE
        state.pulls, state.good, state.shown[place] = state.pulls + 1, state.good + good, 2 if good else 1
        over = state.pulls == self._pulls
        said = f"{name.capitalize()}: {points:g} points"
        return Outcome(
            said if over else f"{said}\n{self._view()}",
            reward=points,
            terminated=over,
            success=over and 2 * state.good > self._pulls,
            progress=state.good / self._pulls,
            events=({"type": "pull", "arm": name, "points": points},),
        )

    def _view(self) -> str:
        return f"Arms: {self._listed}. Pulls left: {self._pulls - self._state.pulls}."

    def _admissible(self) -> list[str]:
        return [f"pull {name}" for name in self._arms]

    def _sample(self, rng: np.random.Generator) -> str:
        return f"pull {self._arms[int(rng.integers(len(self._arms)))]}"

    def _oracle(self) -> str:
        return f"pull {self._arms[self._risky]}"

    def _expert(self) -> str:
        shown = self._state.shown
        if 2 in shown:
            place = shown.index(2)
        elif self.task.spec["telling"]:
            place = next(place for place, name in enumerate(self._arms) if name in RISKY)
        else:
            place = shown.index(0)
        return f"pull {self._arms[place]}"

    def _reference(self) -> str:
        return self._arms[self._risky]


def _listed(arms: list[str]) -> str:
    return f"{', '.join(arms[:-1])} and {arms[-1]}"


@cache
def _names() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The names of each split, of safe and of risky arms."""
    return cut_by_hash(SAFE, PARTS), cut_by_hash(RISKY, PARTS)
