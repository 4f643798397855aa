"""Trajectories in the shapes in which they are published, with words of our own.

The shapes were read from the published files: of AgentTraj-L, `loss` is null where a person speaks; the expert data of
ETO have no rewards but for WebShop; a result of tau-bench holds its task and what its user cost, answers are null where
a tool is called, and ids of calls come twice in one trajectory.
"""

from __future__ import annotations

from typing import Any


def _human(text: str) -> dict[str, Any]:
    return {"from": "human", "loss": None, "value": text}


def _model(text: str, *, loss: bool = True) -> dict[str, Any]:
    return {"from": "gpt", "loss": loss, "value": text}


AGENTTRAJ: list[dict[str, Any]] = [
    {
        "item_id": "textcraft_3",
        "conversations": [
            _human("You craft things. Answer with a thought and an action."),
            _model("OK. I will follow your instructions.", loss=False),
            _human("Goal: craft a torch. You have nothing."),
            _model("Thought: I look for coal first.\n\nAction: get 1 coal"),
            _human("Got 1 coal."),
            _model("Thought: Now the torch.\n\nAction: craft 1 torch using 1 coal, 1 stick"),
        ],
    },
    {
        "item_id": "babyai_11",
        "conversations": [
            _human("You are in a grid."),
            _model("OK", loss=False),
            _human("Your goal: go to the red ball. The red ball is before you."),
            _model("Thought: It is near.\n\nAction: move forward"),
        ],
    },
]

ETO: list[dict[str, Any]] = [
    {
        "id": "alfworld_21",
        "game_file": "json_2.1.1/train/look_at_obj/trial_T1/game.tw-pddl",
        "conversations": [
            {"from": "human", "value": "Interact with a household."},
            {"from": "gpt", "value": "OK"},
            {
                "from": "human",
                "value": "You are in the middle of a room. Your task is to look at a pen under the lamp.",
            },
            {"from": "gpt", "value": "Thought: A pen may lie on the desk.\nAction: go to desk 1"},
            {"from": "human", "value": "Observation: On the desk 1, you see a pen 2."},
            {"from": "gpt", "value": "Thought: There it is.\nAction: take pen 2 from desk 1"},
        ],
    },
    {
        "id": "webshop_5",
        "reward": 0.75,
        "conversations": [
            {"from": "human", "value": "Shop on a site."},
            {"from": "gpt", "value": "OK"},
            {"from": "human", "value": "WebShop [SEP] Instruction: [SEP] a blue kettle [SEP] Search"},
            {"from": "gpt", "value": "Thought: I search.\nAction: search[blue kettle]"},
        ],
    },
]


def _call(name: str, arguments: str) -> dict[str, Any]:
    called = {"function": {"arguments": arguments, "name": name}, "id": "call_again", "type": "function"}
    return {"content": None, "role": "assistant", "tool_calls": [called]}


def _told(name: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "call_again", "name": name, "content": content}


_TASK = {"user_id": "ann_1", "actions": [{"name": "cancel", "kwargs": {"id": "R1"}}], "instruction": "Cancel R1."}

TAU: list[dict[str, Any]] = [
    {
        "task_id": 4,
        "reward": 1.0,
        "info": {
            "task": {**_TASK, "outputs": []},
            "source": "user",
            "user_cost": 0.002,
            "reward_info": {
                "reward": 1.0,
                "info": {"r_actions": 1.0, "gt_data_hash": "0a"},
                "actions": _TASK["actions"],
            },
        },
        "traj": [
            {"role": "system", "content": "# Policy\n\nCancel what may be cancelled."},
            {"role": "user", "content": "Hi! I want to cancel a booking."},
            {"content": "Which one, and who are you?", "role": "assistant"},
            {"role": "user", "content": "R1. I am ann_1."},
            _call("get_user", '{"user_id":"ann_1"}'),
            _told("get_user", '{"name": "Ann"}'),
            _call("cancel", '{"id":"R1"}'),
            _told("cancel", "Done."),
            {"content": "R1 is cancelled.", "role": "assistant"},
            {"role": "user", "content": "###STOP###"},
        ],
        "trial": 0,
    }
]
