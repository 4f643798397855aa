"""Files and folders appear whole or not at all, whatever ends the process and whatever the disk refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agentgym.core import DataError, files
from agentgym.core.files import check_whole, read_object, whole_folder, write_whole
from agentgym.core.lines import read_lines
from tests.disks import die_at_every_line, disk, file_limit, fill, write_protect


def test_a_file_is_the_old_or_the_new_one_wherever_its_writer_dies(tmp_path: Path) -> None:
    path, seen = tmp_path / "file", set()
    write_whole(path, "old")

    def after(finished: bool) -> None:
        seen.add(path.read_text())
        assert not finished or path.read_text() == "new"
        write_whole(path, "old")

    assert die_at_every_line(lambda: write_whole(path, "new"), (files,), after) > 8
    assert seen == {"old", "new"}
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def write(target: Path, word: str) -> None:
    with whole_folder(target, {"word": word}) as folder:
        (folder / "sub").mkdir()
        (folder / "one").write_text(word)
        (folder / "sub" / "two").write_text(word * 1000)


@pytest.mark.full
def test_a_folder_is_whole_or_not_there_wherever_its_writer_dies(tmp_path: Path) -> None:
    target, died_without = tmp_path / "folder", 0

    def after(finished: bool) -> None:
        nonlocal died_without
        assert not finished or target.exists()
        if target.exists():
            assert check_whole(target) == {"word": "new"}
            files.remove(target)
        else:
            died_without += 1

    died = die_at_every_line(lambda: write(target, "new"), (files,), after)
    assert 20 < died_without < died, "some died before the folder took its name, some after"


def test_a_folder_that_is_written_again_is_replaced(tmp_path: Path) -> None:
    for word in ("one", "two"):
        write(tmp_path / "folder", word)
        assert check_whole(tmp_path / "folder") == {"word": word}
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


@pytest.mark.full
def test_a_folder_that_is_replaced_is_the_old_or_the_new_one_wherever_its_writer_dies(tmp_path: Path) -> None:
    target, unnamed, words = tmp_path / "folder", 0, set()
    write(target, "old")

    def after(finished: bool) -> None:
        nonlocal unnamed
        unnamed += not target.exists()
        files.settle(target)
        words.add(check_whole(target)["word"])
        assert [each.name for each in tmp_path.iterdir()] == ["folder"]
        write(target, "old")

    die_at_every_line(lambda: write(target, "new"), (files,), after)
    assert unnamed, "one died between the two renames"
    assert words == {"old", "new"}


def test_a_folder_that_cannot_take_its_name_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, rename = tmp_path / "folder", Path.rename
    write(target, "old")

    def refuse(self: Path, to: Path) -> Path:
        if self.name.endswith(files.PARTIAL):
            raise OSError(28, "No space left on device")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(DataError, match="No space left"):
        write(target, "new")
    assert check_whole(target) == {"word": "old"}
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_a_folder_that_holds_only_folders_is_on_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: set[str] = set()
    sync = files.sync

    def note(path: Path) -> None:
        synced.add(path.name)
        sync(path)

    monkeypatch.setattr(files, "sync", note)
    with whole_folder(tmp_path / "folder") as folder:
        (folder / "outer" / "middle" / "inner").mkdir(parents=True)
        (folder / "outer" / "middle" / "inner" / "file").write_text("x")
        (folder / "empty").mkdir()
    assert {".folder.partial", "outer", "middle", "inner", "file", "empty", tmp_path.name} <= synced


@pytest.mark.parametrize("name", ["one", "sub/two", "manifest.json"])
@pytest.mark.parametrize("how", ["shortened", "changed", "gone", "deep"])
def test_damage_is_found_and_named(tmp_path: Path, name: str, how: str) -> None:
    write(tmp_path / "folder", "word")
    file = tmp_path / "folder" / name
    content = file.read_bytes()
    if how == "gone":
        file.unlink()
    else:
        damaged = {"shortened": content[:-2], "changed": b"\0" + content[1:], "deep": b"[" * 100_000}
        file.write_bytes(damaged[how])
    with pytest.raises(DataError, match=name) as refused:
        check_whole(tmp_path / "folder")
    assert "\n" not in str(refused.value)
    if name == "one":
        assert check_whole(tmp_path / "folder", without={"one"}) == {"word": "word"}


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    with disk(tmp_path / "disk", 256) as place:
        write_whole(place / "file", "old")
        write(place / "folder", "old")
        fill(place, leave=8192)
        for work in (lambda: write_whole(place / "file", "new" * 10_000), lambda: write(place / "folder", "new" * 9)):
            with pytest.raises(DataError, match=r"could not be written \(No space left on device\); .* make room"):
                work()
        assert (place / "file").read_text() == "old"
        assert check_whole(place / "folder") == {"word": "old"}
        assert {each.name for each in place.iterdir()} == {"file", "folder", "filler"}
        write_protect(place)
        with pytest.raises(DataError, match="Read-only file system"):
            write_whole(place / "file", "new")


def test_a_limit_of_size_is_a_full_disk(tmp_path: Path) -> None:
    write_whole(tmp_path / "file", "old")
    with file_limit(100), pytest.raises(DataError, match="File too large"):
        write_whole(tmp_path / "file", "new" * 100)
    assert (tmp_path / "file").read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_what_a_library_raises_while_it_writes_is_one_line(tmp_path: Path) -> None:
    with (
        pytest.raises(DataError, match=r"could not be written \(RuntimeError: unexpected pos\)"),
        whole_folder(tmp_path / "x"),
    ):
        raise RuntimeError("unexpected pos")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "no JSON"),
        (b"[1]", "no JSON object, but list"),
        (b"\xff\xfe", "no JSON"),
        (b"\0" * 4096, "no JSON"),
        (b'{"a":' * 100_000, "nested more than 200 levels deep"),
        (json.dumps({"a": 1}).encode()[:-1], "no JSON"),
    ],
)
def test_what_is_no_object_is_refused_in_one_line(tmp_path: Path, content: bytes, complaint: str) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(DataError, match=complaint) as refused:
        read_object(tmp_path / "x.json")
    assert "\n" not in str(refused.value)
    with pytest.raises(DataError, match="cannot be read"):
        read_object(tmp_path)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "pipe", tmp_path / "folder", Path("/dev/zero")):
        for read in (read_object, read_lines):
            with pytest.raises(DataError, match="cannot be read \\(it is no file\\)"):
                read(place)


@pytest.mark.parametrize("place", [".", "/"])
def test_a_place_without_a_name_is_refused_in_one_line(place: str) -> None:
    with pytest.raises(DataError, match="could not be written \\(Is a directory\\)"):
        write_whole(place, "page")
