"""Every data file that is shipped has its origin and licence in the notices, and the notices are shipped."""

from __future__ import annotations

import json
import tomllib
from collections import Counter

import pytest

from tests import wheel
from tests.supply.lock import ROOT
from tests.supply.notices import read_notices, shipped_data

TABLE = "assets/household/tables.json"


@pytest.mark.full
def test_every_shipped_file_has_an_origin() -> None:
    notices = read_notices()
    named = Counter(path for notice in notices for path in notice.files())
    assert [path for path in shipped_data() if path not in named] == []
    assert all(notice.files() for notice in notices), [notice.patterns for notice in notices if not notice.files()]
    twice = {path for path, count in named.items() if count > 1}
    assert all(path.startswith("assets/golden/") for path in twice)  # a row of their own says more


@pytest.mark.full
def test_what_is_not_ours_is_not_said_to_be() -> None:
    others = {path for notice in read_notices() if not notice.ours for path in notice.files()}
    assert {TABLE, "assets/words/clues.txt", "assets/golden/NetHack-v0.json"} <= others
    source = json.loads((ROOT / TABLE).read_text(encoding="utf8"))["source"]
    (row,) = [notice for notice in read_notices() if TABLE in notice.files()]
    for words in ("ALFRED", "arXiv:1912.01734", "arXiv:2010.03768", "without sliced kinds and movable receptacles"):
        assert words in source
        assert words in row.origin
    notice = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf8")
    assert "Copyright (c) 2019 ALFRED" in notice
    assert "The above copyright notice and this permission notice shall be included" in notice


def test_the_notices_are_in_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    assert project["license-files"] == ["LICENSE", "THIRD_PARTY.md"]
    assert set(project["license-files"]) <= set(wheel.BUILD_FILES)
