"""`agentgym reproduce`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from agentgym.cli.screen import console

if TYPE_CHECKING:
    from agentgym.reproduce import SamplePlan


def reproduce(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A claim, or the path of a TOML file.")] = None,
    seeds: Annotated[int, typer.Option(min=2, max=48, help="Experiments of each arm.")] = 5,
    out: Annotated[Path, typer.Option(help="Folder of the result and the runs.")] = Path("runs") / "reproduce",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each core.")] = None,
    pilot: Annotated[
        bool, typer.Option("--pilot", help="Say how many seeds and tasks are needed, by what these seeds show.")
    ] = False,
) -> int:
    """Try a published direction again over several seeds; without a name, list what can be tried.

    The verdict is about the direction in a small model and a small world, not about the published numbers. A run that
    was cut off goes on: what is trained already is not trained again.
    """
    from agentgym.reproduce import claim_names, load_claim, playable
    from agentgym.reproduce import pilot as plan
    from agentgym.reproduce import reproduce as run

    screen = console()
    if name is None:
        table = Table("claim", "in words", "source")
        for each in claim_names():
            claim = load_claim(each)
            table.add_row(each, claim.claim, claim.source)
        screen.print(table)
        return 0
    claim = playable(load_claim(name))
    for world, why in claim.absent.items():
        screen.print(f"Without {world}: {why}", soft_wrap=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(errors=True)) as bars:
        bar = bars.add_task("arms and seeds", total=len(claim.arms) * seeds)
        command = f"agentgym reproduce {name} --seeds {seeds}"
        shared: dict[str, Any] = {"workers": workers, "progress": lambda arm, seed: bars.advance(bar)}
        if pilot:
            plans = plan(claim, seeds, out, **shared)
        else:
            record = run(claim, seeds, out, command=command, **shared)
    screen.print(f"{claim.claim}\n{claim.source}")
    if pilot:
        screen.print(_plans(plans))
        screen.print(f"Planned for a power of 80 %. {out / f'{claim.name}.pilot.json'}")
        return 0
    screen.print(_findings(record))
    for pair in record["support"]:
        screen.print(_support(pair, record["arms"]))
    for question, answer in record.get("questions", {}).items():
        screen.print(f"{question} {answer}")
    for metric, words in record.get("metrics", {}).items():
        screen.print(f"{metric}: {words}")
    left_out = sum(run.get("left_out", 0) for arm in record["arms"].values() for run in arm["by_seed"])
    if left_out:
        counts = {name: sum(run.get("left_out", 0) for run in arm["by_seed"]) for name, arm in record["arms"].items()}
        by_arm = ", ".join(f"{count} of {name}" for name, count in counts.items() if count)
        screen.print(f"{left_out} test episodes are left out, because the world or a service failed in them: {by_arm}.")
    if not record.get("matched", {}).get("equal", True):
        spent = ", ".join(f"{count:,.0f} of {arm}" for arm, count in record["matched"]["spent"].items())
        screen.print(f"The arms did not spend as much {record['matched']['by'].replace('_', ' ')}: {spent}.")
    screen.print(f"Verdict: {record['verdict']}. {out / f'{claim.name}.json'}")
    return 0


def _beside(name: str, arms: Mapping[str, Any]) -> str:
    """What stands beside the figures of an arm's test episodes."""
    from agentgym.evaluate.metrics import left_out_words

    words = left_out_words(arms[name]["left_out"])
    return f"\n({words})" if words else ""


def _support(pair: Mapping[str, Any], arms: Mapping[str, Any]) -> Table:
    """Curves of pass@k of two arms, where they cross, and which tasks only one of them solved."""
    first, second = pair["arms"]
    crossing, solved = pair["crossover"], pair["solved"]
    meets = "never" if crossing is None else f"from {crossing} tries on"
    told = f"{second} is as good as {first} {meets}; of the tasks solved at all, by both {solved['both']}, "
    told += f"by {first} alone {solved['first']}, by {second} alone {solved['second']} (unsolved {solved['neither']})"
    table = Table("tries", *pair["pass_at"], caption=told)
    for place, arm in enumerate((first, second)):
        beside = _beside(arm, arms)
        table.add_row(arm, *(f"{100 * both[place]:.1f} %{beside}" for both in pair["pass_at"].values()))
    return table


def _findings(record: Mapping[str, Any]) -> Table:
    from agentgym.reproduce.metrics import of_tests

    table = Table("metric", "larger", "mean", "smaller", "mean", "difference (95 %)", "asked", "p (Holm)", "verdict")
    for finding in record["findings"]:
        check, difference = finding["check"], finding["difference"]
        tested = of_tests(check["metric"])
        means = [
            f"{sum(finding[side]) / len(finding[side]):.4g}{_beside(check[side], record['arms']) if tested else ''}"
            for side in ("larger", "smaller")
        ]
        between = f"{difference['value']:+.4g} ({difference['low']:+.4g} to {difference['high']:+.4g})"
        names = (check["metric"], check["larger"], means[0], check["smaller"], means[1])
        asked = f"> {check['by']:g}" + (f", beyond {check['margin']:g}" if "margin" in check else "")
        table.add_row(*names, between, asked, f"{finding['p']:.3g}", finding["verdict"])
    return table


def _plans(plans: Sequence[SamplePlan]) -> Table:
    """What each check needs."""
    table = Table("metric", "larger", "smaller", "to find", "seeds", "tasks", "power", "hours", "for 80 %")
    for plan in plans:
        names = (plan.check.metric, plan.check.larger, plan.check.smaller, f"{plan.effect:.3g}")
        enough = "more than 2,000 seeds" if plan.seeds_needed is None else f"{plan.seeds_needed} seeds"
        if plan.hours_needed is not None:
            enough += f", {plan.hours_needed:.1f} hours"
        hours = "unknown" if plan.hours is None else f"{plan.hours:.1f}"
        table.add_row(*names, str(plan.seeds), str(plan.tasks), f"{plan.power:.2f}", hours, enough)
    return table
