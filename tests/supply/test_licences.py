"""The licences of what is installed, and that a licence which is not allowed is seen."""

from __future__ import annotations

import re
import tomllib
from email.message import Message
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from tests.supply import notices
from tests.supply.licences import COPYLEFT, allowed, installed, wrong
from tests.supply.lock import ROOT, plain_name


def package(folder: Path, name: str, *lines: str) -> Distribution:
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("\n".join(["Metadata-Version: 2.4", f"Name: {name}", "Version: 1", *lines, "", ""]))
    return Distribution.at(info)


def test_what_is_installed_is_allowed() -> None:
    packages = installed()
    assert len(packages) > 40
    assert wrong(packages) == []


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("MIT", True), ("mit license", True), ("Apache-2.0 OR GPL-3.0-only", True), ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-3.0-only) AND BSD-3-Clause", False), ("Apache-2.0 WITH LLVM-exception", True), ("", False),
        ("GNU General Public License v3 (GPLv3)", False), ("MIT License AND Apache Software License", True),
        ("LicenseRef-Proprietary", False), ("AGPL-3.0-or-later", False), ("BSD-3-Clause AND 0BSD AND Zlib", True),
    ],
)  # fmt: skip
def test_licences_are_told_apart(words: str, answer: bool) -> None:
    assert allowed(words) == answer


def test_each_way_to_state_a_licence_is_read(tmp_path: Path) -> None:
    free = [
        package(tmp_path, "a", "License-Expression: MIT"),
        package(tmp_path, "b", "Classifier: License :: OSI Approved :: BSD License"),
        package(tmp_path, "c", "License: Apache 2.0"),
        package(tmp_path, "nvidia-x", "License-Expression: LicenseRef-NVIDIA-Proprietary"),
    ]
    assert wrong(free) == []
    bound = [
        package(tmp_path, "d", "License-Expression: GPL-3.0-only"),
        package(tmp_path, "e", "Classifier: License :: OSI Approved :: GNU Affero General Public License v3"),
        package(tmp_path, "f"),
    ]
    assert [line.partition(" ")[0] for line in wrong([*free, *bound])] == ["d", "e", "f"]
    assert wrong(bound)[-1] == "f 1: says nothing of its licence"
    assert isinstance(bound[0].metadata, Message)


@pytest.mark.parametrize("name", COPYLEFT)
def test_a_package_under_the_gpl_that_is_installed_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    package(tmp_path, name.replace("-", "_"), "License-Expression: AGPL-3.0-or-later")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert f"{name} 1: AGPL-3.0-or-later" in [line.replace("_", "-") for line in wrong(installed())]


@pytest.mark.parametrize("name", COPYLEFT)
def test_two_packages_under_the_gpl_are_allowed_and_only_as_they_are(tmp_path: Path, name: str) -> None:
    known = package(tmp_path, name.replace("-", "_"), f"License: {COPYLEFT[name].words}")
    assert wrong([known]) == []
    other = package(tmp_path, f"{name}_2".replace("-", "_"), f"License: {COPYLEFT[name].words}")
    assert len(wrong([other])) == 1
    (tmp_path / "later").mkdir()
    changed = package(tmp_path / "later", name, "License-Expression: AGPL-3.0-or-later")
    assert wrong([changed]) == [f"{name} 1: AGPL-3.0-or-later"]


def test_packages_under_the_gpl_are_optional_and_said() -> None:
    assert set(COPYLEFT) == {"fast-downward-textworld", "jericho"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    always = {plain_name(re.match(r"[\w.-]+", line)[0]) for line in project["dependencies"]}  # type: ignore[index]
    assert not always & {"alfworld", "textworld", *COPYLEFT}  # the first two bring them
    page = notices.PAGE.read_text(encoding="utf8")
    for name, about in COPYLEFT.items():
        assert f"| {about.licence} | `{name}` |" in page
