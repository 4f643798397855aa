"""Generators of tasks in which a number is predicted: from other numbers, over time, within groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agentgym.envs.code._tiny_mle.data import TEST, TRAIN, Draw, Generator, Made, plain

INTERACT = {"interact": True}
LATER = list(range(TRAIN, TRAIN + TEST))  # rows of a test table that comes after the train table


def _with(draw: Draw, numbers: np.ndarray, value: np.ndarray) -> tuple[dict[str, list[Any]], str]:
    (target,) = draw.names(1)
    return draw.table(numbers) | {target: plain(value)}, target


def sparse(draw: Draw) -> Made:
    """A few of many columns count, in proportion."""
    numbers = draw.normal(20 + 10 * draw.variant)
    value = numbers[:, :5] @ draw.rng.uniform(1, 3, 5) + draw.normal(1)[:, 0]
    table, target = _with(draw, numbers, value)
    return Made(table, target, "rmse", "Yields of trials with many settings.")


def curve(draw: Draw) -> Made:
    """A polynomial of two columns."""
    numbers = draw.rng.uniform(-2, 2, size=(draw.rows, 3 + draw.variant))
    value = numbers[:, 0] ** 2 - numbers[:, 1] ** 2 + numbers[:, 0] * numbers[:, 1] + 0.3 * draw.normal(1)[:, 0]
    table, target = _with(draw, numbers, value)
    squares = [["square", name] for name in table if name != target]
    return Made(table, target, "rmse", "Heights of a surface.", recipes=({"add": squares, "interact": True},))


def waves(draw: Draw) -> Made:
    """Sums of sines."""
    numbers = draw.rng.uniform(0, 1, size=(draw.rows, 5))
    value = 8 * np.sin(np.pi * numbers[:, 0] * numbers[:, 1]) + 6 * np.sin((3 + draw.variant) * numbers[:, 2])
    value = value + 4 * numbers[:, 3] + 0.5 * draw.normal(1)[:, 0]
    table, target = _with(draw, numbers, value)
    return Made(table, target, "r2", "Responses of a circuit.")


def areas(draw: Draw) -> Made:
    """Products of columns."""
    numbers = draw.rng.uniform(1, 5, size=(draw.rows, 4))
    value = numbers[:, 0] * numbers[:, 1] + (1 + draw.variant) * numbers[:, 2] * numbers[:, 3]
    table, target = _with(draw, numbers, value + 0.8 * draw.normal(1)[:, 0])
    return Made(table, target, "rmse", "Plots of land and what they bear.", recipes=(INTERACT,))


def shares(draw: Draw) -> Made:
    """A quotient of columns."""
    numbers = draw.rng.uniform(0.5, 4, size=(draw.rows, 3 + draw.variant))
    value = 5 * numbers[:, 0] / numbers[:, 1] + 0.3 * draw.normal(1)[:, 0]
    table, target = _with(draw, numbers, value)
    first, second = list(table)[:2]
    return Made(table, target, "mae", "Loads, widths and strains.", recipes=({"add": [["ratio", first, second]]},))


def wild(draw: Draw) -> Made:
    """Some values of the train table are far off."""
    numbers = draw.normal(5)
    right = numbers @ np.array([3.0, -2.0, 1.0, 0.5, 0.0]) + 0.5 * draw.normal(1)[:, 0]
    off = draw.rng.random(draw.rows) < 0.1 + 0.05 * draw.variant
    told = np.where(off, right + draw.rng.choice([-25.0, 40.0], draw.rows), right)
    table, target = _with(draw, numbers, told)
    about = "Readings typed in by hand, some with slips; the test was checked."
    return Made(table, target, "mae", about, truth=plain(right))


def counts(draw: Draw) -> Made:
    """Whole numbers from rates."""
    numbers = draw.normal(5)
    rate = np.exp(0.8 + 0.7 * numbers[:, 0] - 0.5 * numbers[:, 1] + (0.2 + 0.1 * draw.variant) * numbers[:, 2])
    (target,) = draw.names(1)
    table = draw.table(numbers) | {target: [int(each) for each in draw.rng.poisson(np.minimum(rate, 60))]}
    return Made(table, target, "poisson", "Visits in an hour.", recipes=({"log_target": True},))


def prices(draw: Draw) -> Made:
    """Skewed values that multiply."""
    numbers = draw.normal(4)
    kinds = ["flat", "house", "barn", "tower"]
    kind = draw.choice(kinds)
    base = np.array([{"flat": 0.0, "house": 0.8, "barn": -0.6, "tower": 1.2}[each] for each in kind])
    value = np.exp(
        4 + base + 0.6 * numbers[:, 0] - 0.4 * numbers[:, 1] + 0.15 * (1 + draw.variant) * draw.normal(1)[:, 0]
    )
    (name,) = draw.names(1)
    table, target = _with(draw, numbers, value)
    return Made({name: kind, **table}, target, "rmsle", "Prices of buildings.", recipes=({"log_target": True},))


def steps(draw: Draw) -> Made:
    """Jumps at cuts."""
    numbers = draw.rng.uniform(0, 10, size=(draw.rows, 4))
    value = 5.0 * (numbers[:, 0] > 4) + 8.0 * ((numbers[:, 1] > 6) & (numbers[:, 2] < 5)) - 3.0 * (numbers[:, 3] > 8)
    table, target = _with(draw, numbers, value + (0.4 + 0.2 * draw.variant) * draw.normal(1)[:, 0])
    return Made(table, target, "rmse", "Fees by tariff.")


def wards(draw: Draw) -> Made:
    """Categories shift a number, and one changes a slope."""
    wards_, slopes = [f"ward {each}" for each in "abcdefgh"], draw.rng.normal(scale=2, size=8)
    which = draw.rng.integers(8, size=draw.rows)
    numbers = draw.normal(3)
    value = 3 * draw.rng.normal(size=8)[which] + slopes[which] * numbers[:, 0] + numbers[:, 1]
    (name,) = draw.names(1)
    table, target = _with(draw, numbers, value + (0.4 + 0.2 * draw.variant) * draw.normal(1)[:, 0])
    return Made({name: [wards_[at] for at in which], **table}, target, "mae", "Costs by ward.", recipes=(INTERACT,))


def sensors(draw: Draw) -> Made:
    """Columns that say the same, with gaps."""
    shared = draw.normal(3)
    numbers = np.repeat(shared, 3, axis=1) + 0.4 * draw.normal(9)
    numbers[draw.rng.random(numbers.shape) < 0.15 + 0.1 * draw.variant] = np.nan
    value = shared @ np.array([3.0, -2.0, 1.0]) + 0.4 * draw.normal(1)[:, 0]
    table, target = _with(draw, numbers, value)
    return Made(table, target, "rmse", "Three quantities, each read by three sensors that sometimes fail.")


def alike(draw: Draw) -> Made:
    """Columns that nearly say the same, whose differences count."""
    shared = draw.normal(1)
    numbers = shared + 0.15 * draw.normal(6 + draw.variant)
    value = 8 * (numbers[:, 0] - numbers[:, 1]) + shared[:, 0] + 0.3 * draw.normal(1)[:, 0]
    table, target = _with(draw, numbers, value)
    return Made(table, target, "rmse", "Clocks that nearly agree, and a drift.")


def upper(draw: Draw) -> Made:
    """A quantile is asked, and the spread depends on a column."""
    numbers = draw.rng.uniform(0, 2, size=(draw.rows, 3))
    value = 2 * numbers[:, 0] + (0.3 + (1 + 0.5 * draw.variant) * numbers[:, 1]) * draw.normal(1)[:, 0]
    table, target = _with(draw, numbers, value)
    return Made(table, target, "pinball", "Arrivals after the plan: nine in ten shall be below what is promised.")


def order(draw: Draw) -> Made:
    """Only the order of the target counts; its scale is bent."""
    numbers = draw.normal(6)
    value = np.exp(1.5 * (numbers[:, 0] + 0.6 * numbers[:, 1] * numbers[:, 2]) + 0.4 * draw.normal(1)[:, 0])
    table, target = _with(draw, numbers, value * (1 + draw.variant))
    return Made(table, target, "spearman", "Finds and their worth.", recipes=({"log_target": True, "interact": True},))


def _days(draw: Draw) -> np.ndarray:
    return np.arange(draw.rows, dtype=float)


def season(draw: Draw) -> Made:
    """A trend and a year; the test comes after."""
    day, period = _days(draw), 24 + 12 * draw.variant
    value = 0.05 * day + 4 * np.sin(2 * np.pi * day / period) + 2 * np.cos(4 * np.pi * day / period)
    when, target = draw.names(2)
    table = {
        when: [int(each) for each in day],
        **draw.table(draw.normal(1)),
        target: plain(value + draw.normal(1)[:, 0]),
    }
    adds = [["cycle", when, period], ["cycle", when, period / 2]]
    about = f"A series by month; {when} counts them, and a year has {period}. The test follows the train table."
    return Made(table, target, "rmse", about, test=LATER, recipes=({"add": adds, "drop": ["id"]},))


def weekdays(draw: Draw) -> Made:
    """A demand by weekday, holiday and weather; the test comes after."""
    day = _days(draw)
    names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    effects = draw.rng.normal(scale=4, size=7)
    holiday = draw.rng.random(draw.rows) < 0.1
    warm = draw.normal(1)[:, 0]
    value = 20 + effects[(day % 7).astype(int)] - (5 + draw.variant) * holiday + 2 * np.maximum(warm, 0) + 0.01 * day
    when, which, free, heat, target = draw.names(5)
    table: dict[str, Sequence[Any]] = {
        when: [int(each) for each in day], which: [names[int(each) % 7] for each in day], free: yes_or_no(holiday),
        heat: plain(warm), target: plain(value + draw.normal(1)[:, 0]),
    }  # fmt: skip
    return Made(table, target, "mae", "Guests by day; the test follows the train table.", test=LATER)


def echo(draw: Draw) -> Made:
    """What was before tells what comes: the last three values stand beside each."""
    value = np.zeros(draw.rows + 3)
    noise = draw.rng.normal(size=draw.rows + 3)
    for at in range(3, len(value)):
        value[at] = 0.6 * value[at - 1] - (0.5 + 0.1 * draw.variant) * value[at - 2] + 0.3 * value[at - 3] + noise[at]
    before = np.stack([value[3 - lag : len(value) - lag] for lag in (1, 2, 3)], axis=1)
    table, target = _with(draw, np.hstack([before, draw.normal(2)]), value[3:])
    return Made(table, target, "mae", "A reading and those before it, in order.", test=LATER)


def tides(draw: Draw) -> Made:
    """Two cycles of which only the hour is given."""
    hour = _days(draw)
    value = 3 * np.sin(2 * np.pi * hour / 12.4) + (1 + 0.5 * draw.variant) * np.sin(2 * np.pi * hour / 24 + 1)
    when, target = draw.names(2)
    adds = [["cycle", when, 12.4], ["cycle", when, 24]]
    table = {when: [int(each) for each in hour], target: plain(value + 0.4 * draw.normal(1)[:, 0])}
    about = f"A level by hour ({when}); it follows the moon, 12.4 hours, and the sun, 24. The test comes after."
    return Made(table, target, "rmse", about, test=LATER, recipes=({"add": adds, "drop": ["id"]},))


def pages(draw: Draw) -> Made:
    """Documents of a query, in order of use."""
    groups, each = 42, draw.rows // 42
    query = np.repeat(np.arange(groups), each)
    numbers = draw.rng.normal(size=(len(query), 5))
    difficulty = draw.rng.normal(scale=2, size=groups)[query]
    score = numbers[:, 0] + 0.7 * np.maximum(numbers[:, 1], numbers[:, 2]) + 0.3 * draw.rng.normal(size=len(query))
    grade = np.clip(np.round(1.2 + score), 0, 3 + min(draw.variant, 1))
    numbers[:, 3] += difficulty
    name, target = draw.names(2)
    table = {name: [f"q{at}" for at in query], **draw.table(numbers), target: [int(at) for at in grade]}
    test = [at for at in range(len(query)) if query[at] < 20]
    about = f"Documents found for queries ({name}) and how useful they were, 0 to {int(grade.max())}."
    return Made(table, target, "ndcg", about, test=test, group=name, recipes=({"drop": ["id", name]},))


def tastes(draw: Draw) -> Made:
    """Offers to guests of kinds that like different things."""
    groups, each = 42, draw.rows // 42
    guest = np.repeat(np.arange(groups), each)
    kinds = ["family", "trader", "couple"]
    kind = draw.rng.integers(3, size=groups)[guest]
    numbers = draw.rng.normal(size=(len(guest), 3))
    likes = draw.rng.normal(scale=1.5, size=(3, 3))
    score = (likes[kind] * numbers).sum(axis=1) + (0.3 + 0.2 * draw.variant) * draw.rng.normal(size=len(guest))
    grade = np.clip(np.round(1.5 + score), 0, 4)
    name, sort, target = draw.names(3)
    table = {
        name: [f"g{at}" for at in guest], sort: [kinds[at] for at in kind], **draw.table(numbers),
        target: [int(at) for at in grade],
    }  # fmt: skip
    test = [at for at in range(len(guest)) if guest[at] < 20]
    about = f"Offers shown to guests ({name}) and how they liked them, 0 to 4."
    plain_ = {"drop": ["id", name]}
    return Made(table, target, "ndcg", about, test=test, group=name, recipes=(plain_, {**plain_, **INTERACT}))


def yes_or_no(values: np.ndarray) -> list[str]:
    """Truth values as a column of texts.

    Args:
        values: The column.
    """
    return ["free" if each else "open" for each in values]


NUMBERS: dict[str, Generator] = {
    each.__name__: each
    for each in (
        sparse, curve, waves, areas, shares, wild, counts, prices, steps, wards, sensors, alike, upper, order, season,
        weekdays, echo, tides, pages, tastes,
    )
}  # fmt: skip
