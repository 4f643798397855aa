"""One writer, records that are all on disk or not at all, and nothing lost when writing is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentgym.core import ConfigError, DataError, files, lines
from agentgym.rollout import record_folder
from agentgym.rollout.record_folder import RecordFolder
from tests.disks import die_at_every_line, disk, file_limit, fill, write_protect

SETTINGS = {"world": "X", "seeds": [1, 2]}
FIRST, MORE = {"number": 0}, [{"number": 1}, {"number": 2}]


class Lines(RecordFolder):
    """A folder of two files of lines."""

    own = ("a.jsonl", "b.jsonl")


def numbers(folder: Path) -> list[int]:
    return [json.loads(line)["number"] for line in (folder / "a.jsonl").read_text().splitlines()]


@pytest.mark.full
def test_records_are_there_or_not_wherever_their_writer_dies(tmp_path: Path) -> None:
    """A process dies at every line of opening, writing and closing; the next one finds the records in order."""
    counts = set()

    def work() -> None:
        with Lines(tmp_path, SETTINGS) as folder:
            folder.append("a", FIRST)
            folder.append("a", *MORE)

    def after(finished: bool) -> None:
        with Lines(tmp_path, SETTINGS) as folder:
            kept = numbers(tmp_path) if (tmp_path / "a.jsonl").exists() else []
            counts.add(len(kept))
            assert kept == [0, 1, 2][: len(kept)]
            assert not finished or len(kept) == 3
            folder.cut({})

    assert die_at_every_line(work, (record_folder, files, lines), after) > 40
    assert counts == {0, 1, 3}


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with Lines(tmp_path, SETTINGS):
        program = (
            f"from agentgym.rollout.record_folder import RecordFolder; RecordFolder({str(tmp_path)!r}, {SETTINGS})"
        )
        second = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert second.stderr.splitlines()[-1].endswith(
            f"another process is writing to {tmp_path}; wait for it or give another folder"
        )
    Lines(tmp_path, SETTINGS).close()


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    program = (
        "import time; from agentgym.rollout.record_folder import RecordFolder;"
        f"folder = RecordFolder({str(tmp_path)!r}, {SETTINGS}); print(1, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.send_signal(signal.SIGKILL)
    Lines(tmp_path, SETTINGS).close()


def test_other_settings_are_refused_by_their_name(tmp_path: Path) -> None:
    with Lines(tmp_path, SETTINGS) as folder:
        folder.append("a", FIRST)
    with pytest.raises(ConfigError, match=r"holds a run with seeds \[1, 2\], this one has \[1\]; give another folder"):
        Lines(tmp_path, {**SETTINGS, "seeds": [1]})
    with Lines(tmp_path, {**SETTINGS, "seeds": [1]}, fresh=True):
        assert not (tmp_path / "a.jsonl").exists()


def test_settings_under_which_nothing_was_recorded_give_way(tmp_path: Path) -> None:
    """A misspelt agent has claimed a folder before it is found out; the command put right may use it."""
    Lines(tmp_path, {**SETTINGS, "seeds": [1]}).close()
    (tmp_path / "a.jsonl").touch()
    Lines(tmp_path, SETTINGS).close()
    assert json.loads((tmp_path / "run.json").read_text()) == SETTINGS
    (tmp_path / "checkpoint").mkdir()
    with pytest.raises(ConfigError, match="holds a run with seeds"):
        Lines(tmp_path, {**SETTINGS, "seeds": [1]})


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"a":' * 99_999])
def test_damaged_settings_are_one_line_and_nothing_is_lost(tmp_path: Path, content: bytes | None) -> None:
    with Lines(tmp_path, SETTINGS) as folder:
        folder.append("a", FIRST)
    file = tmp_path / "run.json"
    file.unlink() if content is None else file.write_bytes(content)
    with pytest.raises(DataError, match=r"run\.json") as refused:
        Lines(tmp_path, SETTINGS)
    assert "\n" not in str(refused.value)
    assert numbers(tmp_path) == [0]


def test_a_full_disk_keeps_what_was_written_and_no_half_of_a_line(tmp_path: Path) -> None:
    with disk(tmp_path / "disk", 128) as place, Lines(place, SETTINGS) as folder:
        folder.append("a", FIRST)
        fill(place)
        with pytest.raises(DataError, match=r"a\.jsonl could not be written \(No space left on device\); .* make room"):
            folder.append("a", {"number": 1, "text": "x" * 50_000})
        assert numbers(place) == [0]
        (place / "filler").unlink()
        folder.append("a", {"number": 1})
        assert numbers(place) == [0, 1]


def test_a_limit_of_size_keeps_what_was_written_and_no_half_of_a_line(tmp_path: Path) -> None:
    """The system takes the first part of a line and refuses the rest."""
    with Lines(tmp_path, SETTINGS) as folder:
        folder.append("a", FIRST)
        with file_limit(1000), pytest.raises(DataError, match="File too large"):
            folder.append("a", {"number": 1, "text": "x" * 5000})
        assert numbers(tmp_path) == [0]


def test_a_folder_that_takes_no_writing_is_one_line(tmp_path: Path) -> None:
    with disk(tmp_path / "disk", 128) as place:
        with Lines(place, SETTINGS) as folder:
            folder.append("a", FIRST)
        write_protect(place)
        with pytest.raises(ConfigError, match=r"cannot be written \(Read-only file system\); give another"):
            Lines(place, SETTINGS)
        with pytest.raises(ConfigError, match=r"cannot be written \(Read-only file system\)"):
            Lines(place / "new", SETTINGS)
        assert numbers(place) == [0]


def test_lines_after_a_point_are_forgotten(tmp_path: Path) -> None:
    with Lines(tmp_path, SETTINGS) as folder:
        folder.append("a", FIRST)
        known = folder.lengths()
        folder.append("a", *MORE)
        folder.append("b", FIRST)
        folder.cut(known)
        assert numbers(tmp_path) == [0]
        assert folder.lengths() == known
        with pytest.raises(DataError, match=r"a\.jsonl has lost lines"):
            folder.cut({"a.jsonl": known["a.jsonl"] + 1})


def test_an_interrupt_leaves_no_half_of_a_line(tmp_path: Path) -> None:
    """Ctrl-C again and again while lines are written: what is there is whole, and in order."""
    program = f"""
