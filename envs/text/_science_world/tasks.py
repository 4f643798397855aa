"""The 30 tasks of ScienceWorld, how many variations each has, and the official splits."""

from __future__ import annotations

from collections.abc import Sequence

TASKS = {  # name: the number of the paper, what it is called there, its variations
    "boil": ("1-1", "Changes of State (Boiling)", 30),
    "melt": ("1-2", "Changes of State (Melting)", 30),
    "freeze": ("1-3", "Changes of State (Freezing)", 30),
    "change-the-state-of-matter-of": ("1-4", "Changes of State (Any)", 30),
    "use-thermometer": ("2-1", "Use Thermometer", 540),
    "measure-melting-point-known-substance": ("2-2", "Measuring Melting Point (known)", 436),
    "measure-melting-point-unknown-substance": ("2-3", "Measuring Melting Point (unknown)", 300),
    "power-component": ("3-1", "Create a circuit", 20),
    "power-component-renewable-vs-nonrenewable-energy": ("3-2", "Renewable vs Non-renewable Energy", 20),
    "test-conductivity": ("3-3", "Test Conductivity (known)", 900),
    "test-conductivity-of-unknown-substances": ("3-4", "Test Conductivity (unknown)", 600),
    "find-living-thing": ("4-1", "Find a living thing", 300),
    "find-non-living-thing": ("4-2", "Find a non-living thing", 300),
    "find-plant": ("4-3", "Find a plant", 300),
    "find-animal": ("4-4", "Find an animal", 300),
    "grow-plant": ("5-1", "Grow a plant", 126),
    "grow-fruit": ("5-2", "Grow a fruit", 126),
    "chemistry-mix": ("6-1", "Mixing (generic)", 32),
    "chemistry-mix-paint-secondary-color": ("6-2", "Mixing paints (secondary colours)", 36),
    "chemistry-mix-paint-tertiary-color": ("6-3", "Mixing paints (tertiary colours)", 36),
    "lifespan-longest-lived": ("7-1", "Identify longest-lived animal", 125),
    "lifespan-shortest-lived": ("7-2", "Identify shortest-lived animal", 125),
    "lifespan-longest-lived-then-shortest-lived": ("7-3", "Identify longest-then-shortest-lived animal", 125),
    "identify-life-stages-1": ("8-1", "Identify life stages (plant)", 14),
    "identify-life-stages-2": ("8-2", "Identify life stages (animal)", 10),
    "inclined-plane-determine-angle": ("9-1", "Inclined Planes (determine angle)", 168),
    "inclined-plane-friction-named-surfaces": ("9-2", "Friction (known surfaces)", 1386),
    "inclined-plane-friction-unnamed-surfaces": ("9-3", "Friction (unknown surfaces)", 162),
    "mendelian-genetics-known-plant": ("10-1", "Mendelian Genetics (known plants)", 120),
    "mendelian-genetics-unknown-plant": ("10-2", "Mendelian Genetics (unknown plants)", 480),
}
TURNS = 100  # the package's own limit
LONG = {  # turns in tasks whose gold paths may take more: paper's numbers
    300: ("1-1", "1-2", "1-3", "1-4", "2-3", "5-1", "5-2"),
    1000: ("9-1", "9-2", "9-3", "10-1", "10-2"),
}
LIMITS = {
    task: next((turns for turns, numbers in LONG.items() if number in numbers), TURNS)
    for task, (number, _, _) in TASKS.items()
}
NAMES = tuple(TASKS)


def variations(task: str, split: str) -> range:
    """The variations of a task in a split, as the simulator cuts them: half, a quarter, and the rest.

    Args:
        task: Its name.
        split: `train`, `val` (the paper's dev) or `test`.
    """
    size = TASKS[task][2]
    quarter = size // 4
    bounds = {"train": (0, 2 * quarter), "val": (2 * quarter, 3 * quarter), "test": (3 * quarter, size)}
    return range(*bounds[split])


def ids(split: str, chosen: Sequence[str] = NAMES) -> list[str]:
    """The tasks of a split, such as `boil/21`, in the paper's order.

    Args:
        split: `train`, `val` or `test`.
        chosen: Names of tasks.
    """
    return [f"{task}/{number}" for task in TASKS if task in chosen for number in variations(task, split)]
