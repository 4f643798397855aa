"""Generators of tasks with texts, and tasks made of the data sets that scikit-learn ships."""

from __future__ import annotations

from typing import Any

import numpy as np

from agentgym.envs.code._tiny_mle.data import TEST, TRAIN, Draw, Generator, Made, plain, yes_no

TOPICS = {
    "garden": ["soil", "seed", "bloom", "hedge", "prune", "mulch", "bulb", "frost", "spade", "rows", "weeds", "stem"],
    "kitchen": ["oven", "dough", "salt", "roast", "simmer", "whisk", "broth", "spice", "knead", "glaze", "pan", "oil"],
    "harbor": ["tide", "mast", "anchor", "cargo", "pilot", "quay", "rope", "hull", "crane", "ferry", "swell", "buoy"],
    "studio": [
        "canvas",
        "brush",
        "clay",
        "sketch",
        "frame",
        "varnish",
        "pigment",
        "easel",
        "cast",
        "print",
        "ink",
        "light",
    ],
}
COMMON = [
    "the",
    "a",
    "of",
    "with",
    "and",
    "we",
    "had",
    "some",
    "for",
    "this",
    "it",
    "was",
    "our",
    "two",
    "new",
    "old",
    "last",
    "near",
    "very",
    "long",
]
GOOD, BAD = ["lovely", "great", "solid", "bright", "warm", "quick"], ["dull", "poor", "broken", "slow", "cold", "rude"]


def _sentence(draw: Draw, words: list[str], own: int, common: int) -> str:
    chosen = [words[int(at)] for at in draw.rng.integers(len(words), size=own)]
    chosen += [COMMON[int(at)] for at in draw.rng.integers(len(COMMON), size=common)]
    return " ".join(chosen[int(at)] for at in draw.rng.permutation(len(chosen)))


def topics(draw: Draw) -> Made:
    """Words tell the topic of a note."""
    labels = list(TOPICS)
    which = draw.choice(labels)
    every = [word for words in TOPICS.values() for word in words]
    text = [
        f"{_sentence(draw, TOPICS[each], 3, 6)} {_sentence(draw, every, 2 + draw.variant, 2)}" for each in which
    ]  # fmt: skip
    note, target = draw.names(2)
    return Made({note: text, target: which}, target, "macro_f1", "Notes and the desk that they went to.")


def reviews(draw: Draw) -> Made:
    """Words tell what somebody liked, unless `not` stands before them."""
    texts, label = [], []
    for _ in range(draw.rows):
        total, parts = 0, []
        for _ in range(3 + draw.variant):
            good, negated = draw.rng.random() < 0.5, draw.rng.random() < 0.35
            word = (GOOD if good else BAD)[int(draw.rng.integers(6))]
            parts.append(f"{_sentence(draw, COMMON, 1, 1)} {'not ' if negated else ''}{word}")
            total += 1 if good != negated else -1
        texts.append(" ".join(parts))
        label.append(total > 0 if total else bool(draw.rng.random() < 0.5))
    note, target = draw.names(2)
    pairs = ({"text": "pairs"},)
    return Made(
        {note: texts, target: yes_no(label)}, target, "accuracy", "Reviews and if one came back.", recipes=pairs
    )


def mixed(draw: Draw) -> Made:
    """Numbers and a text that each tell a part."""
    numbers = draw.normal(4)
    urgent = draw.rng.random(draw.rows) < 0.4
    words = ["leak", "smoke", "alarm", "stuck"]
    text = [
        _sentence(draw, words if each else TOPICS["studio"], 1, 6 + draw.variant) for each in urgent
    ]  # fmt: skip
    note, target = draw.names(2)
    label = draw.labels(2 * numbers[:, 0] + numbers[:, 1] + 3 * (urgent - 0.4))
    return Made({note: text, **draw.table(numbers), target: label}, target, "auc", "Requests and if they were urgent.")


def strands(draw: Draw) -> Made:
    """Chains of letters of two sources."""
    letters = "ACGT"
    chances = [draw.rng.dirichlet(np.full(4, 0.7 + 0.2 * draw.variant), size=4) for _ in range(2)]
    which = draw.rng.integers(2, size=draw.rows)
    texts = []
    for source in which:
        chain = [int(draw.rng.integers(4))]
        while len(chain) < 30:
            chain.append(int(draw.rng.choice(4, p=chances[source][chain[-1]])))
        texts.append("".join(letters[each] for each in chain))
    strand, target = draw.names(2)
    label = [f"source {'ab'[int(each)]}" for each in which]
    flip = draw.rng.random(draw.rows) < 0.05
    told = [f"source {'ab'[int(each)]}" for each in np.where(flip, 1 - which, which)]
    about = "Strands and where they come from, a few noted wrongly; the test was checked."
    return Made({strand: texts, target: told}, target, "accuracy", about, truth=label, recipes=({"text": "letters"},))