import itertools
from agentgym.rollout.record_folder import RecordFolder
with RecordFolder({str(tmp_path)!r}, {SETTINGS}) as folder:
    print(1, flush=True)
    for number in itertools.count():
        folder.append("a", {{"number": number, "text": "x" * 20_000}})
"""
    for place in range(3):
        files.remove(tmp_path / "a.jsonl")
        with subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.05 + 0.013 * place)
            writer.send_signal(signal.SIGINT)
            writer.communicate(timeout=60)
        content = (tmp_path / "a.jsonl").read_bytes() if (tmp_path / "a.jsonl").exists() else b""
        assert content == b"" or content.endswith(b"\n")
        assert [json.loads(line)["number"] for line in content.splitlines()] == list(range(content.count(b"\n")))


def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    Lines(tmp_path, SETTINGS).close()
    (tmp_path / ".checkpoint-000002.partial").mkdir()
    (tmp_path / ".world.json.partial").write_text("half")
    Lines(tmp_path, SETTINGS).close()
    assert sorted(os.listdir(tmp_path)) == ["run.json", "run.lock"]


def test_a_folder_whose_writer_died_between_two_renames_has_its_name_again(tmp_path: Path) -> None:
    with files.whole_folder(tmp_path / "final", {"number": 1}):
        pass
    program = (
        "import os, pathlib; from agentgym.core import files; rename = pathlib.Path.rename\n"
        "def die(self, to):\n"
        "    if self.name.endswith(files.PARTIAL): os.kill(os.getpid(), 9)\n"
        "    return rename(self, to)\n"
        "pathlib.Path.rename = die\n"
        f"with files.whole_folder(pathlib.Path({str(tmp_path / 'final')!r}), dict(number=2)): pass"
    )
    died = subprocess.run([sys.executable, "-c", program])
    assert died.returncode == -signal.SIGKILL
    assert not (tmp_path / "final").exists()
    Lines(tmp_path).close()
    assert files.check_whole(tmp_path / "final") == {"number": 1}
    assert not list(tmp_path.glob(".*.partial"))


def test_starting_anew_leaves_no_summary_of_what_was(tmp_path: Path) -> None:
    with Lines(tmp_path, SETTINGS) as folder:
        folder.append("a", FIRST)
    (tmp_path / "summary.json").write_text("{}")
    Lines(tmp_path, SETTINGS).close()
    assert (tmp_path / "summary.json").exists()
    Lines(tmp_path, SETTINGS, fresh=True).close()
    assert not (tmp_path / "summary.json").exists()
    assert not (tmp_path / "a.jsonl").exists()


def test_files_of_others_are_left_as_they_are(tmp_path: Path) -> None:
    foreign = {"data.jsonl": '{"number": 7}\n{"half', "summary.json": "mine", "a.jsonl": '{"number": 8}\n{"half'}
    for name, text in foreign.items():
        (tmp_path / name).write_text(text)
    Lines(tmp_path).close()
    with pytest.raises(DataError, match=r"holds records but no run\.json; give another folder$"):
        Lines(tmp_path, SETTINGS, fresh=True)
    assert {name: (tmp_path / name).read_text() for name in foreign} == foreign
    (tmp_path / "a.jsonl").unlink()
    with Lines(tmp_path, SETTINGS) as folder:
        folder.append("a", FIRST)
    with Lines(tmp_path, SETTINGS, fresh=True) as folder:
        assert folder.lengths() == {}
        folder.cut({})
    assert (tmp_path / "data.jsonl").read_text() == foreign["data.jsonl"]
