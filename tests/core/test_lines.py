"""A damaged last line is left out and told; any other is refused by its number."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.core import DataError
from agentgym.core.lines import mend, read_lines

WHOLE = b'{"number": 1}\n{"number": 2}\n'


@pytest.mark.parametrize(
    "damaged", [b'{"num', b'{"number": 3}', b"\0" * 4096, b'{"num\n', b"3\n", b"\n", b"[" * 99_999]
)
def test_a_damaged_last_line_is_left_out_and_cut(
    tmp_path: Path, damaged: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(WHOLE + damaged)
    assert read_lines(file) == [{"number": 1}, {"number": 2}]
    assert file.read_bytes() == WHOLE + damaged, "who reads does not write"
    mend(file)
    assert file.read_bytes() == WHOLE
    assert [record.getMessage().count(str(file)) for record in caplog.records] == [1, 1]


@pytest.mark.parametrize("size", range(len(WHOLE) + 1))
def test_a_file_cut_at_any_byte_keeps_its_whole_lines(tmp_path: Path, size: int) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(WHOLE[:size])
    mend(file)
    kept = WHOLE[:size].count(b"\n")
    assert file.read_bytes() == b"".join(WHOLE.splitlines(keepends=True)[:kept])
    assert len(read_lines(file)) == kept


@pytest.mark.parametrize("damaged", [b'{"num', b"\0\0", b"3", b"", b"[" * 99_999])
def test_another_damaged_line_is_named(tmp_path: Path, damaged: bytes) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"number": 0}\n' + damaged + b"\n" + WHOLE)
    with pytest.raises(DataError, match=r"a\.jsonl, line 2: .*; mend or remove the line") as refused:
        read_lines(file)
    assert "\n" not in str(refused.value)


def test_a_file_of_other_things_is_no_empty_record(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("hello\n")
    with pytest.raises(DataError, match="line 1"):
        read_lines(tmp_path / "a.jsonl")
    with pytest.raises(DataError, match="cannot be read"):
        read_lines(tmp_path)
