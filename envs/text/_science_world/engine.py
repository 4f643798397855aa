"""ScienceWorld's simulator in the Java machine of the process: its worlds, and what an episode has played."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from agentgym.core.errors import EngineFailure, require
from agentgym.envs._kit.class_file import with_clearing, with_hash_code, with_memory
from agentgym.envs._kit.engine_pool import EnginePool
from agentgym.envs._kit.engine_world import EngineEpisode
from agentgym.envs._kit.java import JavaWorld
from agentgym.envs.text import SCIENCE_WORLD

VERSION = "1.2.3"
MOST = 8  # worlds in the machine of a process; each takes some 30 MB
INTERFACE = "scienceworld.runtime.pythonapi.PythonInterface"
AGENT = "scienceworld.runtime.AgentInterface"
OBJECT = "scienceworld.struct.EnvObject"
PARSER = "scienceworld.input.InputParser"
WORDS = f"{PARSER}$"  # what it does not need an object for
REFERENTS, TOKENS = "getObjectReferents", "tokenize"
AMBIGUOUS = "Ambiguous request: Please enter the number for the action you intended"
UNKNOWN = "No known action matches that input."
LOOK_AT, FOCUS = "look at ", "focus on "
BETWEEN = (" to ", " into ", " on ")  # what stands between two things, in the simulator's lists


class Answer(NamedTuple):
    """What the simulator says to an action: its text, the score from -1 to 1, and whether the task is done."""

    text: str
    score: float
    completed: bool


class Goals(NamedTuple):
    """Sub-goals: those done and all, of the ordered ones and of the optional ones."""

    ordered: int
    of_ordered: int
    optional: int
    of_optional: int


def package() -> Any:
    """The package.

    Raises:
        MissingExtra: if it is not installed, or in another version.
    """
    return require("scienceworld.constants", extra="worlds", purpose=SCIENCE_WORLD.id, version=VERSION)


@cache
def _changed(jar: str) -> dict[str, bytes]:
    """Classes of the simulator, changed.

    Objects are equal by their number and stand in hash sets, but version 1.2.3 gives them no hash code, so the order of
    those sets follows memory addresses, and with it which animal a gold path takes, or what is heated first.

    Its parser makes the words for each thing, and cuts them into tokens, again and again for one action; here the words
    are remembered while it reads the action, and tokens until another task is loaded.
    """
    with ZipFile(jar) as classes:
        found = {name: classes.read(f"{name.replace('.', '/')}.class") for name in (OBJECT, PARSER, WORDS)}
    text, thing = "java/lang/String", OBJECT.replace(".", "/")
    words = with_memory(found[WORDS], TOKENS, (text,), f"[L{text};")
    parts = (text, thing, thing, "scienceworld/objects/agent/Agent", "scienceworld/tasks/goals/ObjMonitor",
             "scienceworld/tasks/goals/GoalSequence", thing)  # fmt: skip
    kind = f"({''.join(f'L{part};' for part in parts)})Lscala/Tuple4;"
    return {
        OBJECT: with_hash_code(found[OBJECT], "uuid"),
        PARSER: with_clearing(found[PARSER], "parse", kind, len(parts), (WORDS.replace(".", "/"), REFERENTS)),
        WORDS: with_memory(words, REFERENTS, (thing, thing), f"[L{text};"),
    }


class Simulator(JavaWorld):
    """One world of the simulator; a task is loaded into it again and again.

    What the package's `step` asks beside the answer (the view, the inventory, all valid actions) is asked when it is
    wanted. The simulator's own interface also writes a history of views, which is left out.
    """

    def __init__(self) -> None:
        jar = str(Path(package().JAR_PATH))
        super().__init__(SCIENCE_WORLD.id, package().BASEPATH, jar, INTERFACE, _changed(jar))

    def _load_classes(self, jar: str, given: dict[str, bytes]) -> None:
        super()._load_classes(jar, given)
        self._classes.remember(WORDS, REFERENTS)
        self._tokens = self._classes.remember(WORDS, TOKENS)
        self._load = self._classes.method(INTERFACE, "load", str, int, str, bool)
        self._act = self._classes.method(AGENT, "step", str)
        self._parts = {
            part: self._classes.method(owner, part)
            for owner, part in (
                (AGENT, "inputParser"), (AGENT, "universe"), (AGENT, "agent"), (AGENT, "objMonitor"), (AGENT, "task"),
                ("scienceworld.tasks.Task", "goalSequence"), (OBJECT, "getContainer"), ("scala.Option", "get"),
                (PARSER, "clearAmbiguousState"),
            )
        }  # fmt: skip
        self._parse = self._classes.method(
            PARSER, "parse", str, OBJECT, OBJECT, "scienceworld.objects.agent.Agent",
            "scienceworld.tasks.goals.ObjMonitor", "scienceworld.tasks.goals.GoalSequence", OBJECT,
        )  # fmt: skip
        self._step: Callable[[str], str] | None = None

    def load(self, task: str, variation: int, simplifications: str, *, gold: bool = False) -> None:
        """Begin a task.

        Args:
            task: Its name.
            variation: Its number.
            simplifications: As the simulator reads them, with commas.
            gold: Whether the simulator looks for a gold path first, which takes a second.
        """
        arguments = (self._interface, task, variation, simplifications, gold)
        wrong = self.machine.call(self._classes.invoke, self._load, *arguments)
        if wrong:
            raise EngineFailure(f"the simulator cannot load {task} {variation}: {wrong}")
        self._step = self.machine.call(self._bind)

    def _part(self, name: str, whole: Any) -> Any:
        return self._classes.invoke(self._parts[name], whole)

    def _bind(self) -> Callable[[str], str]:
        self._tokens.clear()
        self._playing = self._part("get", self._ask("agentInterface"))
        return self._classes.function(self._act, self._playing)

    def step(self, action: str) -> Answer:
        """Play an action in the simulator's own words."""
        assert self._step is not None
        told = self.machine.call(self._step, action)  # a tuple as text: (words,number,flag)
        words, score, completed = told[1:-1].rsplit(",", 2)
        return Answer(words, float(score), completed == "true")

    def look(self) -> str:
        """What the agent sees, without acting."""
        return self._text("freeActionLook")

    def description(self) -> str:
        """The task in words."""
        return self._text("getTaskDescription")

    def objects(self) -> list[str]:
        """The words for what is there."""
        return self._list("getPossibleObjects")

    def valid(self) -> list[str]:
        """All actions that are valid now, sorted; it takes tens of milliseconds.

        The simulator lists actions with things in closed containers too, which its parser then does not know: each
        thing is named to the parser once, and what it does not know is left out.
        """
        listed = self._list("getValidActionObjectCombinations")
        things = [action.removeprefix(LOOK_AT) for action in listed if action.startswith(LOOK_AT)]
        known = self.machine.call(self._known, things)
        unknown = frozenset(things) - known
        return sorted({action for action in listed if not _names(action, unknown, known)})

    def _known(self, things: list[str]) -> frozenset[str]:
        """The things that the simulator's parser knows where the agent stands."""
        agent, parser = self._part("agent", self._playing), self._part("inputParser", self._playing)
        place = self._part("get", self._part("getContainer", agent))
        parse = self._classes.function(
            self._parse, parser, place, self._part("universe", self._playing), agent,
            self._part("objMonitor", self._playing),
            self._part("goalSequence", self._part("task", self._playing)), place,
        )  # fmt: skip
        found = set()
        for thing in things:
            told = parse(LOOK_AT + thing)  # (understood,wrong,words,action)
            if told.startswith("(true,") or AMBIGUOUS in told:
                found.add(thing)
            if AMBIGUOUS in told:
                self._part("clearAmbiguousState", parser)
        return frozenset(found)

    def gold(self) -> list[str]:
        """The gold path, if the task was loaded with it."""
        return self._list("getGoldActionSequence")

    def goals(self) -> Goals:
        """How many sub-goals are done."""
        ordered, _, optional = self._text("getGoalProgressStr").partition("Unordered and Optional Subgoals:")
        counts = [
            (sum(row.split("\t")[1] == "true" for row in rows), len(rows))
            for rows in ([row for row in part.splitlines() if row[:1].isdigit()] for part in (ordered, optional))
        ]
        return Goals(*counts[0], *counts[1])


