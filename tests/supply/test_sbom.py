"""The bill of materials names what the lock file and the notices name, in the format's own terms."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.supply.lock import ROOT, read_lock
from tests.supply.sbom import document


def test_it_lists_every_package_and_the_data_of_others() -> None:
    found = document()
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", found["serialNumber"])
    packages = {part["purl"]: part for part in found["components"] if part["type"] == "library"}
    assert set(packages) == {f"pkg:pypi/{each.name}@{each.version}" for each in read_lock()}
    for each in read_lock():
        (place,) = packages[f"pkg:pypi/{each.name}@{each.version}"]["externalReferences"]
        assert [one["content"] for one in place["hashes"]] == list(each.hashes)
    data = [part for part in found["components"] if part["type"] == "data"]
    assert "assets/household/tables.json" in [part["name"] for part in data]
    assert all(len(part["hashes"][0]["content"]) == 64 and part["licenses"] for part in data)
    references = [part["bom-ref"] for part in found["components"]]
    assert len(set(references)) == len(references)
    assert found["dependencies"] == [{"ref": found["metadata"]["component"]["bom-ref"], "dependsOn": references}]


@pytest.mark.full
def test_the_command_writes_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.supply.sbom", str(tmp_path / name)], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text()) == document()
