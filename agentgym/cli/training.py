"""`agentgym train`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from agentgym.cli.screen import console
from agentgym.cli.serving import read_tokens
from agentgym.core import ConfigError, catalog, full_id, require
from agentgym.core.json_text import read_toml

if TYPE_CHECKING:
    from agentgym.train.run import Tell

RUNS = Path("runs") / "train"
SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}
SHOWN = (
    "return",
    "success",
    "eval_success",
    "eval_left_out",
    "turns",
    "valid",
    "entropy",
    "kl_sampler",
    "clip_fraction",
    "dead_groups",
)


def train(
    context: typer.Context,
    recipe: Annotated[
        str | None, typer.Argument(metavar="RECIPE", help="A recipe's name, or the path of a TOML file.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; by default runs/train/<recipe>-<seed>.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Pretrained weights in place of the recipe's tiny model, such as smollm2.")
    ] = None,
) -> int:
    """Train a policy by a recipe; without one, list them. The same command goes on with a run that was cut off.

    Any value of the recipe can be replaced: `--update.updates 20`, `--rollout.group_size 4`, `--advantage.0.weight 2`.
    A plus adds an entry to a list: `--callback+ "{ name = 'early_stop', above = 0.9 }"`.
    """
    from agentgym.agents.hugging_face import saved_engine
    from agentgym.train.pretrained_defaults import described
    from agentgym.train.recipe import read_recipe
    from agentgym.train.recipe_files import recipe_names, recipe_table

    if recipe is None:
        console().print(_recipes(recipe_names(), by_axis=False))
        return 0
    overrides = read_overrides(context.args)
    if model is not None:
        overrides |= {"model.name": model}
    table = recipe_table(recipe, overrides)
    whole = read_recipe(table)  # what is wrong with it is said before any bar is drawn
    from agentgym.train.run import build_trainer

    if whole.model.name is not None:
        from agentgym.train.memory import estimate

        screen = console()
        screen.print(described(whole), soft_wrap=True)
        screen.print(estimate(whole).line(), soft_wrap=True)
    folder = out or RUNS / f"{Path(recipe).stem}-{table.get('seed', 0)}"
    with _progress() as tell:
        trainer = build_trainer(table, folder, tell=tell)
        begun = trainer.update
        try:
            if whole.records is not None and whole.records.folder is None:
                _answer(trainer)
            else:
                trainer.train()
        finally:
            trainer.close()
    screen = console()
    if begun:
        screen.print(f"went on after update {begun}")
    if trainer.stopped:
        screen.print(f"stopped after {trainer.update} updates: {trainer.stopped}")
    if trainer.history:
        screen.print(_figures(trainer.history))
        for line in (line for each in whole.callbacks for line in each.summary(trainer.history)):
            screen.print(line, soft_wrap=True)
    screen.print(f"what it learned is in {saved_engine(folder)}; play it with: {_play_it(table, folder)}")
    if trainer.history:
        screen.print(f"updates.jsonl and episodes.jsonl hold its record; read it with: agentgym report {folder}")
    return 0


def _answer(trainer: Any) -> None:
    """Let agent programs play, at an endpoint of the run's own."""
    for module in ("starlette", "uvicorn"):
        require(module, extra="serve", purpose="records without a folder")
    from agentgym.serve.learning import learn

    config = trainer.recipe.records
    tokens = read_tokens(None if config.tokens is None else Path(config.tokens), "records.tokens")
    learn(trainer, tokens, os.environ.get(config.world_token_env, "") if config.world_token_env else "")


def recipes(
    axis: Annotated[
        bool, typer.Option("--axis", help="Those that stand for an axis of RL for search agents, by axis.")
    ] = False,
) -> int:
    """List the recipes that come with the suite."""
    from agentgym.train.recipe_files import recipe_names

    console().print(_recipes(recipe_names(), by_axis=axis))
    return 0


def _play_it(table: Mapping[str, Any], folder: Path) -> str:
    """The command that plays what a run has learned."""
    world = table["world"]["id"]
    known = catalog().get(full_id(world))
    if known is not None and known.players > 1:
        return f"agentgym tournament {world} --agents run:{folder},{known.opponents[-1]}"
    return f"agentgym eval {world} --agent run:{folder}"


def read_overrides(words: Sequence[str]) -> dict[str, Any]:
    """Values by dotted key from `--key value` and `--key=value`; a value is TOML, or else a text.

    What is given for a key with a plus, once or several times, is gathered in a list.

    Raises:
        ConfigError: for a word that is no option, or an option without a value.
    """
    overrides: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("--") or len(word) < 3:
            raise ConfigError(f"{word!r} is no setting; write --key value, such as --update.updates 20")
        key, equals, value = word[2:].partition("=")
        if not equals:
            value = next(rest, "")
            if not value:
                raise ConfigError(f"--{key} needs a value")
        try:
            given = read_toml(f"value = {value}")["value"]
        except ValueError:
            given = value
        if key.endswith("+"):
            overrides.setdefault(key, []).append(given)
        elif key in overrides:
            raise ConfigError(f"--{key} is given twice")
        else:
            overrides[key] = given
    return overrides


@contextmanager
def _progress() -> Iterator[Tell]:
    """A bar for each phase of a run, with the newest figures beside it."""
    columns = (
        TextColumn("{task.description:14}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=console(errors=True)) as bars:
        phases: dict[str, Any] = {}

        def tell(phase: str, done: int, total: int, metrics: dict[str, Any]) -> None:
            """Move the bar of a `phase` to `done` of `total`, with a note of the newest `metrics`."""
            if phase not in phases:
                phases[phase] = bars.add_task(phase, total=total, note="")
            bars.update(phases[phase], completed=done, note=_note(metrics))

        yield tell


def _note(metrics: dict[str, Any]) -> str:
    if metrics.get("success") is not None:
        failed = metrics["stops"]["failure"]
        left_out = f"  {failed / (metrics['episodes'] + failed):.1%} left out" if failed else ""
        return f"success {metrics['success']:.0%}  return {metrics['return']:.3f}{left_out}"
    return f"loss {metrics['loss']:.3f}" if "loss" in metrics else ""


def _figures(history: Sequence[dict[str, Any]]) -> Table:
    """The first and the last round side by side."""
    table = Table("", "first update", "last update", title=f"{len(history)} updates")
    failed = [update["stops"]["failure"] for update in history]
    if any(failed):
        table.add_row("left out: the world failed", str(failed[0]), str(failed[-1]))
    for name in SHOWN:
        ends = [history[0].get(name), next((one[name] for one in history[::-1] if one.get(name) is not None), None)]
        if ends[1] is not None:
            table.add_row(name, *("" if value is None else f"{value:.4g}" for value in ends))
    return table


def _recipes(names: Sequence[str], *, by_axis: bool) -> Table:
    from agentgym.train.recipe_files import recipe_table

    tables = [(name, recipe_table(name)) for name in names]
    if by_axis:
        tables = sorted((each for each in tables if "axis" in each[1]), key=lambda each: str(each[1]["axis"]))
    table = Table(*(["axis"] if by_axis else []), "recipe", "method", "source", "world")
    for name, recipe in tables:
        row = (name, recipe.get("method", ""), recipe.get("paper", ""), recipe["world"]["id"])
        table.add_row(*([recipe["axis"]] if by_axis else []), *row)
    return table