def adverts(draw: Draw) -> Made:
    """Words of an advert add to a price."""
    worth = {word: float(draw.rng.normal(scale=6)) for words in TOPICS.values() for word in words[:8]}
    names = list(worth)
    numbers = draw.normal(2)
    texts = [_sentence(draw, names, 4 + draw.variant, 4) for _ in range(draw.rows)]
    value = [50 + sum(worth.get(word, 0) for word in text.split()) for text in texts] + 4 * numbers[:, 0]
    note, target = draw.names(2)
    table = {note: texts, **draw.table(numbers), target: plain(value + draw.normal(1)[:, 0])}
    return Made(table, target, "rmse", "Adverts and what was paid.")


def _shipped(draw: Draw, name: str) -> tuple[np.ndarray, Any]:
    """Rows of a data set of scikit-learn in a new order and other units, so that no memory of it helps."""
    from sklearn import datasets

    numbers, target = getattr(datasets, f"load_{name}")(return_X_y=True)
    chosen = draw.rng.permutation(len(numbers))[: TRAIN + TEST]
    spread = draw.rng.uniform(0.5, 3, numbers.shape[1]) / np.maximum(numbers.std(axis=0), 1e-9)
    columns = draw.rng.permutation(numbers.shape[1])
    return (numbers[chosen] * spread)[:, columns], target[chosen]


def _sorted(draw: Draw, name: str, metric: str, about: str, noise: float, most: int = 64) -> Made:
    """A data set with labels; more noise on the numbers from variant to variant."""
    numbers, which = _shipped(draw, name)
    numbers = numbers + noise * (1 + draw.variant) * draw.rng.normal(size=numbers.shape)
    names = draw.names(1 + (0 if numbers.shape[1] > 40 else numbers.shape[1]))
    columns = names[1:] or [f"dot{at:02}" for at in range(numbers.shape[1])]
    labels = [f"sort {int(each)}" for each in which] if metric != "auc" else yes_no(which)
    return Made(draw.table(numbers[:, :most], columns[:most]) | {names[0]: labels}, names[0], metric, about)


def iris(draw: Draw) -> Made:
    """Flowers (Fisher 1936)."""
    return _sorted(draw, "iris", "accuracy", "Flowers of three sorts.", 0.2)


def wine(draw: Draw) -> Made:
    """Wines by their chemistry (Forina et al. 1988)."""
    return _sorted(draw, "wine", "macro_f1", "Wines of three growers.", 0.6)


def digits(draw: Draw) -> Made:
    """Digits of 8 by 8 dots (Alpaydin and Kaynak 1998)."""
    return _sorted(draw, "digits", "accuracy", "Dots of written digits.", 0.3)


def tumors(draw: Draw) -> Made:
    """Tumors by their cells (Street, Wolberg and Mangasarian 1993)."""
    return _sorted(draw, "breast_cancer", "auc", "Cells under a microscope.", 1.2)


def diabetes(draw: Draw) -> Made:
    """How a disease went on after a year (Efron et al. 2004)."""
    numbers, value = _shipped(draw, "diabetes")
    (target,) = draw.names(1)
    metric = ("rmse", "mae", "r2")[draw.variant % 3]
    return Made(
        draw.table(numbers) | {target: plain(value)}, target, metric, "Patients and how they were a year later."
    )


def exercise(draw: Draw) -> Made:
    """The twenty men of Linnerud's club, drawn again and again with small differences; one figure is predicted."""
    from sklearn.datasets import load_linnerud

    found = load_linnerud()
    rows = draw.rng.integers(len(found.data), size=draw.rows)
    numbers = np.hstack([found.data, found.target])[rows]
    numbers = numbers * (1 + 0.05 * draw.normal(numbers.shape[1]))
    at = 3 + draw.variant % 3
    (target,) = draw.names(1)
    table = draw.table(np.delete(numbers, at, axis=1)) | {target: plain(numbers[:, at])}
    return Made(table, target, "rmse", "Men of a club: exercises and sizes.")


OTHERS: dict[str, Generator] = {
    each.__name__: each
    for each in (topics, reviews, mixed, strands, adverts, iris, wine, digits, tumors, diabetes, exercise)
}
SHIPPED = ("iris", "wine", "digits", "tumors", "diabetes", "exercise")
"""Kinds that are made of what scikit-learn ships."""
