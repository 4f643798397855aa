"""Traces of browser episodes: written on request, one archive an episode, and nothing else changes."""

from __future__ import annotations

import zipfile

import pytest

from agentgym.core import ConfigError, catalog
from agentgym.envs.web._browser.tracing import Tracer, check_trace
from tests.envs.browsing import PagesEnv, needs_browser

PAGES = {"/": '<title>One</title><h1>One</h1><a href="/two">on</a>', "/two": "<title>Two</title><h1>Two</h1>"}


def walk(**options):
    """What two episodes show."""
    env = PagesEnv(PAGES, **options)
    seen = []
    try:
        for _ in range(2):
            seen.append(env.reset(seed=0)[0])
            link = next(line for line in seen[-1].splitlines() if "link" in line).strip().split("]")[0]
            seen.append(env.step(f"click {link}]")[0])
            seen.append(env.step("stop [done]")[0])
    finally:
        env.close()
    return seen


@needs_browser
def test_each_episode_has_a_trace_and_shows_what_it_shows_without(tmp_path):
    folder = tmp_path / "new" / "traces"
    traced = walk(trace=str(folder))
    assert sorted(path.name for path in folder.iterdir()) == ["Pages-v0-0-0.zip", "Pages-v0-0-1.zip"]
    for path in folder.iterdir():
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            events = b"".join(archive.read(name) for name in names if name.endswith(".trace"))
        assert b"a.test" in events
        assert any(name.endswith((".jpeg", ".jpg")) for name in names), "a film of the pages"
    assert traced == walk()


def test_traces_are_asked_for_and_named_by_a_path():
    with pytest.raises(ConfigError, match="trace is the path of a folder"):
        PagesEnv(PAGES, trace=3)
    assert PagesEnv(PAGES)._tracer is None


def test_a_file_is_no_folder_of_traces(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="is a file"):
        check_trace("trace", str(tmp_path / "file"))


def test_no_trace_is_written_over_and_names_stay_in_the_folder(tmp_path):
    tracer = Tracer(tmp_path, "Pages-v0")
    tracer._task = "../a b"
    assert [tracer._reserve().name for _ in range(2)] == ["Pages-v0-.._a_b-0.zip", "Pages-v0-.._a_b-1.zip"]
    assert tracer.end() is None


def test_run_files_may_name_no_folder_of_traces_without_trust():
    browsing = [card for card in catalog().values() if card.program == "chromium"]
    assert len(browsing) >= 8
    assert all("trace" in card.names_files for card in browsing)
