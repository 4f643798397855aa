"""ALFWorld itself: the official game files, played by the original engine."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from agentgym.core.errors import DataError, TaskError, require
from agentgym.core.generated import EnvConfig, object_schema, one_of, path_to
from agentgym.core.grammar import Call
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet, cut_by_hash
from agentgym.envs._kit.thoughts import ANSWER, ThinkingGrammar
from agentgym.envs.text import ALFWORLD
from agentgym.envs.text._household.dialect import answer_in, command_in, first_in
from agentgym.envs.text._household.engine import Refused, act, progress
from agentgym.envs.text._household.explorer import next_action
from agentgym.envs.text._household.game import TASK_TYPES, State, compile_game
from agentgym.envs.text._household.grammar import COMMANDS, RULES, original_words
from agentgym.envs.text._household.pddl import TASK, load_game
from agentgym.envs.text._household.planner import plan
from agentgym.envs.text._text_world.engine import Episode, alfred_pool, package

FOLDERS = {"test_seen": "valid_seen", "test_unseen": "valid_unseen"}
TRAIN, VAL = "train", "valid_train"
VAL_SHARE = 0.1  # of the training games, where the folder valid_train is missing
GAME = "game.tw-pddl"
VERSION = "0.4.2"
WORDINGS = ("0.4", "react")


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `ALFWorldEnv`."""

    games: Path = path_to("a folder", required=True)
    wording: str = one_of("0.4", WORDINGS)
    order: Path | None = path_to("a list of games or None")


class ALFWorldEnv(LanguageEnv):
    """ALFWorld's own games in its own engine.

    Observation, actions, `info` and ending are those of `AgentGym/Household-v1`; the words of older versions are
    translated before they reach the engine. The observation of a refused action is the original's `Nothing happens.`
    and, on a second line, the reason.

    Reward: 1 for success, otherwise 0. The episode ends with success or after 50 turns.

    Splits are the published folders: `train`; `test_seen` is `valid_seen`, `test_unseen` is `valid_unseen`, which is
    where results are published, `test` their union; `val` is `valid_train` where that folder is there, otherwise a
    tenth of `train` by stable hash. As in the original, only the six task types are played, and games that are marked
    as unsolvable are left out. A task's id is the path of its trial.

    The engine cannot be copied, so a snapshot replays the episode: some 70 ms for the game and 9 ms for each action
    that was played. A first reset takes 0.8 s; the interpreter keeps what it has translated and parsed, so a game that
    was played before begins in a twentieth, and a step takes a tenth, of the time of the packages themselves. Oracle,
    expert and `info["progress"]` follow the game in the native engine beside it.

    Limits: another version of `alfworld` or `textworld` than the tested one is refused. Each engine is a process, at
    most eight of a Python process; further environments take turns, and a game that was taken away is played again. One
    that is killed ends the episode as a failure, and the next reset takes another.

    Args:
        games: Folder that holds `train`, `valid_seen` and `valid_unseen`, such as `json_2.1.1`.
        wording: `0.4` for the words of the engine; `react` for those in which ReAct, ETO and AgentGym show it, as in
            `AgentGym/Household-v1`. What they played is ALFWorld 0.3, whose numbers of locations these leave out.
        order: A list of games of the split, whose tasks are then these in this order: AgentGym's `mappings_train.json`
            (`train`) and `mappings_test.json` (`val`, numbered from 2420 on there), or lines such as those of ETO's
            `gamefile_id.txt` (`test_unseen`). None for all games, sorted by path.

    Source: ALFWorld (Shridhar et al. 2021, arXiv:2010.03768), packages `alfworld` 0.4 and `textworld` 1.7.
    """

    card = ALFWORLD
    config = Config(games=Path("json_2.1.1"))
    grammar = ThinkingGrammar(COMMANDS, rules=RULES)
    task_schema: ClassVar[Spec] = object_schema({"game": {"type": "string", "maxLength": 1000}})
    _state: State

    def _configured(self) -> None:
        self._folder, self._wording, order = self.config.games, self.config.wording, self.config.order
        self._order = None if order is None else (str(order), _names(order))
        check_versions()
        self._pool = alfred_pool(str(self._folder))
        self._library = _library(self._folder)

    def tasks(self, split: str) -> TaskSet:
        """The games of a split, in the order of their paths, or those of the list given as `order`, in its order."""
        ids = self._library.splits[split]
        if self._order is not None:
            ids = _listed(*self._order, split, ids)
        parts = {task_id: self._library.part_of[task_id] for task_id in ids}
        return FiniteTaskSet(split, ids, lambda task_id: self._task_of(task_id, parts[task_id]))

    def content_key(self, spec: Spec) -> str:  # type: ignore[override]  # the folder has the content
        """The PDDL problem of the game."""
        return fingerprint(_read(self._folder / spec["game"] / GAME)["pddl_problem"])

    def check_task(self, spec: Spec) -> None:
        """The game must be one of the folder."""
        if spec["game"] not in self._library.part_of:
            raise TaskError(f"{self.card.id}: {self._folder} has no playable game {spec['game'][:200]!r}")

    def _task_of(self, task_id: str, part: str) -> Task:
        spec = {"game": task_id}
        return Task(task_id, part, self.instruction(spec), spec)

    def instruction(self, spec: Spec) -> str:
        """The task in words."""
        told = TASK.search(_read(self._folder / spec["game"] / GAME)["grammar"])
        if told is None:
            raise DataError(f"the game {spec['game']} has no sentence that begins with 'Your task is to: '")
        return f"Your task is to: {told.group(1)}."

    def _reset(self, task: Task) -> str:
        path = self._folder / task.spec["game"] / GAME
        self._game = compile_game(load_game(path))
        self._state = self._game.start.copy()
        self._episode = Episode(path, self._pool)
        self._shown = self._episode.begin()
        return first_in(self._wording, str(self._shown["feedback"]))

    def _kind(self, spec: Spec) -> str:
        """The task's type, which begins the name of its folder."""
        return str(spec["game"]).split("/")[-2].partition("-")[0]

    def _step(self, call: Call) -> Outcome:
        if call.name == "think":  # answered beside the engine, whose state stays
            return Outcome(ANSWER, progress=progress(self._game, self._state))
        command = original_words(call)
        if command not in self._shown["admissible_commands"]:
            said = act(self._game, self._state.copy(), call)
            return self.refuse(said.reason if isinstance(said, Refused) else f"{command!r} does nothing now.")
        self._shown = self._episode.step(command)
        act(self._game, self._state, call)
        solved = bool(self._shown["won"])
        return Outcome(
            answer_in(self._wording, self._game, self._state, call, str(self._shown["feedback"])),
            reward=float(solved),
            terminated=solved,
            success=solved,
            progress=progress(self._game, self._state),
        )

    def _refusal(self, reason: str) -> str:
        """The original's sentence, and why."""
        return f"Nothing happens.\n{reason}"

    def _admissible(self) -> list[str]:
        return [command_in(self._wording, command) for command in self._shown["admissible_commands"]]

    def _oracle(self) -> str:
        commands = plan(self._game, self._state)
        return command_in(self._wording, commands[0]) if commands else "look"

    def _expert(self) -> str:
        return command_in(self._wording, next_action(self._game, self._state))

    def _reference(self) -> list[str]:
        """A plan from the beginning."""
        return [command_in(self._wording, command) for command in plan(self._game, self._game.start)]

    def _key_state(self) -> Any:
        state = self._state.copy()
        state.seen = 0
        return state


