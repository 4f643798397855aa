"""The parts of the study: worlds, ways to come to a policy, their order, and how one is measured and written down."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import agentgym
from agentgym.agents.pretrained import load_pretrained
from agentgym.agents.prompt import CHAT
from agentgym.core import AgentGymError, fingerprint
from agentgym.core.files import read_object, write_whole
from agentgym.evaluate import success_rate
from agentgym.report import machine
from agentgym.rollout import Episode
from agentgym.train import HuggingFaceEngine, Recipe, evaluate_policy, read_lines, read_recipe, recipe_table, run_recipe
from agentgym.train.evaluation import make_world

COMMAND = "python -m agentgym.baselines.pretrained"
SEEDS, TESTS, TEST_SEED, AT_ONCE = 3, 80, 4711, 64
ROOM = 32  # tokens that an answer may have at least where the manual allows thinking
SHOWN = 3  # test episodes of a part that are kept in words
RECIPE = "smollm2_grpo"


@dataclass(frozen=True)
class Size:
    """What an episode of the expert takes under the recipes' prompt, counted with the model's tokenizer.

    Attributes:
        tokens: Of the whole conversation.
        said: Those of them that the expert says.
        turns: How often it speaks.
        manual: Further tokens where the manual is shown.
    """

    tokens: int
    said: int
    turns: float
    manual: int


WORLDS = {  # in the order in which they are played
    "SearchQA-v0": Size(207, 19, 2.1, 133),
    "TextCraft-v1": Size(195, 35, 3.4, 195),
    "FrozenLake-v0": Size(162, 6, 3.0, 117),
    "TicTacToe-v0": Size(224, 11, 2.7, 200),
    "PythonMath-v0": Size(206, 100, 2.0, 290),
}


@dataclass(frozen=True)
class Arm:
    """A way to come to a policy.

    Attributes:
        title: In tables.
        recipe: What it is trained by.
        stage: `as it comes`, `cloned`, or `played`: which parts of the recipe are carried out.
        changes: Values of the recipe by dotted key.
        cloned: The arm that it begins with.
    """

    title: str
    recipe: str = RECIPE
    stage: str = "as it comes"
    changes: Mapping[str, Any] = field(default_factory=dict)
    cloned: str = ""


# All weights take a tenth of the rates of adapters (Schulman et al. 2025), as in the defaults for pretrained weights.
ALL_WEIGHTS = {"model.lora": 0, "clone.learning_rate": 1e-4, "update.learning_rate": 3e-5}
ARMS = {
    "base": Arm("as it comes"),
    "asked": Arm("as it comes, with the manual, likeliest words"),
    "cloned": Arm("cloned from the expert", stage="cloned"),
    "grpo": Arm("cloned, then GRPO", stage="played", cloned="cloned"),
    "gigpo": Arm("cloned, then GiGPO", "smollm2_gigpo", "played", cloned="cloned"),
    "cloned_all": Arm("cloned, all weights", stage="cloned", changes=ALL_WEIGHTS),
    "grpo_all": Arm("cloned, then GRPO, all weights", stage="played", changes=ALL_WEIGHTS, cloned="cloned_all"),
}
UNTRAINED = ("base", "asked")
ALL_IN = "FrozenLake-v0"  # where all weights are trained too: its episodes are the shortest


@dataclass(frozen=True)
class Part:
    """One thing to measure: an arm in a world, with a seed."""

    world: str
    arm: str
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.world}, {ARMS[self.arm].title}, seed {self.seed}"


def stages(worlds: Sequence[str], seeds: int) -> list[tuple[str, list[Part]]]:
    """What is measured, in its order, under headings; no part stands twice.

    Args:
        worlds: Names.
        seeds: How many each arm is to have in the end.
    """
    first, *rest = worlds
    whole = ALL_IN if ALL_IN in worlds else first
    everything = ("cloned", "grpo", "gigpo")
    found = [
        (
            f"{first}: cloned and GRPO, {seeds} seeds",
            [Part(first, arm) for arm in UNTRAINED]
            + [Part(first, arm, seed) for seed in range(seeds) for arm in ("cloned", "grpo")],
        ),
        *((f"{name}: all methods, one seed", [Part(name, arm) for arm in (*UNTRAINED, *everything)]) for name in rest),
        (f"{first}: GiGPO, one seed", [Part(first, "gigpo")]),
        (f"{whole}: all weights, one seed", [Part(whole, arm) for arm in ("cloned_all", "grpo_all")]),
    ]
    done = {part for _, parts in found for part in parts}
    further = [Part(world, arm, seed) for seed in range(seeds) for world in worlds for arm in everything]
    found.append(("all methods everywhere, further seeds", [part for part in further if part not in done]))
    return [(title, parts) for title, parts in found if parts]


def table_of(part: Part, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The recipe of a part, as far as its arm carries it out.

    Args:
        part: Which one.
        changes: Further values by dotted key.
    """
    arm = ARMS[part.arm]
    table = recipe_table(arm.recipe, {"world.id": part.world, "seed": part.seed, **arm.changes, **(changes or {})})
    if arm.stage == "as it comes":
        return {key: value for key, value in table.items() if key in ("world", "model", "seed")}
    return _clone_of(table) if arm.stage == "cloned" else table


def _clone_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """What of a recipe comes before the first round; the arms of a world and a seed share it."""
    kept = {key: table[key] for key in ("world", "model", "clone", "seed")}
    return {**kept, "update": {"updates": 0, "micro_tokens": table["update"]["micro_tokens"]}}


