"""Checks of tasks: panels, disjoint splits, task options good and bad, references, leaks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from itertools import islice
from typing import Any

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import NotApplicable, Violation, describe
from agentgym.conformance.play import Play, act, begin, difference, episode, line, stroll, transcribe
from agentgym.core import AgentGymError, Driver, Task, TaskError

ODD_VALUES: tuple[Any, ...] = (None, -1, 10**12, 1e308, "", "\x00" * 50, [], [[]], {}, True)
MARKUP = re.compile(r"<style>.*?</style>|<[^>]*>", re.DOTALL)
NUMBERED = re.compile(r"[^\W\d]+ \d+")
SHORT = 4  # characters below which a reference text stands everywhere by accident


def panels(env: EnvUnderTest) -> str:
    """O3: every split of the card has its panel, of the stated size, with stable unique ids, in a stable order."""
    world, card = env.world().world, env.card
    for split, size in card.splits.items():
        panel = world.tasks(split)
        if panel.size != size and not card.requires:
            raise Violation(
                f"split {split!r} has {panel.size} tasks, the card says {size}.",
                f"state the true size, or write the panels with  agentgym golden --update {env.name}.",
            )
        if panel.size is not None and (len(panel) != panel.size or panel.size < 1):
            raise Violation(f"split {split!r} has size {panel.size} and length {len(panel)}.", "let len give the size.")
        for place in env.places(split, 5):
            _orderly(world, panel[place], split, place)
        if panel.size is not None:
            ids = [panel[place].id for place in env.places(split, env.size.keys)]
            if len(set(ids)) < len(ids):
                raise Violation(f"split {split!r} has two tasks of one id.", "give each task an id of its own.")
            if panel[-1] != panel[len(panel) - 1] or [task.id for task in islice(panel, 3)] != [
                panel[place].id for place in range(min(3, len(panel)))
            ]:
                raise Violation(f"split {split!r}: iteration or negative indices go astray.", "use FiniteTaskSet.")
    return ", ".join(f"{split} {world.tasks(split).size or 'endless'}" for split in card.splits)


def _orderly(world: Any, task: Task, split: str, place: int) -> None:
    panel = world.tasks(split)
    known = world.card.splits
    if (panel[place], panel.by_id(task.id)) != (task, task):
        raise Violation(f"split {split!r}, place {place}: by_id gives another task.", "make tasks from their id alone.")
    if (
        not isinstance(task.id, str)
        or not task.instruction
        or task.split not in known
        or not task.split.startswith(split)
    ):
        raise Violation(f"split {split!r}, place {place}: {task!r:.200} is no task.", "fill id, split and instruction.")
    try:
        safe = json.loads(json.dumps(task.spec, allow_nan=False)) == task.spec
    except (TypeError, ValueError):
        safe = False
    if not safe:
        raise Violation(f"split {split!r}, place {place}: the specification is no JSON.", "use plain data.")


def disjoint(env: EnvUnderTest) -> str:
    """O3: no two splits share a task's content, and none but a published one has it twice.

    A union shares with its own parts only.
    """
    world = env.world().world
    keys: dict[str, set[str]] = {}
    for split in env.card.splits:
        panel = world.tasks(split)
        places = env.places(split, env.size.keys)
        keys[split] = {world.content_key(panel[place].spec) for place in places}
        repeated = len(keys[split]) < len(places)
        if repeated and panel.size is not None and split not in env.card.published:
            raise Violation(
                f"split {split!r} has tasks of equal content.",
                "keep one of each content key; GeneratedTasks.find does.",
            )
    for one in keys:
        for other in keys:
            family = one == other or one.startswith(f"{other}_") or other.startswith(f"{one}_")
            if not family and keys[one] & keys[other]:
                raise Violation(
                    f"splits {one!r} and {other!r} share {len(keys[one] & keys[other])} tasks by content.",
                    "split by content_key, and reject held-out keys when drawing train tasks, as GeneratedTasks does.",
                )
    return ", ".join(f"{split} {len(found)} keys" for split, found in keys.items())


def task_options(env: EnvUnderTest) -> str:
    """O3: a task asked for by id, by index or by its own specification is the one that is played."""
    driver = env.world()
    split = driver.world.split
    custom = 0
    for place in env.places(split, 3):
        task = driver.world.tasks(split)[place]
        by_index, named = _beginning(driver, place)
        by_id, _ = _beginning(driver, task.id)
        if named != {(task.id, task.split)}:
            raise Violation(f"task {task.id!r} was asked for, {named} is played.", "leave the choice to the base.")
        wrong = difference(by_index, by_id)
        if wrong:
            raise Violation(f"task {task.id!r} by id and by index differ: {wrong}", "read the task alone.")
        first = _seen(driver, {"task": task.id})
        try:
            again = _seen(driver, {"task": dict(task.spec)})
        except TaskError:
            continue  # a world may take no specifications; hostile_tasks checks that it says so
        custom += 1
        if again != first or {driver.result(player).info["split"] for player in driver.players} != {"custom"}:
            raise Violation(
                f"task {task.id!r} given as its own specification begins otherwise.",
                "let instruction and _reset read the specification alone.",
            )
    drawn = set()
    for seed in range(20):
        step = begin(driver, Play("random", seed))
        drawn |= {result.info["task_id"] for result in step.results.values()}
    if len(drawn) < 2 and driver.world.tasks(split).size != 1:
        raise Violation("20 seeds draw one and the same task.", "draw with np_random; leave the choice to the base.")
    return (
        f"by id and index; {custom} specifications played" if custom else "by id and index; specifications are refused"
    )


def _beginning(driver: Driver, task: Any) -> tuple[list[str], set[tuple[str, str]]]:
    """The lines of a task's reset and two idle steps, and the ids and splits that are told."""
    step = begin(driver, Play("nothing", 3, task=task))
    named = {(result.info["task_id"], result.info["split"]) for result in step.results.values()}
    told = [line(step)]
    for _ in range(2):
        if not driver.ended:
            told.append(line(act(driver, {})))
    return told, named


