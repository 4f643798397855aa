"""What advantages are made of: rewards by turn, returns, groups, GAE, and one number a token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.core import ConfigError, find_card
from agentgym.core.json_text import read_json
from agentgym.rollout import Episode, Segment
from agentgym.rollout.episode import Span

Floats = NDArray[np.float64]
TokenAdvantages = list[list[Floats]]
"""`advantages[episode][segment]` holds one number a token, 0 off sampled tokens."""

SPREAD = 1e-6  # numbers of a group that differ by less are equal
BOOTSTRAP = "bootstrap"  # a critic's annotation on the last turn: the value of what came after it


def called_tool(action: str) -> str:
    """The tool that an action names; empty if it is no call.

    Args:
        action: What was said to the world.
    """
    try:
        call = read_json(action)
    except ValueError:
        return ""
    name = call.get("name") if isinstance(call, dict) else None
    return name if isinstance(name, str) else ""


def turn_rewards(episode: Episode, name: str = "") -> list[float]:
    """One reward a turn.

    Args:
        episode: Whose.
        name: "" for the world's rewards, with the episode's bonus added to the last; else the annotation of that name,
            which a learner wrote on every turn, or the term of that name which the world tells beside its reward
            (`info["metrics"]`).

    Raises:
        ConfigError: if a turn has neither.
    """
    if name:
        told = [turn.annotations.get(name, turn.rewards.get(name)) for turn in episode.turns]
        if any(value is None for value in told):
            raise ConfigError(
                f"no learner wrote {name!r} on the turns, and the world tells no term of that name; add the "
                "[[learner]] that does"
            )
        return [float(value) for value in told if value is not None]
    rewards = [turn.reward for turn in episode.turns]
    if episode.bonus:
        rewards[-1] += episode.bonus
    return rewards


def returns_to_go(rewards: Sequence[float], gamma: float) -> list[float]:
    """At each turn the discounted sum of its reward and all later ones.

    Args:
        rewards: One a turn.
        gamma: Discount of a turn, from 0 to 1.
    """
    total, backwards = 0.0, []
    for reward in reversed(rewards):
        total = reward + gamma * total
        backwards.append(total)
    return backwards[::-1]


def part_of(episode: Episode) -> tuple[str, str]:
    """Whose side of the play an episode is: player and role, "" where there is only one."""
    return episode.player, episode.role


def members(episodes: Sequence[Episode]) -> dict[Hashable, list[int]]:
    """Places of the episodes that are compared: same task and seed, same player and role where there are several."""
    groups: dict[Hashable, list[int]] = {}
    for place, episode in enumerate(episodes):
        groups.setdefault((episode.group, *part_of(episode)), []).append(place)
    return groups


def whole_groups(episodes: Sequence[Episode], group_size: int) -> list[Episode]:
    """Episodes that have others beside them: a group that environment failures left with one cannot be compared.

    A child is compared with others if the episode that it came from is.

    Args:
        episodes: Those of an update.
        group_size: How many of a group were begun.
    """
    sizes = Counter((episode.group, *part_of(episode)) for episode in episodes)
    roots = roots_of(episodes)
    return [
        episode
        for episode, root in zip(episodes, roots, strict=True)
        if sizes[root.group, *part_of(root)] > 1 or group_size == 1
    ]


def roots_of(episodes: Sequence[Episode]) -> list[Episode]:
    """Of each episode the one that its parents, as far as they are there, come from; of most that is the episode.

    Args:
        episodes: Played in one round; numbers count within a group.
    """
    known = {(episode.group, episode.number): episode for episode in episodes}
    found = []
    for episode in episodes:
        root = episode
        while root.parent is not None and root.parent.kind == "child":
            parent = known.get((root.group, root.parent.episode))
            if parent is None:
                break
            root = parent
        found.append(root)
    return found


def spans_by_turn(episode: Episode) -> list[tuple[Segment, Span]]:
    """Every span that was sampled, in the order of turns, with the segment it lies in."""
    return sorted(
        ((segment, span) for segment in episode.segments for span in segment.spans), key=lambda pair: pair[1].turn
    )


def standardized(values: Floats, center: float, spread: float) -> Floats:
    """(values - centre) / spread; 0 where there is no spread, for values that are all equal teach nothing.

    Args:
        values: Numbers of any shape.
        center: What is subtracted, such as their mean.
        spread: What is divided by, such as their standard deviation.
    """
    return np.zeros_like(values) if spread <= SPREAD else (values - center) / spread


def generalized_advantages(
    rewards: Sequence[float], values: Sequence[float], after: float, gammas: Sequence[float], lam: float
) -> list[float]:
    """Generalized advantage estimation (Schulman et al. 2016, arXiv:1506.02438, equation 16).

    Args:
        rewards: Reward of each step.
        values: A critic's value of the state before each step.
        after: Its value of the state after the last step: 0 if the world ended the episode.
        gammas: Discount between each step and the next.
        lam: 0 trusts the critic for everything after one step, 1 for nothing.
    """
    total, following, backwards = 0.0, after, []
    for reward, value, gamma in zip(reversed(rewards), reversed(values), reversed(gammas), strict=True):
        total = reward + gamma * following - value + gamma * lam * total
        following = value
        backwards.append(total)
    return backwards[::-1]


def value_after(episode: Episode) -> float:
    """What came after the last turn is worth: nothing if the world ended the episode, else what a critic says.

    An episode that ran out of turns or context was cut off, not lost (Pardo et al. 2018, arXiv:1712.00378).
    """
    if episode.stop == "terminated":
        return 0.0
    try:
        return episode.turns[-1].annotations[BOOTSTRAP]
    except KeyError:
        raise ConfigError(f"no learner wrote {BOOTSTRAP!r} on the last turn; add [[learner]] name = 'critic'") from None


def check_step_rewards(name: str, recipe: Any, what: str) -> None:
    """Refuse a reward that no learner of a recipe writes and not all of its worlds tell.

    Args:
        name: Of an annotation or of a term of the reward; "" stands for the rewards of the world, which always are.
        recipe: The `agentgym.train.Recipe`.
        what: Who reads it, for the message.
    """
    if not name or any(name in part.writes for part in recipe.learners):
        return
    for plan in recipe.plans:
        known = find_card(plan.world.id)
        if known is None or name not in known.metrics:
            told = f"; it tells: {', '.join(known.metrics)}" if known is not None and known.metrics else ""
            raise ConfigError(
                f"{what} reads the turn reward {name!r}, which no [[learner]] of the recipe writes and {plan.world.id} "
                f"does not tell{told}"
            )


def check_discount(part: object, **values: float) -> None:
    """Refuse discounts and the like outside [0, 1].

    Args:
        part: Whose they are, for the message.
        values: Numbers by name.
    """
    for name, value in values.items():
        if not 0 <= value <= 1:
            raise ConfigError(f"{name} of {type(part).__name__} must lie in [0, 1], got {value}")


def per_episode(episodes: Sequence[Episode], values: Sequence[float]) -> TokenAdvantages:
    """Every sampled token of an episode gets the episode's value.

    Args:
        episodes: Episodes with segments.
        values: One number an episode.
    """
    return [
        [value * np.asarray(segment.sampled_mask, np.float64) for segment in episode.segments]
        for episode, value in zip(episodes, values, strict=True)
    ]


def per_turn(episodes: Sequence[Episode], values: Sequence[Sequence[float]]) -> TokenAdvantages:
    """Every sampled token of turn t of episode e gets `values[e][t]`.

    Args:
        episodes: Episodes with segments.
        values: Of each episode, one number a turn.
    """
    advantages = []
    for episode, turns in zip(episodes, values, strict=True):
        if len(turns) != len(episode.turns):
            raise ValueError(f"an episode of {len(episode.turns)} turns got {len(turns)} values")
        rows = []
        for segment in episode.segments:
            row = np.zeros(len(segment))
            for span in segment.spans:
                row[span.start : span.end] = turns[span.turn]
            rows.append(row)
        advantages.append(rows)
    return advantages


def weighted_sum(terms: Sequence[tuple[float, TokenAdvantages]]) -> TokenAdvantages:
    """The weighted sum of advantages of the same episodes.

    Args:
        terms: Weight and advantages of each term, at least one.

    Raises:
        ConfigError: if a sum is no finite number, naming the episode.
    """
    (first, total), *rest = terms
    result = [[first * row for row in rows] for rows in total]
    for weight, other in rest:
        for mine, theirs in zip(result, other, strict=True):
            for row, extra in zip(mine, theirs, strict=True):
                row += weight * extra
    for number, rows in enumerate(result):
        if not all(np.isfinite(row).all() for row in rows):
            raise ConfigError(f"the advantage of episode {number} is no finite number; look at its rewards")
    return result
