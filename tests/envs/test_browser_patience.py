"""How long a page may take: where no page runs scripts it is waited for, so that a busy machine does not show."""

from __future__ import annotations

import time

import pytest

from tests.envs.browsing import PagesEnv, needs_browser

pytest.importorskip("playwright", reason="the package playwright is not installed: pip install playwright")
from agentgym.envs.web._browser import reading
from agentgym.envs.web._browser.site import Response


class SlowSite:
    """A site whose style sheet comes late."""

    def respond(self, request):
        if request.url.endswith(".css"):
            time.sleep(0.7)
            return Response(b"p { color: red }", headers={"content-type": "text/css"})
        return Response(b"<link rel='stylesheet' href='/late.css'><p>Here at once</p>")


class StillEnv(PagesEnv):
    still = True


@needs_browser
@pytest.mark.parametrize(("world", "waits"), [(StillEnv, True), (PagesEnv, False)])
def test_pages_without_scripts_are_waited_for(monkeypatch, world, waits):
    monkeypatch.setattr(reading, "SETTLE", 0.02)
    monkeypatch.setattr(reading, "AGAIN", 0.02)
    env = world({"/": "<p>Start</p>"}, {"b.test": SlowSite()})
    env.reset(seed=0)
    text = env.step("goto http://b.test/")[0]
    env.close()
    assert "Here at once" in text
    assert ("still loading" not in text) is waits
