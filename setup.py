"""Maps the top-level folders to their place under the `agentgym` namespace; everything else is in pyproject.toml."""

from setuptools import find_packages, setup

ROOMS = {
    "agentgym": "agentgym",
    "agentgym.envs": "envs",
    "agentgym.wrappers": "wrappers",
    "agentgym.assets": "assets",
    "agentgym.baselines": "baselines",
}

setup(
    package_dir=ROOMS,
    packages=[
        name for room, folder in ROOMS.items() for name in (room, *(f"{room}.{sub}" for sub in find_packages(folder)))
    ],
)
