"""Puzzles whose rules are words on the map, after Baba Is You: push the words, and the rules change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import ConfigError, TaskError, unknown
from agentgym.core.generated import EnvConfig, checked, expert_is_oracle, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._baba import board as boards
from agentgym.envs.games._baba import families, levels, motion, picture, solver, views
from agentgym.envs.games._baba.board import IS, MOVES, NOUNS, PROPERTIES, Position, Rule, Rules, read, rules
from agentgym.envs.games._cards.puzzles import BABA_IS_YOU

LEVELS: dict[str, dict[str, Any]] = {
    "easy": {"families": families.ONE_ROOM, "bends": 0},
    "medium": {"families": families.BALROG, "bends": 0},
    "hard": {"families": families.BEYOND, "bends": 0},
    "expert": {"families": families.BEYOND, "bends": 1},
}
VIEWS = ("objects", "grid", "both")
WAIT = solver.WAIT
TURNS = 100
LARGEST = 16
INSTRUCTION = (
    "Win: reach something that is WIN with something that is YOU. The rules of the map are words that lie on it; "
    "pushing words makes rules and breaks them."
)


@dataclass(slots=True)
class State:
    """Where the words and the things lie, as cells of the board, 0 if gone; and of what kind the things are."""

    words: tuple[int, ...]
    things: tuple[int, ...]
    kinds: tuple[str, ...]


def _chosen(names: str | Sequence[str]) -> tuple[str, ...]:
    """The families named, in the order of the full list, each once."""
    wanted = (names,) if isinstance(names, str) else tuple(names)
    if not wanted:
        raise ConfigError("families must name one family at least")
    for name in wanted:
        if name not in families.ALL:
            raise unknown(f"family of {BABA_IS_YOU.id}", name, families.ALL)
    return tuple(name for name in families.ALL if name in wanted)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `BabaIsYouEnv`."""

    level: str = named_level("medium", LEVELS, of="BabaIsYou")
    families: tuple[str, ...] = checked(None, lambda name, value: _chosen(value))
    bends: int = whole(None, 0, 1)
    view: str = one_of("objects", VIEWS, shapes_tasks=False)


