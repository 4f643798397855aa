"""Records of another kind than declared are told from those of it, in one line that names the place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

import pytest

from agentgym.core import DataError
from agentgym.core.kinds import check_kind, misfit


@dataclass(frozen=True)
class Part:
    number: int
    share: float = 0.0


class Loose(TypedDict):
    name: str


@dataclass(frozen=True)
class Whole:
    text: str
    flag: bool
    parts: tuple[Part, ...]
    table: Mapping[str, Sequence[float]]
    either: str | int | None
    end: Literal["here", "there"]
    rest: Any = None
    more: list[Loose] = field(default_factory=list)


GOOD: dict[str, Any] = {
    "text": "", "flag": True, "parts": [{"number": 1}, {"number": 2, "share": 1}], "table": {"a": [1, 2.5]},
    "either": None, "end": "here", "more": [{"name": "x", "besides": [{}]}],
}  # fmt: skip


def test_what_is_of_the_kind() -> None:
    check_kind(GOOD, Whole, "whole")
    check_kind({**GOOD, "either": 3, "rest": [[{}]]}, Whole, "whole")
    assert misfit({"a": 1.0, "b": [1, None]}, dict[str, float | list[int | None]]) == ""
    assert misfit([["a", 1]], list[tuple[str, float]]) == ""
    assert misfit([["a"]], list[tuple[str, float]]) == "at place 0 should be a list of 2, not ['a']"
    assert misfit([["a", "1"]], list[tuple[str, float]]) == "at place 0 at place 1 should be a number, not '1'"


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"text": 3}, "'text' should be a text, not 3"),
        ({"text": "x" * 10**6, "flag": "x" * 10**6}, "'flag' should be true or false, not 'xxx"),
        ({"flag": 1}, "'flag' should be true or false, not 1"),
        ({"parts": {}}, "'parts' should be a list, not {}"),
        ({"parts": [{"number": 1}, {"number": "2"}]}, "'parts' at place 1 'number' should be a whole number, not '2'"),
        ({"parts": [{"number": True}]}, "'number' should be a whole number, not True"),
        ({"parts": [{"number": 10**5000}]}, "'number' should be a whole number, not int"),
        ({"parts": [{"number": 1, "share": "0.5"}]}, "'share' should be a number, not '0.5'"),
        ({"parts": [{"number": 1, "share": float("inf")}]}, "'share' should be a number, not inf"),
        ({"parts": [{"number": 1, "share": float("nan")}]}, "'share' should be a number, not nan"),
        ({"parts": [{"number": 1, "share": 1e200}]}, "'share' should be a number, not 1e+200"),
        ({"parts": [{}]}, "it has no 'number'"),
        ({"parts": [{"number": 1, "extra\n": 1}]}, "unknown"),
        ({"parts": "ab"}, "'parts' should be a list, not 'ab'"),
        ({"table": {"a": "12"}}, "'table' at 'a' should be a list, not '12'"),
        ({"table": {"a": [None]}}, "at place 0 should be a number, not None"),
        ({"either": []}, "'either' should be a text, not []"),
        ({"end": "nowhere"}, "should be one of 'here', 'there', not 'nowhere'"),
        ({"end": []}, "should be one of"),
        ({"more": [{}]}, "'more' at place 0 it has no 'name'"),
    ],
)
def test_what_is_not_is_named_in_one_line(change: dict[str, Any], wrong: str) -> None:
    with pytest.raises(DataError) as refused:
        check_kind({**GOOD, **change}, Whole, "whole")
    said = str(refused.value)
    assert said.startswith("no whole: ")
    assert wrong in said
    assert "\n" not in said
    assert len(said) < 200


@pytest.mark.parametrize("record", [[], None, "x", 3, [GOOD], {}])
def test_what_is_no_such_object_at_all(record: Any) -> None:
    with pytest.raises(DataError, match="no whole"):
        check_kind(record, Whole, "whole")


def test_deep_nesting_is_no_traceback() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert misfit({**GOOD, "text": deep}, Whole).startswith("'text' should be a text")
