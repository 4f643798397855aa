"""The demo's report: tables, learning curve and transcripts on one page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.baselines.demo.lake import STAGES, Learned, Plan
from agentgym.baselines.demo.results import lift, over_seeds, rate
from agentgym.baselines.demo.shop import AGENTS
from agentgym.evaluate import EpisodeRecord, Estimate, EvaluationResult
from agentgym.report import (
    Exchange,
    Figure,
    Mark,
    Page,
    Row,
    Section,
    Series,
    Table,
    Tile,
    TranscriptView,
    interval_chart,
    line_chart,
    percent,
)
from agentgym.rollout import Episode

SMOOTH = 5  # updates of the trailing mean
SHOWN = 2  # transcripts of a section that the reader finds unfolded
TONES = {"untrained": 4, "cloned": 1, "improved": 0, "random": 4, "rule": 1, "oracle": 0}


def spoken(estimate: Estimate) -> str:
    """A rate with its interval, in percent."""
    return f"{percent(estimate.value)} ({100 * estimate.low:.1f} – {100 * estimate.high:.1f})"


def points(estimate: Estimate) -> str:
    """A difference of rates in percentage points, with its interval."""
    return f"{100 * estimate.value:+.1f} ({100 * estimate.low:+.1f} to {100 * estimate.high:+.1f})"


def build_page(
    shop: Mapping[str, EvaluationResult], lake: Sequence[Learned], plan: Plan, record: Mapping[str, Any]
) -> Page:
    """The whole report; `record` is what `results` returned.

    Args:
        shop: Results in the shop, by agent.
        lake: What was learned on the lake, by seed.
        plan: Sizes of the demo.
        record: What `results` returned.
    """
    gains = [lift(learned) for learned in lake]
    mean = over_seeds([gain.value for gain in gains])
    means = {stage: math.fsum(learned.rate(stage) for learned in lake) / len(lake) for stage in STAGES}
    seeds = f"{len(lake)} seeds" if len(lake) > 1 else "one seed"
    note = f"95 % interval over seeds: {100 * mean.low:+.0f} to {100 * mean.high:+.0f}" if mean else "one seed"
    average = math.fsum(gain.value for gain in gains) / len(gains)
    oracle = shop["oracle"].summary.success.value
    return Page(
        "AgentGym demo",
        "Three agents shop in WebShop; a language model learns to cross a frozen lake, first from a clumsy expert, "
        "then from its own experience.",
        tiles=[
            Tile(percent(oracle), "WebShop oracle", f"of {shop['oracle'].summary.tasks} test goals"),
            Tile(percent(means["cloned"]), "FrozenLake, cloned", f"mean of {seeds}, maps never seen"),
            Tile(percent(means["improved"]), "FrozenLake, after GRPO", "same maps, same random draws"),
            Tile(f"{100 * average:+.0f} points", "what GRPO added", note),
        ],
        sections=[_shop_section(shop), _lake_section(lake, plan, means), _method_section(lake, plan, record)],
    )


def _shop_section(shop: Mapping[str, EvaluationResult]) -> Section:
    rows = []
    for agent, result in shop.items():
        figures = result.summary
        score = f"{figures.score.value:.3f} ({figures.score.low:.3f} – {figures.score.high:.3f})"
        rows.append([agent, spoken(figures.success), score, f"{figures.turns:.1f}", percent(figures.valid_actions)])
    chart = interval_chart(
        "Success of three agents in WebShop",
        "; ".join(f"{agent}: {spoken(result.summary.success)}" for agent, result in shop.items()),
        [
            Row(agent, figures.value, figures.low, figures.high, TONES[agent])
            for agent, figures in ((agent, result.summary.success) for agent, result in shop.items())
        ],
    )
    goals = shop["oracle"].summary.tasks
    return Section(
        f"WebShop: {goals} test goals",
        [f"{'; '.join(AGENTS.values())}. Success means that the purchase earned the full reward of 1."],
        [
            Figure(chart, f"Share of {goals} goals bought perfectly, with 95 % Wilson intervals."),
            Table(
                ["agent", "success", "mean reward", "turns", "valid actions"],
                rows,
                "Success with a 95 % Wilson interval, reward with a 95 % bootstrap interval, both over goals. The "
                "transcripts below are the first of their kind in panel order; the shop's [SEP] is shown as a dot.",
            ),
            _shop_talks(shop),
        ],
    )


def _shop_talks(shop: Mapping[str, EvaluationResult]) -> list[TranscriptView]:
    """The first success and the first failure of each agent, in panel order."""
    talks: list[TranscriptView] = []
    for agent, success in (("oracle", True), ("rule", False), ("rule", True), ("random", False)):
        found = [episode for episode in shop[agent].episodes if episode.success == success]
        talks += [_shop_talk(agent, episode, shown=len(talks) < SHOWN) for episode in found[:1]]
    return talks


def _shop_talk(agent: str, episode: EpisodeRecord, *, shown: bool) -> TranscriptView:
    verdict = "bought" if episode.success else f"reward {episode.score:.2f}"
    exchanges = [Exchange(_dotted(turn.observation), turn.action, turn.valid, turn.reward) for turn in episode.turns]
    title = f"{agent}, goal {episode.task_id}"
    return TranscriptView(title, verdict, episode.success, exchanges, _dotted(episode.only.final_observation), shown)


def _dotted(observation: str) -> str:
    """The shop separates with [SEP]; on paper a dot reads better."""
    return observation.replace(" [SEP] ", " · ")


def _lake_section(lake: Sequence[Learned], plan: Plan, means: Mapping[str, float]) -> Section:
    rows = [
        [f"seed {learned.seed}", *(spoken(rate(learned, stage)) for stage in STAGES), points(lift(learned))]
        for learned in lake
    ]
    strong = []
    mean = over_seeds([lift(learned).value for learned in lake])
    if mean:
        strong = [len(rows)]
        rows.append(["mean of seeds", *(percent(means[stage]) for stage in STAGES), points(mean)])
    teacher = math.fsum(learned.teacher for learned in lake) / len(lake)
    recipe = plan.recipe
    assert recipe.clone is not None
    episodes = recipe.update.updates * recipe.rollout.groups * recipe.rollout.group_size
    return Section(
        "FrozenLake: from nothing to a clone to something better",
        [
            f"A decoder of {lake[0].parameters / 1e6:.2f} million parameters, its tokenizer trained on transcripts, "
            f"copies {recipe.clone.episodes:,} episodes of an expert whose action is replaced by a random one in "
            f"{percent(recipe.clone.noise)} of the turns, and who wins {percent(teacher)} of the episodes. Then it "
            f"plays {episodes:,} episodes itself and learns from which of {recipe.rollout.group_size} attempts at one "
            f"map went better. Every stage is tried on the same {plan.test_maps} test maps, which appear in no "
            "training, with one sample at temperature 1 each.",
        ],
        [
            Table(
                ["", "untrained", "cloned", "after GRPO", "GRPO added, points"],
                rows,
                "Success on the test maps with 95 % Wilson intervals over maps; differences are paired by map, with a "
                "95 % bootstrap interval; the last row's interval is Student's t over seeds.",
                strong,
            ),
            Figure(_curve(lake), _curve_caption(plan)),
            _lake_talks(lake),
        ],
    )


def _curve(lake: Sequence[Learned]) -> Any:
    """Training success of each seed, faint, their mean, and the test results at both ends."""
    curves = [_smooth([metrics["success"] for metrics in learned.improve_history]) for learned in lake]
    updates = range(1, len(curves[0]) + 1)
    series = [Series("", list(zip(updates, curve, strict=True))) for curve in curves]
    mean = [math.fsum(values) / len(values) for values in zip(*curves, strict=True)]
    band = [(x, min(v), max(v)) for x, v in zip(updates, zip(*curves, strict=True), strict=True)]
    series.append(Series("training maps", list(zip(updates, mean, strict=True)), band))
    marks = []
    for stage, x in (("cloned", 0), ("improved", len(mean))):
        rates = [learned.rate(stage) for learned in lake]
        label = f"test maps, {stage}: {percent(math.fsum(rates) / len(rates))}"
        marks.append(Mark(x, math.fsum(rates) / len(rates), min(rates), max(rates), label, 1))
    said = f"The mean rises from {percent(mean[0])} to {percent(mean[-1])} of the training episodes."
    return line_chart(
        "Success while GRPO learns",
        said,
        series,
        x_label="updates",
        y_label="episodes won",
        marks=marks,
        marks_name="test maps",
    )


def _curve_caption(plan: Plan) -> str:
    played = plan.recipe.rollout.groups * plan.recipe.rollout.group_size
    return (
        f"Blue: success on the {played} training episodes of each update, mean of the last {SMOOTH} updates; thin "
        "lines are seeds, the thick one their mean, the shade their range. Orange: success on the test maps before "
        "and after, mean and range of the seeds."
    )


def _smooth(values: Sequence[float]) -> list[float]:
    return [
        math.fsum(values[max(0, place - SMOOTH + 1) : place + 1]) / min(place + 1, SMOOTH)
        for place in range(len(values))
    ]


def _lake_talks(lake: Sequence[Learned]) -> list[TranscriptView]:
    """The first test map that only the improved model won, before and after, and the first that it still lost."""
    first = lake[0].test
    pairs = list(zip(first["cloned"], first["improved"], strict=True))
    talks = []
    won = [(before, after) for before, after in pairs if after.success and not before.success]
    if won:
        talks += [_lake_talk("cloned", won[0][0], True), _lake_talk("after GRPO", won[0][1], True)]
    lost = [after for _, after in pairs if not after.success]
    if lost:
        talks.append(_lake_talk("after GRPO", lost[0]))
    talks.append(_lake_talk("untrained", first["untrained"][0]))
    return talks


def _lake_talk(who: str, episode: Episode, shown: bool = False) -> TranscriptView:
    verdict = (
        "reached the goal"
        if episode.success
        else {"terminated": "fell in", "truncated": "out of turns"}.get(episode.stop, episode.stop)
    )
    exchanges = [Exchange(turn.observation, turn.action, turn.valid, turn.reward) for turn in episode.turns]
    return TranscriptView(f"{who}, map {episode.task_id}", verdict, episode.success, exchanges, episode.final, shown)


def _method_section(lake: Sequence[Learned], plan: Plan, record: Mapping[str, Any]) -> Section:
    settings = [[part, _words(value)] for part, value in plan.settings().items() if part != "callback"]
    phases = [
        [f"seed {learned.seed}", *(f"{value:.1f}" for value in learned.seconds.values()),
         f"{math.fsum(learned.seconds.values()):.1f}"]
        for learned in lake
    ]  # fmt: skip
    facts = [[key, value] for key, value in record["machine"].items()]
    return Section(
        "How this was made",
        [f"Command: {record['command']}. Everything took {record['seconds']:.0f} seconds."],
        [
            Table(["part", "settings"], settings, wrapped=True),
            Table(["seconds", *lake[0].seconds, "all"], phases),
            Table(["", "machine and versions"], facts, wrapped=True),
        ],
    )


def _words(value: Any) -> str:
    """A setting of a recipe, without the marks of its notation."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key.replace('_', ' ')} {_words(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return "; ".join(_words(inner) for inner in value)
    return str(value)
