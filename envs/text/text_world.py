"""TextWorld itself: games of the package's generator, played by its own engine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, checked, object_schema, one_of, path_to, switch, whole
from agentgym.core.grammar import Call, Command, Grammar, Invalid
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs._kit.engine_world import EngineEnv, chosen_names
from agentgym.envs.text import TEXT_WORLD
from agentgym.envs.text._text_world.engine import Episode, package
from agentgym.envs.text._text_world.games import FOLDS, KINDS, MOST_ROOMS, NAMES
from agentgym.envs.text._text_world.library import game_file, make_all

TURNS, TURNS_A_STEP = 80, 3  # at least, and for each step of the quest
STYLES = ("words", "balrog")
BALROG = {  # its games in its order, with their rooms, objects and quest
    "treasure_hunter": (20, 20, 20), "cooking": (12, 5, 5), "coin_collector": (40, 0, 20),
}  # fmt: skip
SHARES = ("train",) * 8 + ("val", "test")  # the split of a seed by its last digit
DIRECTIONS = ("north", "south", "east", "west")
STATUS = re.compile(r"^>?[ ]+-= [^\n]* =-[0-9]+/[0-9]+[ ]*$", re.MULTILINE)  # as the interpreter draws it
COMMANDS = [
    Command("look", "see the room.", ("look",)),
    Command("inventory", "see what you carry.", ("inventory",)),
    Command("go <direction>", "go to the next room.", ("go north",), ("move <direction>",), {"direction": DIRECTIONS}),
    Command("examine <object>", "look at it closely.", ("examine cookbook",), ("read <object>",)),
    Command("open <object>", "open a door or a container.", ("open fridge",)),
    Command("close <object>", "close it.", ("close fridge",)),
    Command("unlock <object> with <key>", "unlock it with a key that you carry.", ("unlock chest with key",)),
    Command("lock <object> with <key>", "lock it again.", ("lock chest with key",)),
    Command("take <object>", "pick it up.", ("take coin", "take apple from fridge"), ("pick up <object>",)),
    Command("drop <object>", "lay it on the floor.", ("drop coin",)),
    Command("put <object> on <place>", "lay it on something.", ("put apple on table",)),
    Command("insert <object> into <place>", "put it into something.", ("insert apple into fridge",)),
    Command("eat <object>", "eat it.", ("eat meal",)),
    Command("drink <object>", "drink it.", ("drink water",)),
    Command("cook <object> with <tool>", "cook it with a stove, an oven or a grill.", ("cook carrot with stove",)),
    Command("chop <object> with <tool>", "cut it with a knife.", ("chop carrot with knife",)),
    Command("slice <object> with <tool>", "the same, into slices.", ("slice carrot with knife",)),
    Command("dice <object> with <tool>", "the same, into dice.", ("dice carrot with knife",)),
    Command("prepare meal", "make the meal of what you have prepared.", ("prepare meal",)),
]
RULES = "You are in a house of some rooms, among things. The first text says what to do there."


def _chosen_games(name: str, given: str | Iterable[str]) -> tuple[str, ...]:
    return chosen_names(name, given, "game of TextWorld", NAMES)


def _check_size(game: str, rooms: int, objects: int, quest: int) -> None:
    """Three numbers must be ones that the generator takes for a kind of games.

    Raises:
        ConfigError: if they are not.
    """
    kind = KINDS[game]
    for name, value, known in (
        ("rooms", rooms, kind.rooms), ("objects", objects, kind.objects or (0,)), ("quest", quest, kind.quest)
    ):  # fmt: skip
        if value not in known:
            words = f"{known[0]} to {known[-1]}" if len(known) > 6 else ", ".join(map(str, known))
            raise ConfigError(f"{name} of {game} must be one of {words}, got {value}")
    if game == "coin_collector" and not quest <= rooms <= MOST_ROOMS * quest:
        raise ConfigError(f"rooms of coin_collector must be 1 to {MOST_ROOMS} for each step of the quest, got {rooms}")
    if game == "cooking" and objects > quest:
        raise ConfigError(f"objects of cooking (things to fetch) must be at most quest (in the recipe), got {objects}")


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `TextWorldEnv`."""

    games: tuple[str, ...] = checked(NAMES, _chosen_games)
    rooms: int | None = whole(None, 1, 100)
    objects: int | None = whole(None, 0, 40)
    quest: int | None = whole(None, 1, 100)
    only_last_action: bool = switch(True)
    reward: str = one_of("sparse", ("sparse", "dense"), shapes_tasks=False)
    style: str = one_of("words", STYLES)
    folder: Path | None = path_to("a folder or None", shapes_tasks=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.balrog and self.games == NAMES:
            object.__setattr__(self, "games", tuple(BALROG))
        if self.games == ("cooking",) and not self.only_last_action:
            raise ConfigError("cooking tells no single steps; leave only_last_action out, or name other games")
        for game in self.games:
            if self.objects is not None and not KINDS[game].objects:
                raise ConfigError(f"{game} has no other objects than the coin; leave objects out, or name other games")
            _check_size(game, **self.size(game))

    @property
    def balrog(self) -> bool:
        """Whether it is played as BALROG does."""
        return self.style == "balrog"

    def size(self, game: str) -> dict[str, int]:
        """Rooms, objects and quest of a kind of games."""
        sizes = BALROG.get(game, KINDS[game].usual) if self.balrog else KINDS[game].usual
        usual = dict(zip(("rooms", "objects", "quest"), sizes, strict=True))
        return {name: usual[name] if (given := getattr(self, name)) is None else given for name in usual}


@dataclass(slots=True)
class State:
    """What the engine said last."""

    score: int
    progress: float
    valid: dict[str, str]  # lower case to the engine's own spelling
    policy: tuple[str, ...]  # a way from here, as the engine knows one
    way: int  # its length at the beginning


class TextWorldEnv(EngineEnv):
    """Games of TextWorld's generator in its own engine.

    Description: four kinds. `coin_collector`: a way through rooms to a coin. `treasure_hunter`: find one of two things,
    and leave the other; behind doors, in containers. `cooking`: read the recipe, fetch, cut and cook, prepare the meal
    and eat it. `custom`: a quest of any commands in rooms with things, as the package's `tw-make custom` makes it.

    Observation: the engine's text; the first one holds the task. With `style="balrog"` to the letter what BALROG's
    wrapper shows, with the lines of place and score, below the task at first.

    Actions: those of the games, such as `go north`, `open fridge`, `take apple from fridge`, `unlock chest with key`,
    in any case. What is not in the engine's list of admissible commands is refused, and the engine is not asked.

    Reward: `sparse` pays 1 for success, otherwise 0. `dense` pays the change of `info["progress"]`, so that an episode
    returns 0 to 1: in cooking the share of the game's score, otherwise how much shorter the engine's shortest way has
    become, as a share of what it was. The package's `intermediate_reward` is the sign of the same change. The episode
    ends with success, with failure (the wrong thing taken, an ingredient spoiled), or after 80 turns, of a quest with
    more than 26 steps after three for each.

    With `style="balrog"` `info["progress"]` is BALROG's: the share of the game's score, and 1 for success.

    Splits: a task's id is a seed; its last digit says the split: 0 to 7 `train`, 8 `val`, 9 `test`. In cooking the
    generator deals ingredients and ways to prepare them to the three as well. `val` and `test` are fixed lists of 32
    seeds, and the default plays the four kinds in turn; of the first 30 BALROG's three kinds take ten each, as many as
    it plays. `task_kind` is the kind. Small games (few rooms, a short
    quest) of different seeds may have the same map under other names.

    Oracle: the engine's own way to win from where the episode stands, at its beginning the walkthrough of the game (in
    cooking without reading the recipe). `reference` is the generator's walkthrough. There is no expert.

    Games are made when they are first played, which takes some seconds, and are kept in a folder named after what they
    are made of; `prepare` makes many at a time. Without `folder` that is in the cache of this package, which stands in
    the home directory unless `$AGENTGYM_CACHE` says otherwise; nothing else goes there, as the compilers get a
    temporary home.

    Limits: exactly `textworld` 1.7.0, on Linux and macOS. The generator rejects seeds whose map or quest fails, and the
    next seed of the same stream is tried, up to 50. At most eight interpreters in a Python process; further
    environments take turns, and a game that was taken away is played again. Each interpreter is a process of its own:
    one that is killed ends the episode as a failure, and the next reset takes another. A snapshot replays the episode,
    at the cost of a reset (20 to 200 ms) and some 2 ms for every action that was played. Two histories have two state
    keys, even where they lead to one state.

    Args:
        games: `custom`, `coin_collector`, `treasure_hunter`, `cooking`; one or several. All by default.
        rooms: Rooms: custom 1 to 30; coin_collector 1 to 100, one to four times the quest; treasure_hunter 2 to 30;
            cooking 1, 6, 9 or 12. None: 4, 10, 10, 6.
        objects: Objects: custom 1 to 40; treasure_hunter 0 (easy), 10 (medium: closed doors and containers) or 20
            (hard: locked ones); cooking 0 to 5 ingredients to fetch, at most `quest`. None: 6, -, 10, 1.
        quest: Steps of the quest: custom 1 to 12; coin_collector 1 to 100; treasure_hunter 1 to 20; cooking 1 to 5
            ingredients of the recipe. None: 4, 5, 4, 2.
        only_last_action: Whether the task is told by the last step alone, as `lift the coin`, or step by step, as the
            package tells it by default; the way is then known. Cooking always names the recipe.
        reward: `sparse` or `dense`.
        style: `words`, or `balrog`: the three games of BALROG (not `custom`) in its sizes, 80 turns, its text and its
            progress. What BALROG plays is downloaded apart, so these are other games of the same generator, with 12
            rooms in cooking, where it says 13.
        folder: Where games are kept; None for `text_world` in the cache folder, `$AGENTGYM_CACHE`.

    Raises:
        MissingExtra: if `textworld` is not installed (extra `worlds`), or in another version.

    Source: TextWorld (Cote et al. 2018, arXiv:1806.11532), package `textworld` 1.7.0, MIT; sizes, text and progress of
    BALROG (Paglieri et al. 2024, arXiv:2411.13543).
    """

    card = TEXT_WORLD
    config = Config()
    grammar = Grammar(COMMANDS, rules=RULES)
    task_schema: ClassVar[Spec] = object_schema(
        {
            "game": {"type": "string", "enum": list(NAMES)},
            "rooms": {"type": "integer", "minimum": 1, "maximum": 100},
            "objects": {"type": "integer", "minimum": 0, "maximum": 40},
            "quest": {"type": "integer", "minimum": 1, "maximum": 100},
            "only_last_action": {"type": "boolean"},
            "fold": {"type": "string", "enum": list(FOLDS.values())},
            "seed": {"type": "integer", "minimum": 0, "maximum": 10**15},
        }
    )
    _state: State

    def _configured(self) -> None:
        package()

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """The kind and size of a game, and the seed from which its engine makes it.

        Args:
            config: Kinds to take in turn, how large each is, and what its rewards are for.
            seed: Its last digit says which part of the words is used, the others the kind.
        """
        game = config.games[seed // 10 % len(config.games)]
        rest = {"only_last_action": config.only_last_action, "fold": FOLDS[SHARES[seed % 10]], "seed": seed}
        return {"game": game, **config.size(game), **rest}

    @staticmethod
    def fits_seed(config: Config, split: str, seed: int) -> bool:
        """Whether a `seed` belongs to a `split`, which its last digit says; `config` says nothing on that."""
        return SHARES[seed % 10] == split

    def check_task(self, spec: Spec) -> None:
        """The generator must take the numbers."""
        try:
            _check_size(spec["game"], spec["rooms"], spec["objects"], spec["quest"])
        except ConfigError as error:
            raise TaskError(f"{self.card.id}: {error}") from None

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The kind of game; the engine has the words, which stand in the first observation."""
        return f"Play {spec['game']}."

    def _kind(self, spec: Spec) -> str:
        """The kind of game."""
        return str(spec["game"])

    def _turn_limit(self, task: Task) -> int:
        return TURNS if self.config.balrog else max(TURNS, TURNS_A_STEP * int(task.spec["quest"]))

    def prepare(self, split: str, count: int, workers: int | None = None) -> None:
        """Make the first games of a split, several at a time, with a progress bar on the terminal.

        Args:
            split: `train`, `val` or `test`.
            count: How many.
            workers: Games made at a time; by default as many as there are processors.
        """
        tasks = self.tasks(split)
        make_all(self.config.folder, [tasks[index].spec for index in range(count)], workers)

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
        if call.name == "go":
            said = f"go {call['direction']}"
        for other, word in (("read ", "examine "), ("pick up ", "take ")):
            if said.startswith(other):
                said = word + said.removeprefix(other)
        return Call(call.name, {"said": said})

    def _reset(self, task: Task) -> str:
        episode = Episode(game_file(self.config.folder, task.spec))
        self._start_episode(episode)
        shown = episode.begin()
        objective = " ".join(str(shown["objective"]).split())
        self._state = State(0, 0.0, {}, (), len(shown["policy_commands"] or ()))
        self._note(shown)
        self._reword(objective)
        self._objective = str(shown["objective"])
        return f"{objective}\n\n{self._told(shown)}"

    def _step(self, call: Call) -> Outcome:
        state, said = self._state, call["said"]
        if said not in state.valid:
            return self.refuse(f"{said!r} is not possible now.")
        shown = self._episode.step(state.valid[said])
        before = state.progress
        self._note(shown)
        won, lost = bool(shown["won"]), bool(shown["lost"])
        reward = float(won) if self.config.reward == "sparse" else state.progress - before
        return Outcome(self._told(shown), reward, terminated=won or lost, success=won, progress=state.progress)

    def _told(self, shown: Any) -> str:
        """The engine's text without the task; for BALROG all that follows it, as the engine prints it."""
        scene = str(shown["feedback"]).rpartition(self._objective)[-1]
        return scene.strip() if self.config.balrog else _plain(scene)

    def _note(self, shown: Any) -> None:
        """Keep what the engine says of a state."""
        state = self._state
        state.score = int(shown["score"] or 0)
        state.policy = tuple(shown["policy_commands"] or ())
        state.valid = {" ".join(command.split()).lower(): command for command in shown["admissible_commands"]}
        self._max_score = int(shown["max_score"])
        if shown["won"]:
            state.progress = 1.0
        elif self.config.balrog or self.task.spec["game"] == "cooking":
            state.progress = state.score / self._max_score
        else:
            left = len(state.policy) or state.way  # no way is known after a failure
            state.progress = max(0.0, 1 - left / state.way) if state.way else 0.0

    def _metrics(self) -> dict[str, float]:
        return {"score": float(self._state.score), "max_score": float(self._max_score)}

    def _admissible(self) -> list[str]:
        return list(self._state.valid.values())

    def _oracle(self) -> str:
        state = self._state
        following = next(iter(state.policy), "")
        return following if following.lower() in state.valid else "look"


def _plain(text: str) -> str:
    """What the engine prints, without its prompt, its line of place and score, and runs of empty lines."""
    lines = [line.rstrip() for line in STATUS.sub("", text).strip().removesuffix(">").rstrip().splitlines()]
    kept = [line for place, line in enumerate(lines) if line or (place and lines[place - 1])]
    return "\n".join(kept).strip()