class BabaIsYouEnv(LanguageEnv):
    """Win by moving the words that make the rules.

    Description: a map with things and words. Three words in a line, to the right or downwards, are a rule that holds:
    a noun, IS, and a property or another noun. Things that are YOU go where you say, all of them. Words can always be
    pushed, and so can things that are PUSH. Things that are STOP are in the way. What is SINK goes under with the first
    other thing or word in its cell; what is MELT perishes with what is HOT, what is YOU with what is DEFEAT. `rock is
    flag` turns every rock into a flag. A rule ends as soon as its words no longer stand in line. You win when something
    that is YOU is where something is WIN, or is WIN itself. The map has edges that nothing leaves.

    Each task belongs to a family, which is its kind, and is laid out with a plan that is played to prove that it can
    be won. The families of BALROG have its names: `goto_win` (a rule wins already), `make_win` (a word of it lies
    elsewhere), `two_room` (a wall between), `break_stop` (WALL IS STOP must be broken), `maybe_break_stop`,
    `make_you` (something in the other room must become YOU), `make_wall_win`; and `distr_obj`, `distr_rule`,
    `irrelevant_rule`, `distr_win_rule` for things, nouns and rules that distract. Beyond those: `break_defeat`,
    `break_hot`, `fill_sink` (a rock must fill the water), `turn_win` (something must be turned into what wins).

    Observation (`view="objects"`, as in BALROG): the rules that hold, where you are, and every thing and word in
    reading order with the steps to it. A word reads as rule `ball`. `view="grid"`: the rules and the map, words in
    capitals, a point for nothing, `+` between what shares a cell. `view="both"`: both. Before it, what changed.

    Actions: `up`, `right`, `down`, `left`, `idle`; also `move up`, `go up`, `push up`, `wait`. All are possible always;
    where nothing can move, the turn passes.

    Reward: 1 for winning, otherwise 0. The episode ends then (success), when nothing is YOU any more (failure), or
    after 100 turns. Baba Is AI takes off up to 0.9 for the steps it took, and BALROG counts wins, as here. A map that
    can no longer be won does not end the episode.

    Progress: the share of the rules to be made or broken, by the family's plan, that stand as they should, the win
    counted as one more. There are other ways to win, on which it may stay low.

    Splits: `train` without end, `val` and `test` 200 levels each.

    Oracle: a search over all moves that change anything, which finds a short way, not always the shortest. Expert: the
    same, for nothing is hidden. Where none is found, both wait.

    Args:
        level: Named difficulty: `easy` (one room, 10 families), `medium` (the 40 families of BALROG), `hard` (22 beyond
            them), `expert` (these 22, and words lie round a corner); ways to win get longer from one to the next,
            some 7, 11, 17 and 20 moves. `families` and `bends` replace what it says.
        families: Names of families to draw from, such as `("two_room-make_you",)`, or one name.
        bends: Corners, 0 or 1, on the way of a word to where it belongs.
        view: `objects`, `grid` or `both`.

    Source: rules of Baba Is You (Teikari 2019); families after Baba Is AI (Cloos et al. 2024, arXiv:2407.13729), told
    in the manner of BALROG (Paglieri et al. 2024, arXiv:2411.13543).
    """

    card = BABA_IS_YOU
    config = Config()
    grammar = Grammar(
        [
            *(
                Command(
                    name,
                    f"everything that is YOU goes one step {'to the ' if name in ('left', 'right') else ''}{name}, "
                    "pushing what can be pushed.",
                    examples=(name,),
                    variants=(f"move {name}", f"go {name}", f"push {name}", f"step {name}"),
                )
                for name in MOVES
            ),
            Command(WAIT, "wait for one step.", examples=(WAIT,), variants=("wait", "stay")),
        ],
        rules="Reach something that is WIN with something that is YOU. A noun, IS, and a property or noun in a line, "
        "to the right or downwards, are a rule. Push words to make and to break rules. STOP things are in the way, "
        "PUSH things can be pushed; SINK, DEFEAT, and HOT for what is MELT, destroy.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {
                "type": "array",
                "minItems": 1,
                "maxItems": LARGEST,
                "items": {"type": "string", "minLength": 1, "maxLength": 400},
                "description": "rows of names with spaces between: words in capitals, things in small letters, a point "
                "for nothing, + between what shares a cell",
            },
            "family": {"type": "string", "description": "name of the family; may be left out"},
            "goals": {
                "type": "array",
                "maxItems": 4,
                "items": {"type": "string", "maxLength": 40},
                "description": "rules to be made, or broken, such as `not wall is stop`, for the progress",
            },
        },
        optional=["family", "goals"],
    )
    _state: State

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A level of one of the families of `config`; the `seed` decides which, and all that is in it."""
        return levels.make(seed, config.families, config.bends)

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The map."""
        return fingerprint(spec["rows"])

    def check_task(self, spec: Spec) -> None:
        """The rows must be a map with something that is YOU, not won yet, that can be won."""
        _check_rows(spec["rows"])
        for goal in spec.get("goals", ()):
            words = goal.removeprefix("not ").split(" ")
            if len(words) != 3 or words[0] not in NOUNS or words[1] != IS or words[2] not in (*NOUNS, *PROPERTIES):
                raise TaskError(f"a goal is a rule such as 'ball is win' or 'not wall is stop', got {goal!r}")
        board = read(tuple(spec["rows"]))
        active = rules(board.texts, board.first[0], board.stride)
        if not motion.alive(active, board.first) or motion.won(active, board.first):
            raise TaskError("at the start of a level something is YOU, and it has not won yet")
        if solver.solve(board, board.first) is None:
            raise TaskError(f"no way to win was found within {solver.LIMIT} positions of this level")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return INSTRUCTION

    def _kind(self, spec: Spec) -> str:
        return str(spec.get("family", ""))

    def _turn_limit(self, task: Task) -> int:
        return TURNS

    def _reset(self, task: Task) -> str:
        self._board = read(tuple(task.spec["rows"]))
        self._steps = {**dict(zip(MOVES, self._board.steps, strict=True)), WAIT: 0}
        self._goals = [_goal(said) for said in task.spec.get("goals", ())]
        self._way: Any = {}  # the moves of a way to win by position; found anew when the player leaves it
        self._state = State(*self._board.first)
        return f"{task.instruction}\n\n{self._view()}"

    def _position(self) -> Position:
        state = self._state
        return state.words, state.things, state.kinds

    def _rules(self) -> Rules:
        return rules(self._board.texts, self._state.words, self._board.stride)

    def _step(self, call: Call) -> Outcome:
        state, board = self._state, self._board
        before = (state.words, state.things, state.kinds)
        now = motion.after(board, before, self._steps[call.name])
        held = rules(board.texts, state.words, board.stride)
        state.words, state.things, state.kinds = now
        active = rules(board.texts, now[0], board.stride) if now[0] is not before[0] else held
        events = () if active is held else _changed(held.active, active.active)
        won = motion.won(active, now)
        lost = not won and not motion.alive(active, now)
        told = [f"{event['rule']}: this rule {'holds now' if event['holds'] else 'holds no more'}." for event in events]
        if now is before and call.name != WAIT:
            told.append("Nothing moves.")
        elif now[1].count(0) + now[0].count(0) > before[1].count(0) + before[0].count(0):
            told.append("Something perished.")
        if won:
            told.append("You win.")
        elif lost:
            told.append("Nothing is you any more. You lose.")
        told.append(self._seen(active, now))
        return Outcome(
            "\n".join(told),
            float(won),
            terminated=won or lost,
            success=won,
            progress=self._met(active),
            events=events,
        )

    def _met(self, active: Rules) -> float:
        """The share of the goals that stand as they should, the win counted as one more."""
        if not self._goals:
            return 0.0
        met = sum([(rule in active.active) == wanted for rule, wanted in self._goals])
        return met / (len(self._goals) + 1)

    def _view(self) -> str:
        return self._seen(self._rules(), self._position())

    def _seen(self, active: Rules, position: Position) -> str:
        parts = [views.told(active)]
        if self.config.view != "grid":
            parts.append(views.objects(self._board, active, position))
        if self.config.view != "objects":
            parts.append(views.grid(self._board, active, position))
        return "\n\n".join(parts)

    def _admissible(self) -> list[str]:
        return [*MOVES, WAIT]

    def _oracle(self) -> str:
        position = self._position()
        if position not in self._way:
            self._way = solver.way(self._board, position)
        return self._way.get(position, WAIT)

    _expert = expert_is_oracle

    def _reference(self) -> list[str]:
        """Moves that win."""
        return list(solver.solve(self._board, self._board.first) or ())

    def _picture(self) -> NDArray[np.uint8]:
        """The map, uint8 of shape (48 * rows, 48 * columns, 3)."""
        return picture.picture(self._board, self._rules(), self._position())


