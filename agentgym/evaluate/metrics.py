"""Figures of an evaluation with honest intervals: the task is the unit, trials of one task are not independent."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.evaluate.episode_record import EpisodeRecord

CONFIDENCE = 0.95
Z = 1.959963984540054  # quantile of the normal distribution at 0.975
RESAMPLES = 10_000
SAME = 1e-9  # below this, figures that were computed in different orders are equal
AT_ONCE = 2_000_000  # values drawn at a time, to bound memory


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Summary:
    """The figures of one run.

    What the agent does wrong is scored: an answer cut off, a context that overflows, an agent that cannot go on are
    episodes without success. What it cannot help is left out and counted: a world that failed, an endpoint that was
    not there.

    Attributes:
        tasks: Tasks with at least one scored episode.
        trials: Episodes of each task that were asked for.
        episodes: Episodes on record.
        scored: Those that the figures are of.
        environment_failures, outages: The others.
        agent_failures: Those of the scored ones in which the agent could not go on.
        stops: How many of the scored ones ended in each way; see `EpisodeRecord.stop`.
        cut_answers: How many of the scored ones have an answer that ran into the token limit.
        success: Mean over tasks of the share of its trials that succeeded; Wilson interval, see `success_rate`.
        success_by_kind: The same for the tasks of each kind, in alphabetical order; empty if all are of one kind.
        score: Mean over tasks of the mean return of its trials; for its interval see `mean_score`.
        alike: Whether all tasks scored alike, so that the interval of the score is the exact bound.
        pass_at: By k: chance that at least one of k trials succeeds, see `pass_at_k`.
        pass_hat: By k: chance that all of k trials succeed, see `pass_hat_k`.
        valid_actions: Share of the actions that were valid; NaN if none was played.
        turns: Mean turns of an episode.
        progress: Mean progress at the end of an episode.
        metrics: By name: mean over tasks of the world's own metric at the end of the scored episodes that came to it;
            for its interval see `mean_score`.
        costs: By name: the same of what all actions of an episode cost together.
        prompt_tokens, completion_tokens, cost: Totals over all episodes, failed ones included; US dollars.
    """

    tasks: int
    trials: int
    episodes: int
    scored: int
    environment_failures: int
    outages: int
    agent_failures: int
    stops: Mapping[str, int]
    cut_answers: int
    success: Estimate
    success_by_kind: Mapping[str, Estimate]
    score: Estimate
    alike: bool
    pass_at: Mapping[int, float]
    pass_hat: Mapping[int, float]
    valid_actions: float
    turns: float
    progress: float
    metrics: Mapping[str, Estimate]
    costs: Mapping[str, Estimate]
    prompt_tokens: int
    completion_tokens: int
    cost: float

    @property
    def left_out(self) -> float:
        """Share of the episodes on record that no figure is of; 0 if there are none."""
        return share_left_out(self.scored, self.episodes)


def share_left_out(scored: int, episodes: int) -> float:
    """Share of the episodes that no figure is of; 0 if there are none.

    Args:
        scored: How many the figures are of.
        episodes: How many there are.
    """
    return 1 - scored / episodes if episodes else 0.0


def left_out_words(share: float) -> str:
    """What stands beside a figure that is not of all episodes; "" beside one that is.

    Args:
        share: Of the episodes, which the figure is not of.
    """
    return f"{100 * share:.1f} % left out" if share else ""


def wilson(rate: float, n: float) -> Estimate:
    """A proportion with its 95 % score interval (Wilson, JASA 1927); scipy's takes whole counts only.

    Args:
        rate: Share of successes.
        n: Number of independent observations; need not be whole.
    """
    center = (rate + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(rate * (1 - rate) / n + Z**2 / (4 * n**2))
    return Estimate(rate, max(0.0, center - half), min(1.0, center + half))


def success_rate(by_task: Sequence[Sequence[bool]]) -> Estimate:
    """Mean success over tasks, each the mean of its trials, with a Wilson interval over the effective sample size.

    With T tasks whose means have variance v (over T), the effective size is `rate * (1 - rate) / (v / T)`: what a
    simple random sample would need for the same variance (Kish, Survey Sampling, 1965), kept between the number of
    tasks and of episodes. With one trial it is the number of tasks, and this is the plain Wilson interval; trials that
    always agree add nothing, independent ones count in full.

    Args:
        by_task: For each task, the success of each trial; none empty.
    """
    means = [_mean(trials) for trials in by_task]
    rate = math.fsum(means) / len(means)
    variance = math.fsum((mean - rate) ** 2 for mean in means) / len(means)
    most = sum(map(len, by_task))
    spread = rate * (1 - rate)
    if spread == 0:
        return wilson(rate, len(means))
    size = most if variance == 0 else len(means) * spread / variance
    return wilson(rate, min(max(size, len(means)), most))


def share_otherwise(alike: int) -> float:
    """The largest share of others, with 95 % confidence, where all that were seen are alike (Clopper and Pearson 1934).

    Args:
        alike: How many were seen.
    """
    from scipy import stats  # half a second, so only where an interval is asked for

    return float(stats.binomtest(0, alike).proportion_ci(CONFIDENCE, method="exact").high)


def alike(values: Sequence[float]) -> bool:
    """Whether values are equal, save for the rounding of means of different numbers of trials; resampling says nothing.

    Args:
        values: At least one.
    """
    return max(values) - min(values) <= SAME * max(1.0, abs(max(values)), abs(min(values)))


def mean_score(by_task: Sequence[Sequence[float]], floor: float = 0.0) -> Estimate:
    """Mean return over tasks, each the mean of its trials, with a percentile bootstrap interval.

    Tasks are resampled 10,000 times from a fixed stream, so equal results have equal intervals. Where all tasks have
    one score v, or there is one task, resampling says nothing, and an exact bound takes its place: if n of n tasks
    scored v, then with 95 % confidence at most a share q = 1 - 0.025^(1/n) of all tasks scores otherwise (Clopper and
    Pearson 1934). Supposing that these score between min(v, floor) and max(v, 1), the interval is
    from v - q (v - min(v, floor)) to v + q (max(v, 1) - v); returns beyond that range are not bounded by it.

    Args:
        by_task: For each task, the return of each trial; none empty.
        floor: The least that is usually scored: 0, and -1 for differences of such scores.
    """
    from scipy import stats  # half a second, so only where an interval is asked for

    means = [_mean(trials) for trials in by_task]
    mean = math.fsum(means) / len(means)
    if alike(means):
        other = share_otherwise(len(means))
        return Estimate(mean, mean - other * (mean - min(mean, floor)), mean + other * (max(mean, 1.0) - mean))
    low, high = stats.bootstrap(
        (means,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, AT_ONCE // len(means)),
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=stream("evaluate.bootstrap"),
    ).confidence_interval
    return Estimate(mean, float(low), float(high))


def _mean(trials: Sequence[float]) -> float:
    return math.fsum(trials) / len(trials)


def pass_at_k(n: int, c: int, k: int) -> float:
    """Unbiased chance that one of k trials succeeds, given c successes in n (Chen et al. 2021, arXiv:2107.03374).

    Args:
        n: Trials played.
        c: How many of them succeeded.
        k: Trials asked about, at most n.

    Raises:
        ConfigError: unless 0 <= c <= n and 1 <= k <= n.
    """
    _check(n, c, k)
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Unbiased chance that all of k trials succeed, from c successes in n: pass^k (Yao et al. 2024, arXiv:2406.12045).

    Args:
        n: Trials played.
        c: How many of them succeeded.
        k: Trials asked about, at most n.

    Raises:
        ConfigError: unless 0 <= c <= n and 1 <= k <= n.
    """
    _check(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def _check(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ConfigError(f"pass@k needs 0 <= c <= n and 1 <= k <= n, got n={n}, c={c}, k={k}")


def ks(trials: int) -> list[int]:
    """The k for which figures are given: powers of two up to the number of trials, and that number."""
    return sorted({2**power for power in range(trials.bit_length()) if 2**power <= trials} | {trials})


def summarize(episodes: Sequence[EpisodeRecord], trials: int) -> Summary:
    """The figures of a run.

    `pass_at` and `pass_hat` of k are means over the tasks with at least k scored trials, and lack the k for which there
    is none. Without a scored episode the means are NaN and the intervals 0 to 1, respectively NaN.

    Args:
        episodes: At most one of each task and trial.
        trials: Trials of each task that were asked for.
    """
    scored = [episode for episode in episodes if episode.scored]
    by_task: dict[str, list[EpisodeRecord]] = {}
    for episode in sorted(scored, key=lambda episode: (episode.task_id, episode.trial)):
        by_task.setdefault(episode.task_id, []).append(episode)
    groups = list(by_task.values())
    successes = [[episode.success for episode in group] for group in groups]
    returns = [[episode.score for episode in group] for group in groups]
    counts = [(len(group), sum(group)) for group in successes]
    nan = float("nan")
    pass_at, pass_hat = {}, {}
    for k in ks(trials):
        enough = [(n, c) for n, c in counts if n >= k]
        if enough:
            pass_at[k] = math.fsum(pass_at_k(n, c, k) for n, c in enough) / len(enough)
            pass_hat[k] = math.fsum(pass_hat_k(n, c, k) for n, c in enough) / len(enough)
    actions = sum(len(episode.turns) for episode in scored)
    valid = sum(turn.valid for episode in scored for turn in episode.turns)
    return Summary(
        tasks=len(groups),
        trials=trials,
        episodes=len(episodes),
        scored=len(scored),
        environment_failures=sum(episode.failure_kind == "environment" for episode in episodes),
        outages=sum(episode.failure_kind == "outage" for episode in episodes),
        agent_failures=sum(episode.failure_kind == "agent" for episode in episodes),
        stops=dict(sorted(Counter(episode.stop for episode in scored).items())),
        cut_answers=sum(episode.cut_answers > 0 for episode in scored),
        success=success_rate(successes) if groups else Estimate(nan, 0.0, 1.0),
        success_by_kind=_by_kind(groups),
        score=mean_score(returns) if groups else Estimate(nan, nan, nan),
        alike=bool(groups) and alike([_mean(each) for each in returns]),
        pass_at=pass_at,
        pass_hat=pass_hat,
        valid_actions=valid / actions if actions else nan,
        turns=actions / len(scored) if scored else nan,
        progress=math.fsum(episode.progress for episode in scored) / len(scored) if scored else nan,
        metrics=_by_name([[episode.metrics for episode in group if episode.ended] for group in groups]),
        costs=_by_name([[episode.costs for episode in group] for group in groups]),
        prompt_tokens=sum(episode.prompt_tokens for episode in episodes),
        completion_tokens=sum(episode.completion_tokens for episode in episodes),
        cost=math.fsum(episode.cost for episode in episodes),
    )


def _by_name(groups: Sequence[Sequence[Mapping[str, float]]]) -> dict[str, Estimate]:
    """Mean over tasks of each named value of their episodes, over those that have it."""
    names = dict.fromkeys(name for group in groups for values in group for name in values)
    found = {name: [[values[name] for values in group if name in values] for group in groups] for name in names}
    return {name: mean_score([trials for trials in by_task if trials]) for name, by_task in found.items()}


def _by_kind(groups: Sequence[Sequence[EpisodeRecord]]) -> dict[str, Estimate]:
    """Success of the tasks of each kind; a world with one kind of task calls it by the empty string, or not at all."""
    kinds = sorted({group[0].task_kind for group in groups} - {""})
    return {
        kind: success_rate([[episode.success for episode in group] for group in groups if group[0].task_kind == kind])
        for kind in kinds
    }
