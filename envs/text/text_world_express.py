"""TextWorldExpress itself: eight text games in the original engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from agentgym.core.checks import check_whole
from agentgym.core.errors import ConfigError, unknown
from agentgym.core.generated import EnvConfig, checked, object_schema
from agentgym.core.grammar import Call, Grammar, Invalid
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs._kit.engine_world import EngineEnv, check_spelling, chosen_names
from agentgym.envs.text import TEXT_WORLD_EXPRESS
from agentgym.envs.text._text_world_express import engine
from agentgym.envs.text._text_world_express.games import (
    COMMANDS,
    COOKING_TURNS,
    FOLDS,
    GAMES,
    NAMES,
    RULES,
    TURNS,
    ids,
)


def _chosen_games(name: str, given: str | Iterable[str]) -> tuple[str, ...]:
    return chosen_names(name, given, "game of TextWorldExpress", NAMES)


def _chosen_params(name: str, given: str | Mapping[str, int]) -> str:
    """The parameters as the engine reads them."""
    if not isinstance(given, (str, Mapping)):
        raise ConfigError(f"{name} must be a mapping such as {{'numLocations': 5}}, got {given!r}")
    if isinstance(given, str):
        pairs = [part.partition("=")[::2] for part in given.split(",") if part]
        if not all(value.isdecimal() and value.isascii() and len(value) < 6 for _, value in pairs):
            raise ConfigError(f"{name} must be written as 'numLocations=5,includeDoors=0', got {given[:200]!r}")
        given = {key: int(value) for key, value in pairs}
    return ",".join(f"{key}={value}" for key, value in sorted(given.items()))


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `TextWorldExpressEnv`."""

    games: tuple[str, ...] = checked(NAMES, _chosen_games)
    params: str = checked("", _chosen_params)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.params and len(self.games) != 1:
            raise ConfigError(f"params go with a single game, got {len(self.games)} of them")
        for pair in filter(None, self.params.split(",")):
            key, _, value = pair.partition("=")
            known = GAMES[self.games[0]]
            if key not in known:
                raise unknown(f"parameter of {self.games[0]}", key, known)
            check_whole(key, int(value), *known[key])


@dataclass(slots=True)
class State:
    """What the engine said last."""

    score: float
    valid: dict[str, str]  # lower case to the engine's own spelling


