"""The stacks people use, played by the expert with a slip on the way, compared with transcripts that were read.

After a change that is meant, look at what `python -m tests.wrappers.test_transcripts` prints, then add `--write`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agentgym
from agentgym.wrappers import (
    AdmissibleInText,
    ChoiceByNumber,
    CodeBlocks,
    Hints,
    History,
    Horizon,
    JsonCalls,
    MemoryTools,
    NativeCalls,
    ReAct,
    Retries,
    SeveralActions,
    Tags,
    Trials,
    Workspace,
)

FOLDER = Path(__file__).parent / "transcripts"
TURNS = 4
Build = Callable[[], Any]
STACKS: dict[str, tuple[Build, str]] = {
    "react_household": (lambda: ReAct(agentgym.make("Household-v1")), "I open the fridge."),
    "verl_agent_household": (
        lambda: AdmissibleInText(History(Tags(agentgym.make("Household-v1")), turns=1)),
        "<think>The mug may be anywhere.</think><action>fly to the moon</action>",
    ),
    "ragen_lake": (
        lambda: Tags(SeveralActions(agentgym.make("FrozenLake-v0", slippery=False)), action="answer"),
        "<think>Up twice.</think><answer>up || up || up</answer>",
    ),
    "function_calls_shop": (lambda: JsonCalls(agentgym.make("WebShop-v1")), '{"function_name": "buy"}'),
    "native_calls_with_memory": (
        lambda: NativeCalls(MemoryTools(agentgym.make("TextCraft-v1"))),
        '<tool_call>{"name": "memory_add", "arguments": {"text": "stairs need blackstone"}}</tool_call>',
    ),
    "code_craft": (
        lambda: CodeBlocks(agentgym.make("CraftTree-v0"), most=3),
        "```python\n# Look, then go.\nlook()\nmove('north')\nfly()\n```",
    ),
    "reflexion_lake": (
        lambda: Trials(ReAct(Horizon(agentgym.make("FrozenLake-v0"), turns=2)), trials=2),
        "Thought: Which way?\nAction: up",
    ),
    "choice_with_hints": (
        lambda: ReAct(ChoiceByNumber(Hints(agentgym.make("TextCraft-v1", depths=[1])))),
        "Action: 99",
    ),
    "workspace_with_retries": (
        lambda: Workspace(ReAct(Retries(agentgym.make("TextCraft-v1")))),
        "<report>Nothing is made yet.</report>\nThought: Can I fly?\nAction: fly",
    ),
}


def transcript(build: Build, slip: str) -> str:
    """The manual, then an episode as the agent sees it, the slip second."""
    env = build()
    text, _ = env.reset(seed=1)
    lines = ["MANUAL", env.manual, "", "WORLD", text]
    for turn in range(TURNS):
        reply = slip if turn == 1 else env.expert_action()
        text, reward, terminated, truncated, info = env.step(reply)
        marks = f"reward {reward:g}" + ", terminated" * terminated + ", truncated" * truncated
        lines += ["", "AGENT", reply, "", f"WORLD ({marks}{'' if info['action_valid'] else ', refused'})", text]
        if terminated or truncated:
            break
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


@pytest.mark.parametrize("name", STACKS)
def test_transcripts_are_as_they_were_read(name: str) -> None:
    assert transcript(*STACKS[name]) == (FOLDER / f"{name}.txt").read_text(encoding="utf8")


def main(write: bool) -> None:
    for name, (build, slip) in STACKS.items():
        told = transcript(build, slip)
        print(f"{'=' * 30} {name} {'=' * 30}\n{told}")
        if write:
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / f"{name}.txt").write_text(told, encoding="utf8")


if __name__ == "__main__":
    main("--write" in sys.argv)
