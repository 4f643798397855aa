"""The training step stands as it is, three calls from the command line to the loss: later methods are made of parts.

Whoever changes the file on purpose says so by changing the hash, and shows that recipes train to the same numbers.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

from agentgym.cli import training
from agentgym.train import trainer

STEP = "f5aa80f2a2792093d972d24444ef45f113850feb47cbb34712bd83f7489de68e"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def test_the_file_of_the_training_step_is_the_one_on_record() -> None:
    found = hashlib.sha256(Path(trainer.__file__).read_bytes()).hexdigest()
    assert found == STEP, f"trainer.py has changed; write the method as parts, or record {found} and say why"


def functions(path: str) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """By name, the functions and methods of a file."""
    tree = ast.parse(Path(path).read_text(encoding="utf8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)}


def called(node: ast.AST) -> Iterator[str]:
    """What a function calls, as it is written."""
    return (ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call))


def jumps(start: str, goal: str, known: dict[str, ast.FunctionDef | ast.AsyncFunctionDef]) -> list[str]:
    """The shortest way from a function to a call, through functions of `known` that are called by their own name."""
    ways = [[start]]
    seen = {start}
    while ways:
        way = ways.pop(0)
        calls = list(called(known[way[-1]]))
        if goal in calls:
            return [*way, goal]
        for name in dict.fromkeys(call.rpartition(".")[2] for call in calls):
            if name in known and name not in seen:
                seen.add(name)
                ways.append([*way, name])
    raise AssertionError(f"no call of {goal} is reached from {start}")


def test_the_command_line_is_three_calls_from_the_loss() -> None:
    (command,) = [node for name, node in functions(training.__file__).items() if name == "train"]
    step = functions(trainer.__file__)
    calls = [call for call in called(command) if call.startswith("trainer.")]
    assert "trainer.train" in calls
    way = jumps("train", "phase.loss", step)
    assert way == ["train", "train_step", "phase.loss"]
    assert len([command.name, *way]) - 1 == 3


def test_mask_and_mean_of_the_loss_stand_beside_it() -> None:
    step = functions(trainer.__file__)["train_step"]
    assert {"loss_scales", "phase.loss", "optimizer_step"} <= set(called(step))
    (mean,) = [
        node.value
        for node in ast.walk(step)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "loss" and "loss_BT" in ast.unparse(node)
    ]
    factors = {node.id for node in ast.walk(mean) if isinstance(node, ast.Name)}
    assert {"loss_BT", "mask_BT", "scale_B1"} <= factors
    assert ast.unparse(mean).endswith(".sum()")
    others = [node for name, node in functions(trainer.__file__).items() if name != "train_step"]
    assert not any("loss" in call.split(".")[-1:] for node in others for call in called(node))
