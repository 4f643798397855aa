"""The practitioner's study: what makes RL over many turns work, by size of the task, reward, method and budget.

    agentgym reproduce practitioner
    python -m agentgym.baselines.practitioner practitioner  # the hours that it takes, from seconds measured here

A setting is a world with so many rooms and objects and a quest of so many steps. A tiny decoder clones a teacher, the
gold solutions of TextWorld and the expert of Household, in all settings that an arm names, much as a pretrained model
knows them all a little. Then it goes on by PPO, GRPO or RLOO, the recipes of the suite, on the same tasks and as many
episodes, and is tested on the panel of `test`.

In TextWorld the three numbers are those of its generator (`w2-o3-q4` is 2, 3 and 4), and each step of the quest is
told, as in the paper. In Household the objects are those that no goal asks for, and a step of the quest is a goal,
which takes four to nine actions. The budget counts a demonstration as ten episodes, as the paper does.

Source: Wang and Ammanabrolu 2025, arXiv:2510.01132, sections 5.1 (complexity), 6.1 (budget), 6.2 (methods) and 7.1
(density of rewards); there Qwen2.5 of 1.5 and 7 billion parameters without action hints, as here.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import torch

from agentgym.core import ConfigError, DataError, unknown
from agentgym.reproduce import Claim, load_claim, playable
from agentgym.rollout import EnvPool
from agentgym.train import HuggingFaceEngine, Trainer, build_trainer, evaluate_policy, read_recipe, recipe_table

METHODS = ("ppo", "grpo", "rloo")
TEXT_WORLD = "TextWorld-v0"
TEACHERS = {TEXT_WORLD: "oracle", "Household-v1": "expert"}
TURNS = {TEXT_WORLD: 3, "Household-v1": 20}  # for each step of the quest
GROUPS, GROUP_SIZE = 8, 4  # of an update
TEST_SEED = 4711
Setting = Sequence[int]
"""Rooms, objects, and steps of the quest."""


def env_kwargs(world: str, setting: Setting, reward: str = "sparse") -> dict[str, Any]:
    """What a world is made with in a setting.

    Args:
        world: `TextWorld-v0` or `Household-v1`.
        setting: Rooms, objects, steps of the quest.
        reward: `sparse` or `dense`.

    Raises:
        UnknownName: if the study has no such world.
    """
    if world not in TEACHERS:
        raise unknown("world of the practitioner's study", world, TEACHERS)
    rooms, objects, quest = setting
    if world == TEXT_WORLD:
        own: dict[str, Any] = {"games": "custom", "only_last_action": False, "objects": objects}
    else:
        own = {"distractors": objects}
    return {**own, "rooms": rooms, "quest": quest, "reward": reward}


def clone_table(world: str, shown: Sequence[Setting], demonstrations: int, model: Mapping[str, Any]) -> dict[str, Any]:
    """The recipe of the policy that arms begin with.

    Args:
        world: Its id.
        shown: Settings in which the teacher plays.
        demonstrations: In all of them together.
        model: `layers`, `width`, `context` and `vocabulary` of the decoder, and the `epochs` of cloning.
    """
    if not shown or demonstrations < len(shown):
        raise ConfigError(f"{len(shown)} settings need a demonstration each, got {demonstrations}")
    first, *others = ({"id": world, "env_kwargs": env_kwargs(world, setting)} for setting in shown)
    shape = {key: value for key, value in model.items() if key != "epochs"}
    return {
        "world": first,
        "mixture": others,
        "model": {"tiny": shape, "max_new_tokens": 24},
        "clone": {
            "episodes": demonstrations // len(shown),
            "epochs": model["epochs"],
            "batch": 16,
            "teacher": TEACHERS[world],
        },
    }


def training_table(world: str, setting: Setting, method: str, reward: str, updates: int) -> dict[str, Any]:
    """The recipe by which a clone goes on.

    Args:
        world: Its id.
        setting: Where it plays.
        method: Of `METHODS`.
        reward: `sparse` or `dense`.
        updates: Of the policy, each on `GROUPS` x `GROUP_SIZE` episodes.
    """
    if method not in METHODS:
        raise unknown("method of the practitioner's study", method, METHODS)
    return recipe_table(
        method,
        {
            "world": {"id": world, "env_kwargs": env_kwargs(world, setting, reward)},
            "model.max_new_tokens": 24,
            "rollout.groups": GROUPS,
            "rollout.group_size": GROUP_SIZE,
            "rollout.horizon": TURNS[world] * setting[2],
            "update.updates": updates,
            "update.learning_rate": {"linear": [1e-3, 0.0], "over": updates},
            "callback": [],
        },
    )


@lru_cache(maxsize=2)
def _cloned(key: str) -> HuggingFaceEngine:
    """The clone of a recipe, written as JSON; the arms of a seed come one after the other and share it."""
    trainer = build_trainer(json.loads(key))
    trainer.close()
    return trainer.engine


def _fresh(clone: HuggingFaceEngine) -> HuggingFaceEngine:
    """A copy that can be trained."""
    return HuggingFaceEngine(copy.deepcopy(clone.model), clone.tokenizer, max_new_tokens=clone.max_new_tokens)


def solved(engine: HuggingFaceEngine, world: str, setting: Setting, tests: int) -> float:
    """The share of episodes on tasks of `test` that a policy wins.

    Args:
        engine: The policy.
        world, setting: Where it plays.
        tests: Episodes; where the panel has fewer tasks, they come up again.

    Raises:
        DataError: if the world failed in all of them.
    """
    pool = EnvPool(world, split="test", **env_kwargs(world, setting))
    try:
        tasks = [task % (pool.size or tests) for task in range(tests)]
        played = evaluate_policy(engine, pool, tasks, seed=TEST_SEED, horizon=TURNS[world] * setting[2])
    finally:
        pool.close()
    won = [episode.success for episode in played if not episode.failed]
    if not won:
        raise DataError(f"{world} failed in every test episode ({played[0].failure}); mend it and start again")
    return sum(won) / len(won)


@lru_cache(maxsize=64)
def _before(key: str, world: str, setting: tuple[int, ...], tests: int) -> float:
    return solved(_cloned(key), world, setting, tests)


def measure(
    *,
    seed: int,
    world: str,
    rooms: int,
    objects: int,
    quest: int,
    shown: Sequence[Setting],
    harder: Setting,
    model: Mapping[str, Any],
    demonstrations: int,
    episodes: int,
    method: str = "ppo",
    reward: str = "sparse",
    tests: int = 64,
) -> dict[str, float]:
    """For `agentgym reproduce practitioner`: one arm, cloned, trained and tested.

    Args:
        seed: Of demonstrations, weights, tasks and sampling.
        world: `TextWorld-v0` or `Household-v1`.
        rooms, objects, quest: The setting in which it is trained and tested.
        shown: Settings of the demonstrations.
        harder: A setting in which it is tested as well.
        model: As in `clone_table`.
        demonstrations: That are cloned first.
        episodes: That are played and learned from; 0 leaves the clone as it is.
        method: `ppo`, `grpo` or `rloo`.
        reward: That is learned from: `sparse` or `dense`; tests count successes alone.
        tests: Episodes of each test.

    Returns:
        `before` and `success`, the shares of test episodes won by the clone and by what became of it; `gain`, by how
        much they differ; `harder`, the share won in the harder setting; `seconds` of training and tests.
    """
    if episodes % (GROUPS * GROUP_SIZE):
        raise ConfigError(f"episodes must be a multiple of {GROUPS * GROUP_SIZE}, one update, got {episodes}")
    setting = (rooms, objects, quest)
    key = json.dumps({**clone_table(world, shown, demonstrations, model), "seed": seed})
    before, began = _before(key, world, setting, tests), time.perf_counter()
    engine = _fresh(_cloned(key))
    if episodes:
        table = training_table(world, setting, method, reward, episodes // (GROUPS * GROUP_SIZE))
        whole = {**table, "model": json.loads(key)["model"], "clone": json.loads(key)["clone"], "seed": seed}
        pool = EnvPool(world, split="train", **env_kwargs(world, setting, reward))
        try:
            Trainer(read_recipe(whole), engine, pool).train()
        finally:
            pool.close()
    after = solved(engine, world, setting, tests) if episodes else before
    beyond = after if setting == tuple(harder) else solved(engine, world, harder, tests)
    spent = time.perf_counter() - began
    return {"before": before, "success": after, "gain": after - before, "harder": beyond, "seconds": spent}


def pilot(options: Mapping[str, Any], demonstrations: int = 16, tests: int = 16) -> dict[str, float]:
    """Seconds of processor time that a demonstration, an episode of training and one of a test take here.

    A clone of so few demonstrations seldom ends before its turns are used up, so the last two are bounds from above.

    Args:
        options: Of an arm, as `measure` takes them.
        demonstrations: That are cloned.
        tests: Episodes of the test.
    """
    world, setting = options["world"], (options["rooms"], options["objects"], options["quest"])
    table = {**clone_table(world, [setting], demonstrations, options["model"]), "seed": 0}
    began = time.process_time()
    clone = build_trainer(table)
    clone.close()
    cloned = time.process_time()
    learning = {**training_table(world, setting, options.get("method", "ppo"), "sparse", 1), "seed": 0}
    pool = EnvPool(world, split="train", **env_kwargs(world, setting))
    try:
        recipe = read_recipe({**learning, "model": table["model"], "clone": table["clone"]})
        Trainer(recipe, clone.engine, pool).train()
    finally:
        pool.close()
    trained = time.process_time()
    solved(clone.engine, world, setting, tests)
    ended = time.process_time()
    return {
        "demonstration": (cloned - began) / demonstrations,
        "episode": (trained - cloned) / (GROUPS * GROUP_SIZE),
        "test": (ended - trained) / tests,
    }


def hours(claim: Claim, seeds: int) -> dict[str, Any]:
    """The hours of one core that a claim of this study takes, by world, from a pilot of each length of the quest.

    Args:
        claim: Its arms are measured by `measure`.
        seeds: How many of each.
    """
    plans = [arm.table["options"] for arm in claim.arms.values()]
    lengths = {(plan["world"], plan["quest"]): plan for plan in plans}
    lengths |= {(plan["world"], plan["harder"][2]): {**plan, **_named(plan["harder"])} for plan in plans}
    unit = {place: pilot(plan) for place, plan in lengths.items()}
    spent: dict[str, float] = {}
    seen: set[str] = set()
    for plan in plans:
        world, quest, tests = plan["world"], plan["quest"], plan.get("tests", 64)
        clone = [world, plan["shown"], plan["demonstrations"], plan["model"]]
        cost = plan["episodes"] * unit[world, quest]["episode"] + tests * unit[world, plan["harder"][2]]["test"]
        cost += tests * unit[world, quest]["test"] * bool(plan["episodes"])
        for once, seconds in (
            (clone, math.fsum(unit[world, each[2]]["demonstration"] for each in plan["shown"]) / len(plan["shown"])),
            ([*clone, plan["rooms"], plan["objects"], quest], tests * unit[world, quest]["test"]),
        ):
            if json.dumps(once) not in seen:
                seen.add(json.dumps(once))
                cost += seconds * (plan["demonstrations"] if once is clone else 1)
        spent[world] = spent.get(world, 0.0) + cost * seeds / 3600
    units = {f"{world}, quest {quest}": costs for (world, quest), costs in unit.items()}
    return {"seconds": units, "arms": len(plans), "seeds": seeds, "hours": spent}


def _named(setting: Setting) -> dict[str, int]:
    return dict(zip(("rooms", "objects", "quest"), setting, strict=True))


def main(arguments: Sequence[str]) -> int:
    """Print what a claim takes as JSON."""
    parser = argparse.ArgumentParser(prog="agentgym.baselines.practitioner", description="Hours that a claim takes.")
    parser.add_argument("claim", nargs="?", default="practitioner", help="a claim of this study, or a TOML file")
    parser.add_argument("--seeds", type=int, default=5, help="experiments of each arm (%(default)s)")
    torch.set_num_threads(1)
    given = parser.parse_args(arguments)
    claim = playable(load_claim(given.claim))
    sys.stdout.write(json.dumps({**hours(claim, given.seeds), "absent": dict(claim.absent)}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