def _names(action: str, unknown: frozenset[str], known: frozenset[str]) -> bool:
    """Whether an action names a thing that is not known."""
    words = action.split(" ")
    if any(" ".join(words[place:]) in known for place in (1, 2)):
        return False
    if any(" ".join(words[place:]) in unknown for place in (1, 2)):
        return True
    for between in BETWEEN:
        end = action.find(between)
        while end >= 0:
            pair = action[:end].partition(" ")[2], action[end + len(between) :]
            if all(each in known or each in unknown for each in pair):
                return any(each in unknown for each in pair)
            end = action.find(between, end + 1)
    return False  # it names none, or a room to teleport to


POOL = EnginePool(Simulator, MOST)


class Episode(EngineEpisode):
    """A task, its variation and its simplifications, and what was played."""

    @property
    def pool(self) -> EnginePool:
        """The simulator's worlds in this process."""
        return POOL

    def load(self, world: Simulator) -> None:
        """Begin the task in a world."""
        world.load(*self.spec)

    def begin(self) -> tuple[str, str, Goals]:
        """Load the task: its words, what the agent sees, and the sub-goals."""
        with self.world(begin=True) as world:
            self.load(world)
            return world.description(), world.look(), world.goals()

    def gold(self) -> list[str]:
        """The simulator's gold path, as far as it goes, without actions in it that its parser does not know.

        Where it ends at the wrong answer box, as in a few crossings of plants and tests of conductivity, the right one
        is taken.
        """
        other = Episode(*self.spec)
        with other.world(begin=True) as world:
            world.load(*self.spec, gold=True)
            path, failed = self._known(world, world.gold())  # looking for it drew random numbers, so it is loaded anew
            for choice in _other_answers(world, path[-1]) if failed else ():
                tried, failed = self._known(world, [*path[:-1], choice])
                if not failed:
                    path = tried
                    break
            return [" ".join(action.split()).lower() for action in path]  # as they are played

    def _known(self, world: Simulator, actions: list[str]) -> tuple[list[str], bool]:
        """Load the task and play actions until it ends: those that the parser knows, and whether the task failed."""
        world.load(*self.spec)
        path = []
        for action in actions:
            answer = world.step(action)
            if answer.text != UNKNOWN:
                path.append(action)
            if answer.completed or answer.score < 0:
                return path, answer.score < 0
        return path, False


def _other_answers(world: Simulator, last: str) -> list[str]:
    """What a path may have had to end with instead: a focus on another thing of its kind, another box to put into."""
    if last.startswith(FOCUS):
        kind = last.split()[-1]
        return [each for each in world.valid() if each.startswith(FOCUS) and each.endswith(f" {kind}")]
    put, into, box = last.rpartition(" to ")
    return [f"{put}{into}{each}" for each in sorted(world.objects()) if each.endswith(" box") and box.endswith(" box")]
