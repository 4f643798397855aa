"""The page of the sites: every site has pictures, and each picture is of a page that is there."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym.core import AgentGymError
from docs import sites
from docs.gallery import png_size
from tests.envs.browsing import needs_browser


class Told:
    """A world whose page has the lines given, and answers every action alike."""

    def __init__(self, lines, text="fine", **info):
        self.page = type("Page", (), {"lines": [(0, line, 0, 0) for line in lines]})
        self.done, self._text, self._info = [], text, {"error": "", "failure": "", **info}

    def reset(self, seed):
        self.done.append(seed)

    def step(self, action):
        self.done.append(action)
        return self._text, 0.0, False, False, self._info

    def render(self):
        return np.zeros((4, 4, 3), np.uint8)


def test_every_site_is_on_the_page_with_all_its_pictures() -> None:
    names = [shot.name for shots in sites.SITES.values() for shot in shots]
    assert len(names) == len(set(names)) >= 3 * len(sites.SITES)
    text = sites.page(dict.fromkeys(names, b""))
    assert all(f"(sites/{name}.png)" in text for name in names)
    assert all(f"## {site}" in text for site in sites.SITES)
    assert sites.page("there is no browser") == "No pictures were drawn here: there is no browser"


def test_words_become_numbers_and_a_page_that_is_not_there_is_no_picture() -> None:
    shot = sites.Shot("x", "x", sites.PHONE, ("click Notes", "goto http://a.test/"))
    env = Told(['[3] link "Files"', '[7] link "Notes"'])
    assert sites._picture(env, shot).shape == (4, 4, 3)
    assert env.done == [sites.SEED, "click [7]", "goto http://a.test/"]
    with pytest.raises(AgentGymError, match="no 'Notes' to click"):
        sites._picture(Told([]), shot)
    for wrong in (
        Told(['[7] link "Notes"'], error="It is covered."),
        Told(['[7] link "Notes"'], "a (HTTP status 404)"),
    ):
        with pytest.raises(AgentGymError, match="leads to no page"):
            sites._picture(wrong, shot)


@pytest.mark.full
@needs_browser
def test_the_sites_are_drawn(tmp_path) -> None:
    pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
    text = sites.write(tmp_path)
    files = sorted(tmp_path.glob("*.png"))
    assert len(files) == text.count("![") == 24
    sizes = {png_size(file.read_bytes()) for file in files}
    assert sizes == {(1280, 720), (412, 860)}
    assert len({file.read_bytes() for file in files}) == 24
