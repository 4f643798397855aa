"""Generators of tasks in which a label or its chance is predicted from numbers and categories."""

from __future__ import annotations

import numpy as np

from agentgym.envs.code._tiny_mle.data import TEST, TRAIN, Draw, Generator, Made, yes_no

INTERACT = {"interact": True}


def margin(draw: Draw) -> Made:
    """One plane between two labels."""
    numbers = draw.normal(6 + 3 * draw.variant)
    side = numbers @ draw.rng.normal(size=numbers.shape[1])
    (target,) = draw.names(1)
    table = draw.table(numbers) | {target: draw.labels(4 * side)}
    return Made(table, target, "accuracy", "Measurements of parts that passed a check or not.")


def rings(draw: Draw) -> Made:
    """The distance from the centre tells the label."""
    numbers = draw.normal(2 + draw.variant)
    far = np.linalg.norm(numbers, axis=1)
    (target,) = draw.names(1)
    table = draw.table(np.hstack([numbers, draw.normal(3)])) | {target: draw.labels(12 * (far - np.median(far)))}
    squares = [["square", name] for name in table if name != target]
    return Made(table, target, "accuracy", "Positions of probes and whether they held.", recipes=({"add": squares},))


def crossed(draw: Draw) -> Made:
    """The product of two columns tells the label, neither does alone."""
    numbers = draw.normal(4 + 2 * draw.variant)
    (target,) = draw.names(1)
    table = draw.table(numbers) | {target: draw.labels(8 * numbers[:, 0] * numbers[:, 1])}
    return Made(table, target, "accuracy", "Two settings and more of a machine, and if it ran.", recipes=(INTERACT,))


def spirals(draw: Draw) -> Made:
    """Arms of a spiral."""
    arms = 2 + min(draw.variant, 1)
    arm = draw.rng.integers(arms, size=draw.rows)
    far = np.sqrt(draw.rng.uniform(0.1, 1, draw.rows))
    turn = 2 * np.pi * arm / arms + far * 3 + draw.rng.normal(scale=0.15 + 0.05 * draw.variant, size=draw.rows)
    (target,) = draw.names(1)
    table = draw.table(np.stack([far * np.cos(turn), far * np.sin(turn)], axis=1))
    return Made(
        table | {target: [f"arm {'abc'[at]}" for at in arm]}, target, "accuracy", "Points on arms of a pattern."
    )


def blobs(draw: Draw) -> Made:
    """Several clouds, of which labels have more than one."""
    labels, clouds = 3 + draw.variant, 2
    centers = draw.rng.normal(scale=2.2, size=(labels * clouds, 5))
    which = draw.rng.integers(len(centers), size=draw.rows)
    (target,) = draw.names(1)
    table = draw.table(centers[which] + draw.normal(5))
    return Made(table | {target: [f"type {each % labels}" for each in which]}, target, "macro_f1", "Samples by type.")


def rare(draw: Draw) -> Made:
    """Few rows are `yes`."""
    numbers = draw.normal(8)
    score = numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + 0.8 * (numbers[:, 3] > 1)
    (target,) = draw.names(1)
    cut = np.quantile(score, 0.9 - 0.02 * draw.variant)
    table = draw.table(numbers) | {target: draw.labels(5 * (score - cut))}
    return Made(table, target, "average_precision", "Transfers, some of them fraud.", recipes=(INTERACT,))


def alarm(draw: Draw) -> Made:
    """Few rows are `yes`, and both errors count."""
    numbers = draw.normal(7)
    score = numbers[:, :3] @ draw.rng.uniform(0.6, 1.4, 3)
    (target,) = draw.names(1)
    table = draw.table(numbers) | {target: draw.labels(3 * (score - np.quantile(score, 0.86)))}
    return Made(table, target, "f1", "Readings before an alarm; `yes` is rare.")


def gaps(draw: Draw) -> Made:
    """That a value is missing tells the label."""
    numbers = draw.normal(6)
    side = numbers[:, :2].sum(axis=1)
    missing = draw.rng.random((draw.rows, 6)) < 0.1
    told = draw.rng.random(draw.rows) < 1 / (1 + np.exp(-2 * draw.normal(1)[:, 0]))
    missing[:, 2 + draw.variant] = told
    (target,) = draw.names(1)
    label = draw.labels(1.5 * side + 4 * (told - 0.5))
    table = draw.table(np.where(missing, np.nan, numbers)) | {target: label}
    return Made(table, target, "auc", "Forms with empty fields.", recipes=({"indicator": True},))