@dataclass(frozen=True)
class Library:
    """The games of a folder: ids by split, and the split that each id belongs to."""

    splits: dict[str, tuple[str, ...]]
    part_of: dict[str, str]


def check_versions() -> None:
    """The engine is of the packages that were tested.

    Raises:
        MissingExtra: if one is not installed, or in another version.
    """
    package(ALFWORLD.id)
    had = "ALFWORLD_DATA" in os.environ
    os.environ.setdefault("ALFWORLD_DATA", tempfile.gettempdir())  # alfworld makes the folder of this name on import
    try:
        require("alfworld", extra="worlds", purpose=ALFWORLD.id, version=VERSION)
    finally:
        if not had:
            del os.environ["ALFWORLD_DATA"]


@lru_cache(maxsize=8)
def _library(folder: Path) -> Library:
    for name in (TRAIN, *FOLDERS.values()):
        if not (folder / name).is_dir():
            raise DataError(
                f"{folder} has no folder {name!r}; games is the folder of {TRAIN}, valid_seen, valid_unseen"
            )
    train = _games(folder, TRAIN)
    if (folder / VAL).is_dir():
        parts = {"train": train, "val": _games(folder, VAL)}
    else:
        shares = cut_by_hash(train, {"val": VAL_SHARE, "train": 1 - VAL_SHARE})
        parts = {"train": sorted(shares["train"]), "val": sorted(shares["val"])}
    parts |= {split: _games(folder, name) for split, name in FOLDERS.items()}
    splits = {split: tuple(ids) for split, ids in parts.items()}
    splits["test"] = splits["test_seen"] + splits["test_unseen"]
    return Library(splits, {task_id: split for split, ids in parts.items() for task_id in ids})


def _games(folder: Path, name: str) -> Sequence[str]:
    """Paths of the playable trials below a folder, sorted."""
    found = []
    for path in sorted((folder / name).rglob(GAME)):
        game = path.parent.relative_to(folder).as_posix()
        kind = path.parent.parent.name.partition("-")[0]
        playable = kind in TASK_TYPES and "movable" not in game and "Sliced" not in game
        if playable and b'"solvable": false' not in path.read_bytes():
            found.append(game)
    if not found:
        raise DataError(f"{folder / name} holds no playable {GAME}")
    return found


@lru_cache(maxsize=64)
def _read(path: Path) -> dict[str, Any]:
    try:
        raw = json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is no game file ({error})") from None
    if not isinstance(raw, dict) or not isinstance(raw.get("pddl_problem"), str):
        raise DataError(f"{path} is no game file: it must be an object with the text 'pddl_problem'")
    return raw


@lru_cache(maxsize=8)
def _listed(path: str, names: tuple[str, ...], split: str, ids: tuple[str, ...]) -> tuple[str, ...]:
    """The games of a split that a list names, in the order of the list."""
    known = {"/".join(task_id.split("/")[-2:]): task_id for task_id in ids}
    missing = [name for name in names if name not in known]
    if missing or len(set(names)) < len(names) or not names:
        wrong = (
            f"names {missing[0][:200]!r}, which is no playable game of it" if missing else "names a game twice or none"
        )
        raise DataError(f"{path} is no order of the split {split!r}: it {wrong}; give a list of games of that split")
    return tuple(known[name] for name in names)


def _names(path: Path) -> tuple[str, ...]:
    """What a list names: each game by the folder of its task and that of its trial."""
    try:
        text = path.read_text(encoding="utf8")
        if text.lstrip().startswith("["):
            return tuple(f"{entry['task_type']}/{entry['task_id']}" for entry in json.loads(text))
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        expected = "a JSON list of objects with 'task_type' and 'task_id', or a line TASK/TRIAL for each game"
        raise DataError(f"{path} cannot be read as a list of games ({error!r}); expected {expected}") from None
    return tuple(text.split())
