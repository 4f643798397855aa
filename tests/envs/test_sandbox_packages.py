"""Installed packages in the sandbox: which are shown, what is hidden of them, and that nothing else comes with them."""

from __future__ import annotations

import pytest

from agentgym.assets.sandbox import dockerfile
from agentgym.envs._kit.sandbox import Limits, Sandbox
from agentgym.envs._kit.sandbox.packages import PLACE, Packages
from tests.envs.boxes import BACKINGS, backing

MARKED = Packages(("markupsafe",), warm=("markupsafe",), hidden=("markupsafe",), settings=(("NUMBER", "7"),))


def test_what_is_shown_is_the_distribution_alone() -> None:
    shown = {place: source for source, place in MARKED.shown()}
    assert list(shown) == [f"{PLACE}/markupsafe"]
    assert MARKED.emptied() == [f"{PLACE}/markupsafe"]
    assert dict(MARKED.environment())["NUMBER"] == "7"


@pytest.mark.parametrize("name", [each for each in BACKINGS if each != "bubblewrap as a user"])
def test_a_package_is_imported_and_cannot_be_written(name) -> None:
    packages = Packages(("markupsafe",), warm=("markupsafe",))
    sandbox = Sandbox(backing(name), Limits(packages=packages), warm=0)
    result = sandbox.python(
        "import os, sys\nprint('markupsafe' in sys.modules, os.listdir('/packages'))\n"
        "import markupsafe\nprint(markupsafe.escape('<'))\n"
        "try:\n    open('/packages/markupsafe/x', 'w')\nexcept OSError as error:\n    print('refused')\n"
    )
    sandbox.close()
    assert result.stdout == "True ['markupsafe']\n&lt;\nrefused\n", result.stderr


def test_a_hidden_folder_is_empty_and_read_only() -> None:
    packages = Packages(("markupsafe",), hidden=("markupsafe",))
    sandbox = Sandbox(backing("bubblewrap"), Limits(packages=packages), warm=0)
    result = sandbox.python(
        "import os\nprint(os.listdir('/packages/markupsafe'))\n"
        "try:\n    open('/packages/markupsafe/x', 'w')\nexcept OSError as error:\n    print('refused')\n"
    )
    sandbox.close()
    assert result.stdout == "[]\nrefused\n", result.stderr


def test_without_packages_there_are_none() -> None:
    sandbox = Sandbox(backing("bubblewrap"), Limits(), warm=0)
    result = sandbox.python("import os\nprint(os.path.exists('/packages'))\nimport markupsafe\n")
    sandbox.close()
    assert result.stdout == "False\n"
    assert "ModuleNotFoundError" in result.stderr


def test_the_dockerfile_is_the_one_whose_checksum_is_recorded() -> None:
    assert "ENTRYPOINT" in dockerfile()
