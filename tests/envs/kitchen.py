"""A small kitchen as a task, and how tests play it."""

from __future__ import annotations

import json

import gymnasium as gym

import agentgym  # noqa: F401  (registers the ids)
from agentgym.envs.text._household.game import TASK_TYPES

KITCHEN = {
    "sentence": "put a clean apple in fridge",
    "receptacles": [
        {"name": "countertop 1", "spot": 0},
        {"name": "drawer 2", "spot": 1},
        {"name": "drawer 1", "spot": 1},
        {"name": "fridge 1", "spot": 2},
        {"name": "microwave 1", "spot": 3},
        {"name": "sidetable 1", "spot": 4},
        {"name": "sinkbasin 1", "spot": 5},
    ],
    "objects": [
        {"name": "apple 2", "in": ["fridge 1"]},
        {"name": "apple 1", "in": ["countertop 1"]},
        {"name": "desklamp 1", "in": ["sidetable 1"]},
        {"name": "knife 1", "in": ["drawer 2"]},
        {"name": "mug 2", "in": ["countertop 1"]},
        {"name": "mug 1", "in": ["drawer 1"]},
    ],
    "goals": [{"type": "pick_clean_then_place_in_recep", "object": "apple", "target": "fridge"}],
    "contains": {
        "countertop": ["apple", "mug", "knife"],
        "drawer": ["knife", "mug"],
        "fridge": ["apple", "mug"],
        "microwave": ["apple", "mug"],
        "sidetable": ["apple", "mug", "knife"],
        "sinkbasin": ["apple", "mug", "knife"],
    },
}
SIMPLE, LOOK, CLEAN, HEAT, COOL, TWO = TASK_TYPES


def kitchen(goal=None, **changes):
    spec = json.loads(json.dumps(KITCHEN)) | changes
    return spec | {"goals": [dict(zip(("type", "object", "target"), goal, strict=True))]} if goal else spec


def play(spec, *actions, **kwargs):
    """The environment after the actions, and the answers to them."""
    env = gym.make("AgentGym/Household-v1", **kwargs)
    env.reset(seed=0, options={"task": spec})
    return env.unwrapped, [env.step(action) for action in actions]


def said(*actions, spec=None):
    return play(spec or kitchen(), *actions)[1][-1][0]
