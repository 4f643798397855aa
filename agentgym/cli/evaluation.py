"""`agentgym eval` and `agentgym replay`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from agentgym.cli import matches, options, suites
from agentgym.cli.agent_options import asking, with_agents
from agentgym.cli.screen import Bar, complain, console, interval, plain, progress
from agentgym.core import ConfigError

if TYPE_CHECKING:
    from agentgym.evaluate import EpisodeRecord, EvaluationResult

FAILED, INTERRUPTED = 1, 130
SHOWN_DIFFERENCES = 10
SHOWN_REASONS = 5
# What a suite says of each of its own, and what a suite has none of:
OF_A_WORLD = ("env_id", "split", "player", "opponent", "env", "max_turns", "ranker")
ENDS = {
    "terminated": "by the environment",
    "truncated": "at the turn limit",
    "context": "as the context was full",
    "refused": "as the agent's own words were refused",
    "failure": "as the agent could not go on",
}


@with_agents
def evaluate(
    context: typer.Context,
    env_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="An id from `agentgym list`.")] = None,
    suite: options.Suite = None,
    agent: Annotated[str, typer.Option(help=options.AGENT_HELP)] = "random",
    player: options.Player = None,
    opponent: options.Opponent = None,
    split: Annotated[str, typer.Option(help="Where the tasks come from.")] = "test",
    episodes: options.Episodes = None,
    trials: Annotated[int, typer.Option(min=1, help="Times each task is played.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the run.")] = 0,
    workers: options.Processes = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; by default runs/eval/<name>.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Throw away what the folder holds.")] = False,
    env: options.WorldOptions = None,
    max_turns: options.MaxTurns = None,
    step_timeout: options.StepTimeout = options.STEP_TIMEOUT,
    episode_timeout: options.EpisodeTimeout = None,
    memory: options.Memory = None,
    ranker: Annotated[
        Path | None,
        typer.Option(help="File of `agentgym ranker`, which picks one of the trials of each task: best of n."),
    ] = None,
    fail_on_error: options.FailOnError = 0,
) -> int:
    """Play an agent over the tasks of a split, or over a suite; print success with 95 % confidence intervals.

    In a game of several players the agent is one of them. An environment that raises, hangs, ends its process or grows
    too large fails its episode, which is not scored. The same command goes on, and plays failed episodes again.
    """
    from agentgym.core import BudgetSpent
    from agentgym.evaluate import Interrupted

    shared = {
        "episodes": episodes,
        "trials": trials,
        "seed": seed,
        "workers": options.processes(workers),
        "out": out,
        "fresh": fresh,
        "step_timeout": step_timeout,
        "episode_timeout": episode_timeout,
        "memory": memory,
        **asking(context),
    }
    own = options.world_options(env, max_turns)
    try:
        if suite is not None:
            _refuse_beside_suite(context)
            return _suite(suite, agent, fail_on_error, shared)
        world = _wanted(env_id)
        if matches.is_game(context):
            if ranker is not None:
                raise ConfigError(
                    "a ranker picks among attempts of one player; leave --ranker out in a game of several"
                )
            return matches.evaluate_player(context)
        return _world(world, agent, fail_on_error, {**shared, "split": split, "env_kwargs": own, "ranker": ranker})
    except (Interrupted, BudgetSpent) as stop:
        return complain(str(stop), INTERRUPTED if isinstance(stop, Interrupted) else FAILED)


def _world(env_id: str, agent: str, fail_on_error: int, given: Mapping[str, Any]) -> int:
    """Play one world; the exit code."""
    from agentgym.evaluate import evaluate as run

    with progress("episodes") as bar:
        result = run(env_id, agent, on_episode=_watch(bar), **given)
    console().print(_table(result))
    return FAILED if sum(result.failures.values()) > fail_on_error else 0


def _suite(name: str, agent: str, fail_on_error: int, given: Mapping[str, Any]) -> int:
    """Play a suite; the exit code, which is that of a failure if a world could not be played."""
    from agentgym.evaluate import evaluate_suite

    with progress("episodes") as bar:
        result = evaluate_suite(name, agent, on_episode=suites.watch(bar), **given)
    console().print(suites.tables(result))
    return FAILED if result.not_run or result.failed_episodes > fail_on_error else 0


def _wanted(env_id: str | None) -> str:
    from agentgym.evaluate import suite_names

    if env_id is None:
        raise ConfigError(f"give an ID, or --suite with one of: {', '.join(suite_names())}, or a TOML file")
    return env_id


def _refuse_beside_suite(context: typer.Context) -> None:
    for name in OF_A_WORLD:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            shown = "the ID" if name == "env_id" else f"--{name.replace('_', '-')}"
            raise ConfigError(f"--suite says what is played; leave out {shown}, or write a suite file of your own")


def _watch(bar: Bar) -> Callable[[EpisodeRecord | None, int, int], None]:
    """What moves the bar of an evaluation and shows the success so far."""
    scored, won, out = 0, 0, 0

    def advance(episode: EpisodeRecord | None, done: int, total: int) -> None:
        """Count the `episode`, unless it is None, and move the bar to `done` of `total`."""
        nonlocal scored, won, out
        if episode is not None and episode.scored:
            scored, won = scored + 1, won + episode.success
        elif episode is not None:
            out += 1
        left_out = f", {out / (scored + out):.1%} left out" if out else ""
        bar(done, total, f"success {won / scored:.1%}{left_out}" if scored else "")

    return advance


def replay(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Folder of a run, match or tournament, or its .jsonl.")],
    trust: Annotated[
        bool, typer.Option("--trust", help="Import, call and read what the file names from outside the suite.")
    ] = False,
) -> int:
    """Play recorded episodes again and verify that the environment answers the same.

    A file that names modules, functions or data from outside the suite is refused unless it is trusted.
    """
    from agentgym.evaluate import replay as run

    with progress("replayed") as bar:
        outcomes = run(path, lambda outcome, done, total: bar(done, total, ""), trust=trust)
    screen = console()
    different = [outcome for outcome in outcomes if outcome.difference]
    for outcome in different[:SHOWN_DIFFERENCES]:
        screen.print(plain(f"{outcome.episode.name}: {outcome.difference}"))
    same, skipped = sum(outcome.same for outcome in outcomes), sum(bool(outcome.skipped) for outcome in outcomes)
    screen.print(f"{same} of {len(outcomes)} episodes are the same, {len(different)} differ, {skipped} skipped")
    return FAILED if different else 0


def _table(result: EvaluationResult) -> Table:
    """The figures of a run, who played, and what failed."""
    config, summary = result.config, result.summary
    trials = "1 trial" if summary.trials == 1 else f"{summary.trials} trials"
    table = Table.grid(padding=(0, 2))
    table.add_row("world", plain(f"{config.env.partition(':')[2]}, {config.split}, {config.episodes} tasks, {trials}"))
    table.add_row("agent", plain(" ".join([config.agent, *(f"{k}={v}" for k, v in config.stored_options.items())])))
    if config.asked:
        table.add_row("asked", plain(", ".join(config.asked)))
    if summary.scored:
        _add_figures(table, result)
    else:
        table.add_row("figures", "none, as every episode is left out")
    if summary.prompt_tokens or summary.completion_tokens:
        table.add_row("tokens", f"{summary.prompt_tokens:,} read, {summary.completion_tokens:,} written")
    for name, words in _answers(result):
        table.add_row(name, plain(words))
    if summary.cost:
        table.add_row("cost", f"{summary.cost:.4f} dollars")
    _add_failures(table, result)
    table.add_row("transcripts", plain(str(result.folder / "episodes.jsonl")))
    return table


def _add_figures(table: Table, result: EvaluationResult) -> None:
    """What was achieved. What share of the episodes a figure is not of stands beside each."""
    from agentgym.evaluate.metrics import left_out_words

    summary = result.summary
    left_out = left_out_words(summary.left_out)

    def figure(name: str, shown: str, note: str = "") -> None:
        table.add_row(plain(name), "  ".join(filter(None, (shown, note, left_out))))

    success = interval(summary.success, scale=100, digits=1, unit=" %")
    figure("success", success, "95 % interval: Wilson, tasks as units")
    for kind, estimate in summary.success_by_kind.items():
        figure(f"  {kind}", interval(estimate, scale=100, digits=1, unit=" %"))
    method = "an exact bound, as all tasks scored alike" if summary.alike else "bootstrap over tasks"
    figure("score", interval(summary.score), f"95 % interval: {method}")
    if summary.trials > 1:
        figure("pass@k", "  ".join(f"{k}: {100 * value:.1f} %" for k, value in summary.pass_at.items()))
        figure("pass^k", "  ".join(f"{k}: {100 * value:.1f} %" for k, value in summary.pass_hat.items()))
    if result.best_of is not None:
        shown = interval(result.best_of.success, scale=100, digits=1, unit=" %")
        figure(f"best of {result.best_of.n}", shown, "picked by the ranker; tokens and cost are of all attempts")
    for title, found, note in (("metrics", summary.metrics, ""), ("costs", summary.costs, "of an episode")):
        if found:
            figure(title, ", ".join(f"{name} {each.value:.3g}" for name, each in found.items()), note)
    figure("valid actions", f"{100 * summary.valid_actions:.1f} %")
    figure("turns", f"{summary.turns:.1f} an episode")
    figure("ends", ", ".join(f"{count} {ENDS[stop]}" for stop, count in summary.stops.items()))
    if summary.cut_answers:
        figure("answers cut off", f"in {summary.cut_answers} episodes, at the token limit")


def _add_failures(table: Table, result: EvaluationResult) -> None:
    """How many episodes failed, in which way, and the most frequent reasons."""
    summary = result.summary
    counts = {
        "environment": (summary.environment_failures, "of the environment (left out)"),
        "outage": (summary.outages, "outages (left out)"),
        "agent": (summary.agent_failures, "of the agent (lost)"),
    }
    table.add_row("failures", ", ".join(f"{words}: {count}" for count, words in counts.values() if count) or "none")
    for (kind, reason), count in [*result.failures.items()][:SHOWN_REASONS]:
        table.add_row("", plain(f"{count} of the {kind}: {reason}", "yellow"))
    if len(result.failures) > SHOWN_REASONS:
        table.add_row("", f"and for {len(result.failures) - SHOWN_REASONS} other reasons, see the transcripts")


def _answers(result: EvaluationResult) -> Iterator[tuple[str, str]]:
    """What came with the turns: calls of tools, and the answers of a chat model, if one played."""
    from agentgym.evaluate import count_answers

    found = count_answers([turn for episode in result.episodes for turn in episode.turns])
    if found.tool_calls:
        yield "tool calls", f"{found.tool_calls:,}, of which {found.tool_failures:,} failed"
    if found.seconds is None:
        return
    if found.finish_reasons:
        yield "answers end", ", ".join(f"{reason} {count:,}" for reason, count in found.finish_reasons.items())
    if found.reasoning_tokens:
        yield "reasoning", f"{found.reasoning_tokens:,} of the tokens written"
    if found.refusals:
        yield "refusals", f"{found.refusals:,} answers"
    if found.asked_again:
        yield "asked again", f"{found.asked_again:,} answers, {found.retries:,} tries more"
    median, high = found.seconds
    yield "latency", f"{median:.2f} s median, {high:.2f} s 95th percentile"
