"""Only pages of this server are answered."""

from __future__ import annotations

import pytest

from tests.ui.conftest import Site

FORM = {"seed": "0", "player0": "expert"}
START = "/worlds/AgentGym/FrozenLake-v0/start"
ELSEWHERE = {
    "another host": {"Host": "evil.example"},
    "another port": {"Host": "127.0.0.1:1"},
    "another origin": {"Origin": "http://evil.example"},
    "another program on this machine": {"Origin": "http://127.0.0.1:1"},
    "no origin to speak of": {"Origin": "null"},
    "a page of another site": {"Sec-Fetch-Site": "cross-site"},
    "a page of another port": {"Sec-Fetch-Site": "same-site"},
}


@pytest.mark.parametrize("kind", ELSEWHERE)
def test_what_other_sites_ask_for_is_refused(site: Site, kind: str) -> None:
    for method, path, form in (("POST", START, FORM), ("GET", "/games", None)):
        status, _, text = site.ask(method, path, form, ELSEWHERE[kind])
        assert status == 403, (method, text)
    assert site.app.state.tables.all() == []


def test_a_change_must_say_where_it_comes_from(site: Site) -> None:
    status, _, text = site.ask("POST", START, FORM, {"Origin": ""})
    assert status == 403, text
    assert site.ask("GET", START)[0] == 405, "what changes something cannot be asked for by a link"
    assert site.app.state.tables.all() == []


def test_own_pages_and_links_that_a_person_follows_are_answered(site: Site) -> None:
    own = {"Origin": site.url, "Sec-Fetch-Site": "same-origin"}
    assert site.ask("POST", START, FORM, own)[0] == 303
    assert len(site.app.state.tables.all()) == 1
    localhost = {"Host": f"localhost:{site.port}"}
    assert site.ask("GET", "/games", headers=localhost)[0] == 200
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert site.ask("GET", "/", headers=followed)[0] == 200
    assert site.ask("POST", START, FORM, {**own, **followed})[0] == 403


def test_every_answer_says_what_a_page_may_do(site: Site) -> None:
    for path in ("/", "/nowhere", "/static/ui.js"):
        _, headers, _ = site.ask("GET", path)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    ("form", "headers", "status"),
    [
        ({"task": "x" * 70_000}, {}, 413),
        ({f"f{number}": "" for number in range(300)}, {}, 400),
        (FORM, {"Content-Type": "text/plain"}, 415),
        ({"seed": "-1"}, {}, 400),
        ({"seed": "9" * 30}, {}, 400),
        ({"split": "../../etc"}, {}, 400),
        ({"player0": "os:system"}, {}, 400),
        ({"player0": "hf:/etc"}, {}, 400),
        ({"task": "no such task"}, {}, 400),
    ],
)
def test_bad_forms_are_refused_in_one_line(
    site: Site, form: dict[str, str], headers: dict[str, str], status: int
) -> None:
    got, _, text = site.ask("POST", START, form, headers)
    assert got == status, text
