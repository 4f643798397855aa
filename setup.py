"""Maps the top-level folders to their place under the `agentgym` namespace; everything else is in pyproject.toml."""

from setuptools import find_namespace_packages, setup

ROOMS = {
    "agentgym": "agentgym",
    "agentgym.envs": "envs",
    "agentgym.wrappers": "wrappers",
    "agentgym.assets": "assets",
    "agentgym.baselines": "baselines",
}
NOT_SHIPPED = [
    "webshop.generate",
    "webshop.generate.*",
    "code._repair.generate",
    "code._repair.generate.*",
    "code._tiny_mle.generate",
    "code._tiny_mle.generate.*",
]  # what wrote a data file, and is run in a checkout


def sub_packages(folder: str) -> list[str]:
    """Every folder below `folder`, those that hold only data included: setuptools packs the files of packages alone."""
    return find_namespace_packages(folder, exclude=["*__pycache__*", *NOT_SHIPPED])


setup(
    package_dir=ROOMS,
    packages=[
        name for room, folder in ROOMS.items() for name in (room, *(f"{room}.{s}" for s in sub_packages(folder)))
    ],
)