def policy_of(part: Part, table: Mapping[str, Any], runs: Path) -> tuple[HuggingFaceEngine, Recipe, dict[str, Any]]:
    """The policy of a part, trained now or before; its recipe, and how the training went.

    Args:
        part: Which one.
        table: Its recipe.
        runs: Folder of the trainings.
    """
    if part.arm in UNTRAINED:
        recipe = read_recipe({**table, "clone": {"episodes": 1}})  # no recipe teaches nothing
        return _as_it_comes(part, recipe), recipe, {}
    taught = _clone_of(table)
    home = runs / f"{part.world}-cloned-{fingerprint(taught)[:12]}"
    trainer = run_recipe(taught, home)
    steps: list[dict[str, Any]] = read_lines(home / "clone.jsonl")
    how: dict[str, Any] = {
        "columns": ["step", "loss"],
        "curve": [[each["update"] + 1, round(each["loss"], 4)] for each in steps],
    }
    if ARMS[part.arm].stage == "played":
        trainer = run_recipe(table, runs / f"{part.world}-{part.arm}-{fingerprint(table)[:12]}", begin=home / "cloned")
        steps = trainer.history
        how = {
            "columns": ["update", "success", "return", "valid"],
            "curve": [
                [each["update"] + 1, *(round(each[name], 4) for name in ("success", "return", "valid"))]
                for each in steps
            ],
            "episodes": sum(each["episodes"] for each in steps),
        }
    tokens = sum(each["tokens"] for each in steps)
    return trainer.engine, trainer.recipe, {**how, "tokens": tokens, "seconds": _seconds(steps)}


def _as_it_comes(part: Part, recipe: Recipe) -> HuggingFaceEngine:
    model, room = recipe.model, recipe.model.max_new_tokens
    if part.arm == "asked":
        return load_pretrained(
            str(model.name), max(ROOM, room), "auto", device=model.device, temperature=0.0, prompt=CHAT
        )  # fmt: skip
    return load_pretrained(str(model.name), room, "auto", device=model.device, prompt=recipe.prompt)


def _seconds(steps: Sequence[Mapping[str, Any]]) -> float:
    return round(math.fsum(each["seconds"] for each in steps), 1)


def tested(engine: HuggingFaceEngine, recipe: Recipe, tests: int) -> dict[str, Any]:
    """How a policy does on the first tasks of `test`: figures, and some episodes in words.

    A game is played against its strongest opponent, each task from every place.

    Args:
        engine: The policy.
        recipe: Where it plays.
        tests: Most episodes.
    """
    world, began = make_world(recipe.world, "test", contain=True), time.perf_counter()
    try:
        places = len(world.players)
        count = min(max(1, tests // places), world.size or tests)
        rival = world.opponents[-1] if places > 1 else ""
        played = evaluate_policy(
            engine, world, range(count), seed=TEST_SEED, max_concurrent=AT_ONCE, opponent=rival
        )  # fmt: skip
    finally:
        world.close()
    by_task: list[list[Episode]] = [[] for _ in range(count)]
    for episode in played:
        if not episode.failed:
            by_task[episode.group].append(episode)
    scored = [episode for own in by_task for episode in own]
    if not scored:
        raise AgentGymError(f"{recipe.world.id} failed in all {len(played)} test episodes: {played[-1].failure}")
    turns = [turn for episode in scored for turn in episode.turns]
    return {
        "tasks": count,
        "episodes": len(scored),
        "left_out": len(played) - len(scored),
        "success": asdict(success_rate([[each.success for each in own] for own in by_task if own])),
        "wins": [sum(each.success for each in own) / len(own) if own else None for own in by_task],
        "valid": round(sum(turn.valid for turn in turns) / max(1, len(turns)), 4),
        "turns": round(len(turns) / len(scored), 2),
        "seconds": round(time.perf_counter() - began, 1),
        "transcripts": [_words(episode) for episode in scored[:SHOWN]],
    }


def _words(episode: Episode) -> dict[str, Any]:
    turns = [{"seen": turn.observation, "said": turn.action, "reward": turn.reward} for turn in episode.turns]
    return {"task": episode.task_id, "player": episode.player, "success": episode.success, "turns": turns,
            "final": episode.final}  # fmt: skip


def _known(out: Path, part: Part) -> dict[str, Any]:
    file = out / f"{part.world}.json"
    return read_object(file) if file.exists() else {"world": part.world, "arms": {}}


def _same(entry: Mapping[str, Any] | None, recipe: Mapping[str, Any], tests: int) -> bool:
    return entry is not None and (entry["recipe"], entry["tests"]) == (json.loads(json.dumps(recipe)), tests)


def _of_all_seeds(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key != "seed"}


def measured(part: Part, out: Path, runs: Path, tests: int = TESTS, changes: Mapping[str, Any] | None = None) -> bool:
    """Measure a part and write it down, unless that was done.

    Args:
        part: Which one.
        out: Folder of the records.
        runs: Folder of the trainings.
        tests: Most test episodes.
        changes: Values of its recipe by dotted key.

    Returns:
        Whether there was something to do.
    """
    table = table_of(part, changes)
    recipe, entry = _of_all_seeds(table), _known(out, part)["arms"].get(part.arm)
    if _same(entry, recipe, tests) and str(part.seed) in entry["seeds"]:
        return False
    engine, whole, how = policy_of(part, table, runs)
    found = {"training": how, **tested(engine, whole, tests)}
    record = _known(out, part)
    entry = record["arms"].get(part.arm)
    if not _same(entry, recipe, tests):
        entry = record["arms"][part.arm] = {"recipe": recipe, "tests": tests, "seeds": {}}
    entry["seeds"][str(part.seed)] = found
    facts = {"command": f"{COMMAND} --out FOLDER", "version": agentgym.__version__, "machine": machine()}
    write_whole(out / f"{part.world}.json", json.dumps({**record, **facts}, indent=1) + "\n")
    return True
