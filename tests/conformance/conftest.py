from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def _worlds_on_the_path():
    """The worlds of these tests are modules of a third party, which fresh processes must find as well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        yield
