"""Checks of tasks: panels, disjoint splits, task options good and bad, references, leaks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from agentgym.conformance.play import Play, Step, begin, difference, episode, follow, line, transcribe
from agentgym.conformance.subject import Subject
from agentgym.conformance.verdict import NotApplicable, Violation, describe
from agentgym.core import AgentGymError, LanguageEnv, Task, TaskError

ODD_VALUES: tuple[Any, ...] = (None, -1, 10**12, 1e308, "", "\x00" * 50, [], [[]], {}, True)
SHORT = 4  # characters below which a reference text stands everywhere by accident


def panels(subject: Subject) -> str:
    """O3: every split of the card has its panel, of the stated size, with stable unique ids, in a stable order."""
    world, card = subject.world(), subject.card
    for split, size in card.splits.items():
        panel = world.tasks(split)
        if panel.size != size and not card.requires:
            raise Violation(
                f"split {split!r} has {panel.size} tasks, the card says {size}.",
                f"state the true size, or write the panels with  agentgym golden --update {subject.name}.",
            )
        if panel.size is not None and (len(panel) != panel.size or panel.size < 1):
            raise Violation(f"split {split!r} has size {panel.size} and length {len(panel)}.", "let len give the size.")
        for place in subject.places(split, 5):
            _orderly(world, panel[place], split, place)
        if panel.size is not None:
            ids = [panel[place].id for place in subject.places(split, subject.size.keys)]
            if len(set(ids)) < len(ids):
                raise Violation(f"split {split!r} has two tasks of one id.", "give each task an id of its own.")
            if panel[-1] != panel[len(panel) - 1] or [task.id for task in islice(panel, 3)] != [
                panel[place].id for place in range(min(3, len(panel)))
            ]:
                raise Violation(f"split {split!r}: iteration or negative indices go astray.", "use FinitePanel.")
    return ", ".join(f"{split} {world.tasks(split).size or 'endless'}" for split in card.splits)


def _orderly(world: LanguageEnv, task: Task, split: str, place: int) -> None:
    panel = world.tasks(split)
    known = world.card.splits
    if (panel[place], panel.by_id(task.id)) != (task, task):
        raise Violation(
            f"split {split!r}, place {place}: by_id and index give different tasks.", "make tasks from their id alone."
        )
    if (
        not isinstance(task.id, str)
        or not task.instruction
        or task.split not in known
        or not task.split.startswith(split)
    ):
        raise Violation(
            f"split {split!r}, place {place}: {task!r:.200} is no proper task.", "fill id, split and instruction."
        )
    try:
        safe = json.loads(json.dumps(task.spec, allow_nan=False)) == task.spec
    except (TypeError, ValueError):
        safe = False
    if not safe:
        raise Violation(
            f"split {split!r}, place {place}: the specification is not JSON-safe.", "use lists, text and numbers."
        )


def disjoint(subject: Subject) -> str:
    """O3: no two splits share a task's content; a union shares with its own parts only."""
    world = subject.world()
    keys: dict[str, set[str]] = {}
    for split in subject.card.splits:
        panel = world.tasks(split)
        places = subject.places(split, subject.size.keys)
        keys[split] = {world.content_key(panel[place].spec) for place in places}
        if len(keys[split]) < len(places) and panel.size is not None:
            raise Violation(
                f"split {split!r} has tasks of equal content under different ids.",
                "keep one of each content key; SeededTasks.find does.",
            )
    for one in keys:
        for other in keys:
            family = one == other or one.startswith(f"{other}_") or other.startswith(f"{one}_")
            if not family and keys[one] & keys[other]:
                raise Violation(
                    f"splits {one!r} and {other!r} share {len(keys[one] & keys[other])} tasks by content.",
                    "split by content_key, and reject held-out keys when drawing train tasks, as SeededTasks does.",
                )
    return ", ".join(f"{split} {len(found)} keys" for split, found in keys.items())


def task_options(subject: Subject) -> str:
    """O3: a task asked for by id, by index or by its own specification is the one that is played."""
    world = subject.world()
    split = world.split
    custom = 0
    for place in subject.places(split, 3):
        task = world.tasks(split)[place]
        by_index = transcribe(world, Play("nothing", 3, task=place, limit=2)).lines
        observation, given = world.reset(seed=3, options={"task": task.id})
        if given["task_id"] != task.id or json.loads(by_index[0])["info"]["task_id"] != task.id:
            raise Violation(
                f"task {task.id!r} was asked for, {given['task_id']!r} is played.", "leave the choice to LanguageEnv."
            )
        wrong = difference(by_index, [line(Step(None, observation, None, None, None, given)), *follow(world, ["", ""])])
        if wrong:
            raise Violation(
                f"task {task.id!r} by id and by index differ: {wrong}", "let a task depend on its id alone."
            )
        try:
            again, told = world.reset(seed=3, options={"task": dict(task.spec)})
        except TaskError:
            continue  # a world may take no specifications; hostile_tasks checks that it says so
        custom += 1
        if told["split"] != "custom" or again != observation:
            raise Violation(
                f"task {task.id!r} given as its own specification begins otherwise.",
                "let instruction and _reset read the specification alone.",
            )
    drawn = {world.reset(seed=seed)[1]["task_id"] for seed in range(20)}
    size = world.tasks(split).size
    if len(drawn) < 2 and size != 1:
        raise Violation("20 seeds draw one and the same task.", "draw with np_random; leave the choice to LanguageEnv.")
    return (
        f"by id and index; {custom} specifications played" if custom else "by id and index; specifications are refused"
    )