def _seen(driver: Driver, options: dict[str, Any]) -> list[Any]:
    driver.reset(seed=3, options=options)
    return [driver.result(player).observation for player in driver.players]


def hostile_tasks(env: EnvUnderTest) -> str:
    """O3: a task that does not exist, or cannot be played, raises `TaskError` and leaves the environment usable."""
    driver = env.world()
    panel = driver.world.tasks(driver.world.split)
    beyond = (panel.size, -panel.size - 1) if panel.size is not None else (-1, 2**40)
    bad: list[Any] = ["", "no such task", "\x00", "9" * 400, *beyond, 10**30, 1.5, True, [], b"0", {"no such key": 1}]
    for task in bad:
        _refused(driver, task)
    spec = dict(panel[0].spec)
    changed = [{name: value for name, value in spec.items() if name != missing} for missing in spec]
    changed += [{**spec, name: value} for name in spec for value in (*ODD_VALUES, *_damaged(spec[name]))]
    for custom in changed:
        try:
            driver.reset(seed=0, options={"task": custom})
        except TaskError:
            continue
        except Exception as error:  # any other exception is the finding
            raise Violation(
                f"the task {custom!r:.150} raised {describe(error)}", "refuse it by task_schema or check_task."
            ) from error
        stroll(driver, driver.world.np_random)
    play = Play("random", 1, limit=5)
    if transcribe(driver, play).lines != transcribe(env.world(), play).lines:
        raise Violation(
            "after refused tasks play differs from that of a new environment.", "refuse before changing anything."
        )
    return f"{len(bad)} impossible tasks and {len(changed)} damaged specifications"