class TextWorldExpressEnv(EngineEnv):
    """The eight games of TextWorldExpress in its own engine.

    Description: CookingWorld, TextWorld Commonsense, Coin Collector, Map Reader, Arithmetic, Sorting, Simon Says and
    Pecking Order.

    Observation: the engine's text; the first one holds the task.

    Actions: those of the games, such as `open fridge`, `take coin`, `put coin in box`, `move north`, `read cookbook`,
    in any case. The engine takes what is in its list of valid actions, which `admissible_actions` gives; anything else
    is refused.

    Reward: the change of the engine's score, which is 1 at most. The episode ends with success, failure or after 100
    turns, in CookingWorld, where gold paths may take more, after 200.

    Splits: the seeds that the package names for its folds `train`, `dev` (here `val`) and `test`, 1,000 of each game;
    things, recipes and sums differ between folds. 55 games of Pecking Order in `val` are left out: they hold a thing
    twice, and the engine counts the wrong one. A task's id is its game and seed, such as `coin/20007`; `task_kind` is
    the game.

    Oracle: the engine's gold path. There is no expert.

    Limits: needs Java 11 or newer, and exactly `textworld-express` 1.1.0. One Java process for each Python process,
    ended with it, with at most eight worlds in it; further environments take turns, and a game that was taken away is
    played again. The engine cannot be copied, so a snapshot replays the episode, some 0.3 ms an action. Two histories
    have two state keys, even where they lead to one state.

    Args:
        games: `cookingworld`, `twc`, `coin`, `mapreader`, `arithmetic`, `sorting`, `simonsays`, `peckingorder`; one or
            several. All by default.
        params: Parameters of a single game by the engine's names, such as `{"numLocations": 5, "includeDoors": 0}`.

    Raises:
        MissingExtra: if `textworld-express` is not installed (extra `worlds`), or in another version.

    Source: TextWorldExpress (Jansen and Cote 2023, arXiv:2208.01174), package `textworld-express` 1.1.0, Apache License
    2.0.
    """

    card = TEXT_WORLD_EXPRESS
    config = Config()
    grammar = Grammar(COMMANDS, rules=RULES)
    task_schema: ClassVar[Spec] = object_schema(
        {
            "game": {"type": "string", "enum": list(NAMES)},
            "fold": {"type": "string", "enum": [fold for fold, _ in FOLDS.values()]},
            "seed": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
            "params": {"type": "string", "maxLength": 200},
        }
    )
    _state: State

    def _configured(self) -> None:
        engine.package()

    def tasks(self, split: str) -> TaskSet:
        """The games of a split: the seeds that the package names for the fold."""
        return FiniteTaskSet(split, ids(split, self.config.games), lambda task_id: self._task_of(task_id, split))

    def _task_of(self, task_id: str, split: str) -> Task:
        game, _, seed = task_id.partition("/")
        spec = {"game": game, "fold": FOLDS[split][0], "seed": int(seed), "params": self.config.params}
        return Task(task_id, split, self.instruction(spec), spec)

    def instruction(self, spec: Spec) -> str:
        """The game's name; the engine has the words, which stand in the first observation."""
        return f"Play {spec['game']}."

    def check_task(self, spec: Spec) -> None:
        """The parameters must fit the game."""
        check_spelling("params", spec["params"], lambda: Config((spec["game"],), spec["params"]).params)

    def _kind(self, spec: Spec) -> str:
        """The game."""
        return str(spec["game"])

    def _turn_limit(self, task: Task) -> int:
        return COOKING_TURNS if task.spec["game"] == "cookingworld" else TURNS

    def parse(self, action: str, player: str | None = None) -> Call | Invalid:
        """As everywhere; the words go to the engine, in its own spelling.

        Args:
            action: What is said.
            player: Not needed: the world has one.
        """
        call = super().parse(action, player)
        if isinstance(call, Invalid):
            return call
        said = " ".join(call.said.split()).lower()
        if call.name == "move":
            said = f"move {call['direction']}"
        return Call(call.name, {"said": "look around" if said == "look" else said})

    def _reset(self, task: Task) -> str:
        spec = task.spec
        episode = engine.Episode(spec["game"], spec["params"], spec["fold"], spec["seed"])
        self._start_episode(episode)
        description, first = episode.begin()
        self._state = State(0.0, _spelled(first))
        self._reword(description)
        return f"{description}\n\n{first['observation'].strip()}"

    def _step(self, call: Call) -> Outcome:
        state, said = self._state, call["said"]
        if said not in state.valid:
            return self.refuse(f"{said!r} is not possible now.")
        told = self._episode.step(state.valid[said])
        gain = float(told["score"]) - state.score
        state.score, state.valid = float(told["score"]), _spelled(told)
        over = bool(told["tasksuccess"] or told["taskfailure"] or state.score >= 1)
        return Outcome(
            told["observation"].strip(),
            gain,
            terminated=over,
            success=bool(told["tasksuccess"]),
            progress=min(1.0, max(0.0, state.score)),
        )

    def _metrics(self) -> dict[str, float]:
        return {"score": self._state.score}

    def _admissible(self) -> list[str]:
        return list(self._state.valid.values())

    def _oracle(self) -> str:
        following = self._next_of_gold()
        return following if following.lower() in self._state.valid else self._admissible()[0]


def _spelled(told: Mapping[str, Any]) -> dict[str, str]:
    """The valid actions, found by their lower case."""
    return {" ".join(action.split()).lower(): action for action in told["validActions"]}