def hostile_tasks(subject: Subject) -> str:
    """O3: a task that does not exist, or cannot be played, raises `TaskError` and leaves the environment usable."""
    world = subject.world()
    size = world.tasks(world.split).size
    beyond = (size, -size - 1) if size is not None else (-1, 2**40)
    bad: list[Any] = ["", "no such task", "\x00", "9" * 400, *beyond, 10**30, 1.5, True, [], b"0", {"no such key": 1}]
    for task in bad:
        _refused(world, task)
    spec = dict(world.tasks(world.split)[0].spec)
    changed = [{name: value for name, value in spec.items() if name != missing} for missing in spec]
    changed += [{**spec, name: value} for name in spec for value in (*ODD_VALUES, *_damaged(spec[name]))]
    for custom in changed:
        try:
            world.reset(seed=0, options={"task": custom})
        except TaskError:
            continue
        except Exception as error:  # any other exception is the finding
            raise Violation(
                f"the task specification {custom!r:.150} raised {describe(error)}",
                "refuse it by task_schema or check_task.",
            ) from error
        world.step(world.sample_action(world.np_random))
    if (
        transcribe(world, Play("random", 1, limit=5)).lines
        != transcribe(subject.make(), Play("random", 1, limit=5)).lines
    ):
        raise Violation(
            "after refused tasks the environment plays otherwise than a new one.", "refuse before changing anything."
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


def _refused(world: LanguageEnv, task: Any) -> None:
    try:
        world.reset(seed=0, options={"task": task})
    except TaskError as error:
        if str(error) and "\n" not in str(error):
            return
        raise Violation(
            f"the refusal of task {task!r:.60} is empty or has several lines.", "say it in one line."
        ) from None
    except Exception as error:  # any other exception is the finding
        raise Violation(f"the task {task!r:.60} raised {describe(error)}", "raise TaskError.") from error
    raise Violation(
        f"the task {task!r:.60} is played.",
        "forbid unknown keys in task_schema and refuse in check_task what cannot be played.",
    )


def references(subject: Subject) -> str:
    """O3: the reference of a test task is refused; elsewhere it is JSON-safe data."""
    tested = [split for split in subject.card.splits if split.startswith("test")]
    for split in tested:
        world = subject.world(split=split)
        world.reset(seed=0)
        try:
            world.reference()
        except TaskError:
            continue
        raise Violation(
            f"reference() answers on split {split!r}.", "implement _reference and leave reference to LanguageEnv."
        )
    if not subject.has("_reference"):
        return f"refused on {', '.join(tested) or 'no split'}; the world has no reference answer"
    reference = _reference(subject)
    try:
        json.dumps(reference, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Violation(f"the reference is not JSON-safe ({error}).", "return plain data.") from None
    return f"refused on {', '.join(tested) or 'no split'}, plain data elsewhere"


def _reference(subject: Subject) -> Any:
    open_splits = [split for split in subject.card.splits if not split.startswith("test")]
    if not open_splits:
        raise NotApplicable("every split is a test split, whose references are not given out")
    world = subject.world(split=open_splits[0])
    world.reset(seed=0)
    return world.reference()


def leaks(subject: Subject) -> str:
    """S4: the reference answer stands nowhere in observation, info or render while the agent has learnt nothing."""
    if not subject.has("_reference"):
        raise NotApplicable("the world has no reference answer to search for")
    splits = [split for split in subject.card.splits if not split.startswith("test")]
    searched = 0
    for split in splits:
        world = subject.world(split=split, render_mode="ansi")
        for place in subject.places(split, 4):
            play = Play("nothing", 5, task=place)
            begin(world, play)
            secrets = _secrets(world)
            for number, step in enumerate(episode(world, play)):
                shown = "\n".join(
                    [str(step.observation), json.dumps(step.info, ensure_ascii=False), str(world.render())]
                )
                for secret in secrets:
                    if re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", shown, re.IGNORECASE):
                        raise Violation(
                            f"split {split!r}, task {world.task.id!r}, answer {number} shows {secret!r:.80}.",
                            "keep gold answers out of observation, info and render until the agent has found them.",
                        )
            searched += len(secrets)
    if not searched:
        raise NotApplicable("the reference uses only words that the task itself, its grammar or its actions show")
    return f"{searched} reference texts searched in whole episodes of an agent that does nothing"


def _secrets(world: LanguageEnv) -> list[str]:
    """Texts of the reference that the agent does not know from instruction, manual or admissible actions."""
    try:
        reference = world.reference()
    except AgentGymError as error:
        raise NotApplicable(str(error)) from None
    known = "\n".join([world.task.instruction, world.manual, *(world.admissible_actions() or [])]).casefold()
    return sorted({text for text in _texts(reference) if len(text) >= SHORT and text.casefold() not in known})


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