def _goal(said: str) -> tuple[Rule, bool]:
    """A rule, and whether it is to hold."""
    noun, _, what = said.removeprefix("not ").split(" ")
    return (noun, what), not said.startswith("not ")


def _changed(before: Sequence[Rule], after: Sequence[Rule]) -> list[dict[str, Any]]:
    """The rules that ceased, then those that are new."""
    gone = [(rule, False) for rule in before if rule not in after]
    new = [(rule, True) for rule in after if rule not in before]
    return [{"type": "rule", "rule": f"{noun} is {said}", "holds": holds} for (noun, said), holds in gone + new]


def _check_rows(rows: Sequence[str]) -> None:
    """Rows of equally many cells, of known names, at most one word a cell and none of them together with a thing."""
    cells = [row.split() for row in rows]
    if len({len(line) for line in cells}) != 1 or not 1 <= len(cells[0]) <= LARGEST:
        raise TaskError(f"the rows of a map have equally many cells, 1 to {LARGEST}, with spaces between")
    for cell in (cell for line in cells for cell in line if cell != boards.EMPTY):
        names = cell.split(boards.TOGETHER)
        for name in names:
            if name.lower() not in boards.WORDS or not (name.isupper() or (name.islower() and name in NOUNS)):
                raise TaskError(
                    f"{name[:40]!r} is no word in capitals and no thing in small letters that is known here"
                )
        if len(names) > 4 or (len(names) > 1 and any(map(str.isupper, names))):
            raise TaskError(f"a word lies alone in its cell, and at most 4 things share one, got {cell[:80]!r}")
