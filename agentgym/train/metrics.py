"""What a round is measured by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.core import ConfigError
from agentgym.rollout import STOPS, Episode
from agentgym.rollout.episode import is_child
from agentgym.train.advantage_utils import TokenAdvantages, members, roots_of
from agentgym.train.batch import Batch
from agentgym.train.kl import kl_from_sampler

Metrics = dict[str, Any]
STEP_MEASURES = ("loss", "known", "grad_norm", "entropy", "kl_sampler", "kl_reference", "clip_fraction")
SPREAD = 1e-6  # returns of a group that differ by less are equal


def play_metrics(played: Sequence[Episode]) -> Metrics:
    """How a round went: means over its episodes, counts of stop reasons, tokens read and sampled.

    Where nobody who learns was asked, as may be with delegates alone, there are no means (None).

    Raises:
        ConfigError: if the world failed in every episode.
    """
    episodes = [episode for episode in played if not episode.failed]
    if played and not episodes:
        raise ConfigError(f"the world failed in all {len(played)} episodes, last: {played[-1].failure}")
    turns = [turn for episode in episodes for turn in episode.turns]
    segments = [segment for episode in episodes for segment in episode.segments]
    spoken = role_metrics(episodes)
    return {
        **({"roles": spoken} if spoken else {}),
        "episodes": len(episodes),
        "return": sum(episode.total_return for episode in episodes) / len(episodes) if episodes else None,
        "success": sum(episode.success for episode in episodes) / len(episodes) if episodes else None,
        "turns": len(turns) / len(episodes) if episodes else None,
        "inherited_turns": sum(map(_inherited, roots_of(episodes))),
        "valid": sum(turn.valid for turn in turns) / max(1, len(turns)),
        "stops": stop_counts(played),
        "tokens": sum(map(len, segments)),
        "sampled_tokens": sum(sum(segment.sampled_mask) for segment in segments),
    }


def role_metrics(played: Sequence[Episode]) -> Metrics:
    """How often each role that shared the work of a player spoke: by role, means over its episodes.

    Args:
        played: Episodes; those of a player's only role count for nothing, nor those in which the world failed.

    Returns:
        By role, `turns`, of which `again` are all but the first: a planner's new plans; and `called`, those of them to
        which another role called it.
    """
    found: Metrics = {}
    shared = {episode.role for episode in played if is_child(episode) and episode.role}
    names = shared and dict.fromkeys(episode.role for episode in played if episode.role)
    for name in names:
        own = [episode.turns for episode in played if episode.role == name and episode.turns and not episode.failed]
        if own:
            found[name] = {
                "turns": sum(map(len, own)) / len(own),
                "again": sum(len(turns) - 1 for turns in own) / len(own),
                "called": sum(bool(turn.caller) for turns in own for turn in turns) / len(own),
            }
    return found


def world_metrics(played: Sequence[Episode]) -> Metrics:
    """`play_metrics` of each world of a mixture, by its name; of one that failed throughout, its stops alone."""
    found: Metrics = {}
    for name in dict.fromkeys(episode.world for episode in played):
        own = [episode for episode in played if episode.world == name]
        failed = all(episode.failed for episode in own)
        found[name] = {"episodes": 0, "stops": stop_counts(own)} if failed else play_metrics(own)
    return found


def stop_counts(played: Sequence[Episode]) -> dict[str, int]:
    """How many episodes ended in each way; `failure` are those in which the world failed, which no mean holds."""
    return {stop: sum(episode.stop == stop for episode in played) for stop in STOPS}


def _inherited(episode: Episode) -> int:
    """Turns that an episode took over from the one that it branched from."""
    return episode.parent.turn if episode.parent is not None and episode.parent.kind in ("branch", "proposal") else 0


def group_metrics(played: Sequence[Episode], kept: Sequence[Episode]) -> Metrics:
    """How much the episodes of a group differ.

    Args:
        played: All episodes of an update.
        kept: Those that are learned from.

    Returns:
        `groups`, `dead_groups` (all episodes earned the same), `group_variance` (mean variance of the returns within a
        group) and `solved_groups` (every episode succeeded) of what was played; `groups_learned` and
        `dead_groups_learned` of what is learned from. A group holds what is compared: where several roles share the
        work, the episodes of one role.
    """
    spreads, solved = _spreads(played)
    learned, _ = _spreads(kept)
    return {
        "groups": len(spreads),
        "dead_groups": sum(spread <= SPREAD for spread in spreads),
        "solved_groups": solved,
        "group_variance": float(np.mean(np.square(spreads))) if spreads else None,
        "groups_learned": len(learned),
        "dead_groups_learned": sum(spread <= SPREAD for spread in learned),
    }


def _spreads(episodes: Sequence[Episode]) -> tuple[list[float], int]:
    """Standard deviation of the returns of those that are compared, and how often every one of them succeeded."""
    whole = [episode for episode in episodes if not episode.failed]
    groups = [[whole[place] for place in places] for places in members(whole).values()]
    spreads = [float(np.std([episode.total_return for episode in group])) for group in groups]
    return spreads, sum(all(episode.success for episode in group) for group in groups)


@torch.no_grad()
def batch_sums(
    loss: Tensor, logprobs_BT: Tensor, entropies_BT: Tensor, clipped_BT: Tensor, batch: Batch
) -> dict[str, float]:
    """What a batch adds to the measures of its gradient step: sums over its sampled tokens.

    Args:
        loss: The batch's part of the loss.
        logprobs_BT, entropies_BT: Of the model, as `token_logprobs` gives them.
        clipped_BT: 1.0 where the clip took the gradient of a token away.
        batch: The tokens.
    """
    fresh_BT = batch.known_BT * (1 - batch.replayed_BT)
    sums = {
        "loss": loss.item(),
        "tokens": batch.sampled_BT.sum().item(),
        "entropy": entropies_BT.sum().item(),
        "known": batch.known_BT.sum().item(),
        "fresh": fresh_BT.sum().item(),
        "kl_sampler": (kl_from_sampler(logprobs_BT, batch.sampler_logprobs_BT) * batch.known_BT).sum().item(),
        "mismatch": ((logprobs_BT - batch.sampler_logprobs_BT).abs() * fresh_BT).sum().item(),
        "clip_fraction": (clipped_BT * (batch.mask_BT > 0)).sum().item(),
    }
    if batch.ref_logprobs_BT is not None:
        sums["kl_reference"] = (kl_from_sampler(batch.ref_logprobs_BT, logprobs_BT) * batch.sampled_BT).sum().item()
    return sums


def step_metrics(sums: Sequence[dict[str, float]], total: Callable[[Sequence[float]], list[float]]) -> Metrics:
    """Means over the sampled tokens of a gradient step, its loss, and the share of tokens whose sampler is known.

    What compares with the sampler is a mean over those tokens, and is left out where there are none.

    Args:
        sums: `batch_sums` of each batch of this process.
        total: Adds numbers up over the processes.
    """
    names = list(sums[0])
    totals = dict(zip(names, total([sum(each[name] for each in sums) for name in names]), strict=True))
    loss, tokens = totals.pop("loss"), totals.pop("tokens")
    counts = {"kl_sampler": totals.pop("known"), "mismatch": totals.pop("fresh")}
    means = {name: value / count for name, value in totals.items() if (count := counts.get(name, tokens))}
    return {"loss": loss, "known": counts["kl_sampler"] / tokens, **means}


def update_metrics(played: Sequence[Episode], kept: Sequence[Episode], steps: Sequence[Metrics]) -> Metrics:
    """What an update is measured by: its episodes, its groups, and means over its gradient steps.

    Args:
        played: All episodes, failed ones included.
        kept: Those that were learned from.
        steps: Measures of each gradient step.

    Returns:
        `play_metrics`, `group_metrics`, `kept` (episodes), `steps`, `STEP_MEASURES`: None where no step was taken, or
        nothing was measured, and `mismatch`: how far, in nats a token, the log-probabilities of the first gradient
        step lie from those noted while sampling, which should be equal; replayed tokens are left out.

    Raises:
        ConfigError: if the world failed in every episode.
    """
    return {**play_metrics(played), **group_metrics(played, kept), "kept": len(kept), **step_means(steps)}


def step_means(steps: Sequence[Metrics]) -> Metrics:
    """Number of gradient steps, means over them, and the `mismatch` of the first; see `update_metrics`."""
    means: Metrics = {}
    for name in STEP_MEASURES:
        values = [measured[name] for measured in steps if name in measured]
        means[name] = sum(values) / len(values) if values else None
    return {"steps": len(steps), **means, "mismatch": steps[0].get("mismatch") if steps else None}


def shaded(episodes: Sequence[Episode], advantages: TokenAdvantages, engine: HuggingFaceEngine) -> list[dict[str, Any]]:
    """The best and the worst episode of the group that differs most, each sampled token with its advantage.

    Args:
        episodes: Those that are learned from.
        advantages: One number a token of theirs.
        engine: The policy, whose tokenizer says what tokens mean.

    Returns:
        Two JSON-safe records, or none if no group differs: the episode as `Episode.record` gives it, each turn with
        `shades`, a list of [text of a token, its advantage].
    """
    pairs = [
        (
            min(places, key=lambda place: episodes[place].total_return),
            max(places, key=lambda place: episodes[place].total_return),
        )
        for places in members(episodes).values()
    ]
    worst, best = max(
        pairs, key=lambda pair: episodes[pair[1]].total_return - episodes[pair[0]].total_return, default=(0, 0)
    )
    if not episodes or episodes[best].total_return - episodes[worst].total_return <= SPREAD:
        return []
    return [_shade(episodes[place], advantages[place], engine) for place in (best, worst)]


def _shade(episode: Episode, advantages: Sequence[NDArray[np.float64]], engine: HuggingFaceEngine) -> dict[str, Any]:
    record = episode.record()
    for turn in record["turns"]:
        turn["shades"] = []
    for segment, row in zip(episode.segments, advantages, strict=True):
        for span in segment.spans:
            pieces = [engine.tokenizer.decode([token]) for token in segment.token_ids[span.start : span.end]]
            values = [round(float(value), 4) for value in row[span.start : span.end]]
            record["turns"][span.turn]["shades"] = [list(pair) for pair in zip(pieces, values, strict=True)]
    return record
