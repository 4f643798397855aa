"""Self-play of a language model: what the trainer makes of Kuhn poker and Tic-Tac-Toe, as a record and a curve.

    python -m agentgym.baselines.self_play kuhn --out FOLDER
    python -m agentgym.baselines.self_play tic_tac_toe --out FOLDER

Each trains its recipe (`kuhn_self_play`, `tic_tac_toe_self_play`; `agentgym train NAME` does the same without the
record), goes on with a run that was cut off, and writes the curve.

- Kuhn poker: exploitability of the policy in a single hand, computed from its chances in all twelve information sets
  before the first update and every few ones (`agentgym.train.exploit`); the claim is that it falls below 0.05 chips.
- Tic-Tac-Toe: games lost to the exact player, which the policy never meets while it learns. The classic game, from the
  empty board, along the way and at the end; the claim is that it loses none, as either player, whichever of its best
  moves the exact player chooses. At the end also against the weaker players, whose moves lead to places where the exact
  one never goes, and from all openings of `test`, where no game of the run has begun. The policy plays its favourite
  move; the same at the start, to compare.

What the same games give a table in place of a network: `agentgym.baselines.bridges.self_play_tables`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import agentgym
from agentgym.baselines.bridges.self_play_tables import write
from agentgym.rollout import EnvPool
from agentgym.train import HuggingFaceEngine, Recipe, Trainer, evaluate_policy, load_engine, read_recipe, recipe_table
from agentgym.train import run_recipe as train
from agentgym.train.exploit import exploit
from agentgym.train.schedules import at

NEAR_ZERO = 0.05  # chips a hand
FAVORITE = 0.05  # temperature at which a policy says what it finds best
EMPTY = {"board": "." * 9}
CLASSIC, TRIES = 100, 2  # games as each player: of the empty board, and of each opening
LEVELS = ("strong", "simple", "random")


def exploitability(engine: HuggingFaceEngine, recipe: Recipe) -> float:
    """Of a policy at Kuhn poker, over the deals that its recipe lists.

    Args:
        engine: The policy.
        recipe: Its recipe.
    """
    world = EnvPool(recipe.world.id, split=recipe.world.split, **recipe.world.env_kwargs)
    return exploit(engine, world, recipe.rollout.tasks.specs).value


def lost(engine: HuggingFaceEngine, recipe: Recipe, split: str, tasks: Sequence[Any], level: str) -> dict[str, int]:
    """Games played and games lost against a scripted player, from every task, as either player.

    A game that the policy did not bring to its end, because its context was full, counts as lost.

    Args:
        engine: The policy.
        recipe: Its recipe.
        split: Where the game's tasks come from.
        tasks: Ids, indices or specifications.
        level: Of the scripted player.
    """
    world = EnvPool(recipe.world.id, split=split, **recipe.world.env_kwargs)
    played = evaluate_policy(engine, world, tasks, seed=0, opponent=level, temperature=FAVORITE)
    return {
        "games": len(played),
        "lost": sum(episode.total_return < 0 or episode.stop != "terminated" for episode in played),
    }


def standing(engine: HuggingFaceEngine, recipe: Recipe) -> dict[str, dict[str, int]]:
    """How a policy fares at Tic-Tac-Toe: the classic game by opponent, and the openings of `test`.

    Args:
        engine: The policy.
        recipe: Its recipe.
    """
    found = {level: lost(engine, recipe, "train", [EMPTY] * CLASSIC, level) for level in LEVELS}
    openings = range(len(agentgym.make(recipe.world.id).tasks("test")))
    return {**found, "test openings, strong": lost(engine, recipe, "test", [*openings] * TRIES, LEVELS[0])}


def kuhn(trainer: Trainer, cloned: HuggingFaceEngine) -> dict[str, Any]:
    """The curve, the policy's bets and the verdict.

    Args:
        trainer: After training.
        cloned: The policy as it was before.
    """
    recipe = trainer.recipe
    points = [[0, round(exploitability(cloned, recipe), 4)]]
    points += [
        [each["update"] + 1, round(each["exploitability"], 4)] for each in trainer.history if "exploitability" in each
    ]
    last = exploitability(trainer.engine, recipe)
    holds = last < NEAR_ZERO
    return {
        "columns": ["updates", "exploitability"],
        "points": points,
        "coins": round(11 / 24, 4),
        "last": {"exploitability": round(last, 4), "share_of_the_start": round(last / points[0][1], 3)},
        "claim": f"exploitability below {NEAR_ZERO} chips a hand",
        "verdict": "holds" if holds else "does not hold",
    }


def tic_tac_toe(trainer: Trainer, cloned: HuggingFaceEngine) -> dict[str, Any]:
    """The curve, games before and after, and the verdict.

    Args:
        trainer: After training.
        cloned: The policy as it was before.
    """
    before, after = standing(cloned, trainer.recipe), standing(trainer.engine, trainer.recipe)
    points = [[0, round(before[LEVELS[0]]["lost"] / before[LEVELS[0]]["games"], 4)]]
    points += [
        [each["update"] + 1, round(max(0.0, -each["eval_return"]), 4)]  # nobody beats the exact player
        for each in trainer.history
        if each.get("eval_return") is not None
    ]
    return {
        "columns": ["updates", "share_of_classic_games_lost_to_the_exact_player"],
        "points": points,
        "before": before,
        "after": after,
        "claim": "no classic game lost to the exact player",
        "verdict": "does not hold" if after[LEVELS[0]]["lost"] else "holds",
    }


@dataclass(frozen=True)
class Proof:
    """A recipe, and what its run is judged by."""

    recipe: str
    judge: Callable[[Trainer, HuggingFaceEngine], dict[str, Any]]
    title: str
    label: str


PROOFS = {
    "kuhn": Proof("kuhn_self_play", kuhn, "Kuhn poker, a language model by self-play", "exploitability"),
    "tic_tac_toe": Proof(
        "tic_tac_toe_self_play", tic_tac_toe, "Tic-Tac-Toe, a language model by self-play", "lost to the exact player"
    ),
}


def prove(name: str, seed: int, runs: Path, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Train, or go on training, and judge.

    Args:
        name: One of `PROOFS`.
        seed: Of everything.
        runs: Folder of the runs.
        changes: Values of the recipe by dotted key.

    Returns:
        The record: the curve, figures, claim and verdict.
    """
    proof = PROOFS[name]
    table = recipe_table(proof.recipe, {"seed": seed, **(changes or {})})
    folder = runs / f"{proof.recipe}-{seed}"
    trainer = train(table, folder)
    trainer.engine.temperature = at(trainer.recipe.rollout.temperature, trainer.update - 1)  # a finished run sets none
    cloned = load_engine(folder / "cloned")
    played = sum(each["episodes"] for each in trainer.history)
    recipe = read_recipe(table)
    return {
        "recipe": proof.recipe,
        "seed": seed,
        "parameters": sum(weight.numel() for weight in trainer.engine.model.parameters()),
        "demonstrations": recipe.clone.episodes if recipe.clone else 0,
        "episodes_learned_from": played,
        "seconds": round(sum(each["seconds"] for each in trainer.history), 1),
        **proof.judge(trainer, cloned),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", choices=sorted(PROOFS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=Path, default=Path("runs") / "self_play")
    given = parser.parse_args()
    chosen = PROOFS[given.game]
    ran = f"python -m agentgym.baselines.self_play {given.game} --seed {given.seed}"
    found = prove(given.game, given.seed, given.runs)
    write(given.out, chosen.recipe, ran, found, chosen.title, chosen.label)