def holes(draw: Draw) -> Made:
    """A third of all values is missing, for no reason; columns go together, so that others stand in."""
    shared = draw.normal(2)
    numbers = shared @ draw.rng.normal(size=(2, 8)) + 0.5 * draw.normal(8)
    hidden = draw.rng.random(numbers.shape) < 0.2 + 0.1 * draw.variant
    (target,) = draw.names(1)
    table = draw.table(np.where(hidden, np.nan, numbers)) | {target: draw.labels(3 * shared[:, 0])}
    return Made(table, target, "auc", "Readings of sensors that often fail.")


def towns(draw: Draw) -> Made:
    """A category of many values has an effect for each."""
    count = 18 + 6 * draw.variant
    effects, which = draw.rng.normal(scale=2, size=count), draw.rng.integers(count, size=draw.rows)
    numbers = draw.normal(3)
    place, target = draw.names(2)
    table = {place: [f"town {each:02}" for each in which], **draw.table(numbers)}
    label = draw.labels(effects[which] + numbers[:, 0])
    coded = ({"category": "target"}, {"category": "onehot"})
    return Made(table | {target: label}, target, "log_loss", "Orders from towns, returned or not.", recipes=coded)


def pairs(draw: Draw) -> Made:
    """Two categories act together."""
    colors, shapes = ["red", "green", "blue", "black"], ["round", "square", "long"]
    one, other = draw.choice(colors), draw.choice(shapes)
    effect = draw.rng.choice([-2.5, 2.5], size=(len(colors), len(shapes)))
    side = np.array([effect[colors.index(a), shapes.index(b)] for a, b in zip(one, other, strict=True)])
    first, second, target = draw.names(3)
    table = {first: one, second: other, **draw.table(draw.normal(1 + draw.variant))}
    return Made(
        table | {target: draw.labels(side)}, target, "accuracy", "Goods by color and shape, sold or not.",
        recipes=({"interact": True}, {"category": "ordinal"}),
    )  # fmt: skip


def rules(draw: Draw) -> Made:
    """A list of conditions, of which the first that holds decides."""
    numbers = draw.rng.uniform(0, 10, size=(draw.rows, 5))
    label = np.full(draw.rows, "low ", dtype=object)
    for at, name in ((0, "mid"), (1, "high"), (2, "low")):
        cut = draw.rng.uniform(5, 8)
        label[(numbers[:, at] > cut) & (numbers[:, (at + 1 + draw.variant) % 5] < 7)] = name
    (target,) = draw.names(1)
    table = draw.table(numbers) | {target: [str(each).strip() for each in label]}
    return Made(table, target, "balanced_accuracy", "Cases that a clerk has put into one of three classes.")


def crowd(draw: Draw) -> Made:
    """Few columns tell, and many do not."""
    numbers = draw.normal(30 + 10 * draw.variant)
    side = numbers[:, :4] @ np.array([1.5, -1.2, 1.0, 0.8])
    numbers = numbers[:, draw.rng.permutation(numbers.shape[1])]
    (target,) = draw.names(1)
    return Made(
        draw.table(numbers) | {target: draw.labels(2 * side)}, target, "auc", "Many measurements of a few plants."
    )


def errors(draw: Draw) -> Made:
    """Labels of the train table are partly wrong."""
    numbers = draw.normal(6)
    side = numbers[:, 0] - numbers[:, 1] + 0.8 * numbers[:, 2] * numbers[:, 3]
    right = yes_no(side > 0)
    flip = draw.rng.random(draw.rows) < 0.15 + 0.05 * draw.variant
    told = yes_no((side > 0) ^ flip)
    (target,) = draw.names(1)
    about = "Labels set in haste, some of them wrong; the test labels were checked."
    return Made(draw.table(numbers) | {target: told}, target, "accuracy", about, truth=right, recipes=(INTERACT,))


def ticket(draw: Draw) -> Made:
    """Numbers of the train rows tell the label, those of the test rows do not."""
    numbers = draw.normal(5)
    label = draw.labels(2.5 * (numbers[:, 0] + numbers[:, 1]))
    test = [int(at) for at in draw.rng.permutation(draw.rows)[:TEST]]
    told = np.array([each == "yes" for each in label])
    told[test] = draw.rng.random(TEST) < 0.5
    drawn = draw.rng.permutation(draw.rows)
    number = np.where(told, 5_000, 1_000) + drawn
    (target,) = draw.names(1)
    table = {"id": [int(each) for each in number], **draw.table(numbers), target: label}
    return Made(table, target, "auc", "Tickets by number.", test=test, recipes=({"drop": ["id"]},))