def _damaged(value: Any) -> Iterator[Any]:
    """Values of the same type that are probably wrong."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (0, value + 1, -value, value * 1_000)
    elif isinstance(value, str):
        yield from ("?" * len(value), f" {value}", value[:-1], value * 2)
    elif isinstance(value, list) and value:
        yield from (value[:-1], value * 2, value[::-1], [None, *value[1:]])
        yield from ([changed, *value[1:]] for changed in _damaged(value[0]))
    elif isinstance(value, dict):
        yield from ({**value, key: changed} for key in value for changed in (None, *_damaged(value[key])))


def _refused(driver: Driver, task: Any) -> None:
    try:
        driver.reset(seed=0, options={"task": task})
    except TaskError as error:
        if str(error) and "\n" not in str(error):
            return
        raise Violation(f"the refusal of task {task!r:.60} is not one line.", "say it in one line.") from None
    except Exception as error:  # any other exception is the finding
        raise Violation(f"the task {task!r:.60} raised {describe(error)}", "raise TaskError.") from error
    raise Violation(f"the task {task!r:.60} is played.", "refuse it by task_schema or check_task.")


def references(env: EnvUnderTest) -> str:
    """O3: the reference of a test task is refused; elsewhere it is JSON-safe data."""
    tested = [split for split in env.card.splits if split.startswith("test")]
    for split in tested:
        driver = env.world(split=split)
        driver.reset(seed=0)
        try:
            driver.world.reference()
        except TaskError:
            continue
        raise Violation(f"reference() answers on split {split!r}.", "implement _reference only.")
    if not env.has("_reference"):
        return f"refused on {', '.join(tested) or 'no split'}; the world has no reference answer"
    driver = env.world(split=_open_splits(env)[0])
    driver.reset(seed=0)
    try:
        json.dumps(driver.world.reference(), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Violation(f"the reference is not JSON-safe ({error}).", "return plain data.") from None
    return f"refused on {', '.join(tested) or 'no split'}, plain data elsewhere"


def _open_splits(env: EnvUnderTest) -> list[str]:
    splits = [split for split in env.card.splits if not split.startswith("test")]
    if not splits:
        raise NotApplicable("every split is a test split, whose references are not given out")
    return splits


def leaks(env: EnvUnderTest) -> str:
    """S4: the reference answer stands nowhere in observation, info or render while the agent has learnt nothing.

    A page (`render_mode="html"`) may show an onlooker what the agent cannot see, but not on test.
    """
    if not env.has("_reference"):
        raise NotApplicable("the world has no reference answer to search for")
    searched = _search_pages(env)
    for split in _open_splits(env):
        driver = env.world(split=split, render_mode="ansi")
        for place in env.places(split, 4):
            play = Play("nothing", 5, task=place)
            begin(driver, play)
            secrets = _secrets(driver)
            for number, step in enumerate(episode(driver, play)):
                told = [str(result.observation) for result in step.results.values()]
                told += [json.dumps(result.info, ensure_ascii=False) for result in step.results.values()]
                shown = "\n".join([*told, str(driver.env.render())])
                for secret in secrets:
                    if re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", shown, re.IGNORECASE):
                        raise Violation(
                            f"split {split!r}, task {driver.world.task.id!r}, answer {number} shows {secret!r:.80}.",
                            "keep gold answers out of observation, info and render until the agent has found them.",
                        )
            searched += len(secrets)
    if not searched:
        raise NotApplicable("the reference uses only words that the task itself, its grammar or its actions show")
    return f"{searched} reference texts searched in whole episodes of an agent that does nothing"


def _search_pages(env: EnvUnderTest) -> int:
    """How many texts of references, none of which the agent was told, pages on test were searched for in vain."""
    tested = [split for split in env.card.splits if split.startswith("test")]
    searched = 0
    for split in tested if "html" in env.sample.world.metadata["render_modes"] else ():
        driver = env.world(split=split, render_mode="html")
        for place in env.places(split, 4):
            play = Play("nothing", 5, task=place)
            begin(driver, play)
            secrets, told = set(_names(driver.world._reference())), _told(driver)
            for step in episode(driver, play):
                told = "\n".join([told, *(str(result.observation) for result in step.results.values())]).casefold()
                shown = unescape(MARKUP.sub("\n", driver.env.render())).casefold()
                secrets = {secret for secret in secrets if secret not in told}
                for secret in secrets:
                    if re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", shown):
                        raise Violation(
                            f"split {split!r}, task {driver.world.task.id!r}: the page shows {secret!r:.80}.",
                            "on a split of tests show in a page only what the agent has seen.",
                        )
            searched += len(secrets)
    return searched


def _names(reference: Any) -> Iterator[str]:
    """The texts of a reference, its keys among them, and the numbered names in them, in lower case with spaces."""
    for text in (*_keys(reference), *_texts(reference)):
        words = " ".join(text.replace("_", " ").casefold().split())
        yield from (each for each in (words, *NUMBERED.findall(words)) if len(each) >= SHORT)


def _keys(value: Any) -> Iterator[str]:
    """Every key in plain data."""
    inner: Iterable[Any] = value if isinstance(value, (list, tuple)) else ()
    if isinstance(value, Mapping):
        yield from map(str, value)
        inner = value.values()
    for each in inner:
        yield from _keys(each)


def _secrets(driver: Driver) -> list[str]:
    """Texts of the reference that nobody knows from instruction, manual or admissible actions."""
    try:
        reference = driver.world.reference()
    except AgentGymError as error:
        raise NotApplicable(str(error)) from None
    known = _told(driver)
    return sorted({text for text in _texts(reference) if len(text) >= SHORT and text.casefold() not in known})


def _told(driver: Driver) -> str:
    """Instruction, manual and admissible actions, in lower case."""
    told = [driver.world.task.instruction]
    for player in driver.players:
        told += [driver.told("manual", player), *(driver.admissible_actions(player) or [])]
    return "\n".join(told).casefold()


def _texts(value: Any) -> Iterator[str]:
    """Every text in plain data, and every list of three or more texts as a whole."""
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
        if len(value) >= 3 and all(isinstance(item, str) for item in value):
            yield from (", ".join(value), " ".join(value), "\n".join(value), json.dumps(value))
