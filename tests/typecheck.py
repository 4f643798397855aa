"""Type-checks the installed wheel from outside the checkout, where the import names are those that users see.

What the wheel leaves out of the tree is put beside it and checked as well.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mypy import api

from tests import wheel


def main() -> int:
    """Build, install, check; the exit status of mypy, or 2 if it did not read every module."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        target = place / "site"
        wheel.install(wheel.build(place), target)
        wheel.add_the_rest(target)
        modules = sum(name.endswith(".py") for name in wheel.tree_files())
        options = ["--config-file", str(wheel.ROOT / "pyproject.toml"), "--cache-dir", str(wheel.ROOT / ".mypy_cache")]
        report, complaints, status = api.run([*options, str(target / "agentgym")])
    print(report.replace(str(target), ""), complaints, sep="", end="")
    read = re.search(r"(?:checked|in) (\d+) source files", report)
    if read is None or int(read[1]) != modules:
        print(f"mypy read {read and read[1]} modules, the tree has {modules}")
        return status or 2
    return status


if __name__ == "__main__":
    sys.exit(main())