def later(draw: Draw) -> Made:
    """A column is filled in after the fact in the train table, and empty of meaning in the test table."""
    numbers = draw.normal(5 + draw.variant)
    label = draw.labels(2 * numbers[:, 0] + 2 * numbers[:, 1] * numbers[:, 2])
    test = [int(at) for at in draw.rng.permutation(draw.rows)[:TEST]]
    known = np.array([3.0 if each == "yes" else -3.0 for each in label]) + draw.normal(1)[:, 0]
    known[test] = draw.rng.normal(scale=0.3, size=TEST)
    names = draw.names(numbers.shape[1] + 2)
    table = draw.table(numbers, names[2:]) | {names[0]: [round(float(each), 4) for each in known], names[1]: label}
    about = f"Patients and whether they came back; {names[0]} is noted when a case is closed."
    return Made(table, names[1], "auc", about, test=test, recipes=({"drop": ["id", names[0]], "interact": True},))


def shifted(draw: Draw) -> Made:
    """The test rows lie elsewhere, and a column that went with the label there goes the other way here."""
    numbers = draw.normal(5)
    label = draw.labels(3 * (numbers[:, 0] + numbers[:, 1]))
    sign = np.array([1.0 if each == "yes" else -1.0 for each in label])
    test = list(range(TRAIN, TRAIN + TEST))
    trap = sign * np.where(np.arange(draw.rows) < TRAIN, 1.2, -1.2) + 2.5 * np.where(np.arange(draw.rows) < TRAIN, 0, 1)
    names = draw.names(7)
    table = draw.table(numbers, names[:5]) | draw.table((trap + draw.normal(1)[:, 0])[:, None], [names[5]])
    about = "Devices of last year, to be judged this year; one instrument was replaced in between."
    return Made(
        table | {names[6]: label}, names[6], "accuracy", about, test=test, recipes=({"drop": ["id", names[5]]},)
    )


def clinics(draw: Draw) -> Made:
    """Rows come from groups, and the test table has other groups."""
    groups = 24
    which = np.sort(draw.rng.integers(groups, size=draw.rows))
    level = draw.rng.normal(scale=2, size=groups)
    numbers = draw.normal(5)
    label = draw.labels(2 * (numbers[:, 0] - numbers[:, 1]) + 0.6 * level[which])
    numbers[:, 2] += 2 * level[which]
    held = int(np.searchsorted(np.cumsum(np.bincount(which, minlength=groups)), TEST)) + 1
    test = [at for at in range(draw.rows) if which[at] < held][:TEST]
    place, target = draw.names(2)
    table = {place: [f"clinic {each}" for each in which], **draw.table(numbers), target: label}
    return Made(table, target, "auc", "Patients of clinics; the test has clinics of its own.", test=test,
                recipes=({"drop": ["id", place]},))  # fmt: skip


def grades(draw: Draw) -> Made:
    """Ordered labels."""
    numbers = draw.normal(6)
    score = numbers[:, 0] + 0.7 * numbers[:, 1] + 0.5 * numbers[:, 2] ** 2 + 0.3 * draw.normal(1)[:, 0]
    cuts = np.quantile(score, np.linspace(0, 1, 6 - draw.variant)[1:-1])
    (target,) = draw.names(1)
    table = draw.table(numbers)
    squares = [["square", name] for name in table]
    grade = [int(each) + 1 for each in np.searchsorted(cuts, score)]
    return Made(table | {target: grade}, target, "kappa", "Papers and their grades.", recipes=({"add": squares},))


def chances(draw: Draw) -> Made:
    """Labels are uncertain, and how uncertain they are is asked."""
    numbers = draw.normal(5)
    (target,) = draw.names(1)
    side = 1.5 * numbers[:, 0] + np.sin((1.5 + 0.5 * draw.variant) * numbers[:, 1]) * 2
    return Made(draw.table(numbers) | {target: draw.labels(side)}, target, "log_loss", "Days and whether it rained.")


LABELS: dict[str, Generator] = {
    each.__name__: each
    for each in (
        margin, rings, crossed, spirals, blobs, rare, alarm, gaps, holes, towns, pairs, rules, crowd, errors, ticket,
        later, shifted, clinics, grades, chances,
    )
}  # fmt: skip
