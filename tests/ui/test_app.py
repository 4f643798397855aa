"""The application as a person meets it: in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agentgym
from agentgym.ui import UISettings
from tests.agents.pretrained import save_small
from tests.ui.conftest import Site, comes, running, until, write_training
from tests.ui.hostile import CARD

LAKE = "/worlds/AgentGym/FrozenLake-v0"


def begin(window: Any, url: str, **holders: str) -> None:
    window.goto(url)
    for name, holder in holders.items():
        window.select_option(f"[name={name}]", holder)
    follow(window, "text=Begin")


def follow(window: Any, selector: str) -> None:
    """Click what leads to another page, and wait until that page stands."""
    with window.expect_navigation():
        window.click(selector)


def test_worlds_are_found_by_family_and_words(window: Any, site: Site) -> None:
    window.goto(f"{site.url}/?q=lake")
    comes(window, "[...document.querySelectorAll('.gallery img')].every(i => i.complete && i.naturalWidth)")
    names = window.locator(".gallery strong").all_inner_texts()
    assert "FrozenLake" in names
    assert len(names) < 10
    window.goto(site.url)
    shown = window.locator(".gallery li").count()
    assert shown == len(agentgym.catalog())
    follow(window, ".chips >> text=tools")
    kinds = window.locator(".gallery small").all_inner_texts()
    assert 0 < len(kinds) < shown
    assert all(kind.startswith("tools") for kind in kinds)
    window.fill("[name=q]", "spread")
    window.press("[name=q]", "Enter")
    window.wait_for_url("**/?q=spread&family=tools")
    assert window.locator(".gallery strong").all_inner_texts() == ["Sheet"]


def test_a_person_plays_by_buttons_words_hints_and_undo(window: Any, site: Site) -> None:
    begin(window, site.url + LAKE)
    window.click(".actions button:has-text('right')")
    window.wait_for_selector(".history code:text-is('right')")
    window.fill(".say input", "   ")
    window.press(".say input", "Enter")
    window.fill(".say input", "fly")
    window.press(".say input", "Enter")
    window.wait_for_selector(".history .error")
    assert window.locator(".history li").count() == 2, "an empty line cost nothing"
    assert window.locator(".say input").input_value() == ""
    window.click("text=Hint")
    window.wait_for_selector(".note:has-text('The expert would say')")
    window.click("text=Undo")
    window.wait_for_selector(".history .error", state="detached")
    assert window.locator(".history li").count() == 1
    assert "Walk over the ice" in window.inner_text(".manual")
    assert window.locator(".frame").evaluate("image => image.naturalWidth") > 0
    window.click("summary:has-text('Manual')")
    window.click(".actions button:has-text('up')")
    comes(window, "document.querySelectorAll('.history li').length === 2")
    assert not window.locator("details[data-keep=manual]").evaluate("each => each.open"), "it stays folded"


def test_a_shop_is_a_page_with_links(window: Any, site: Site) -> None:
    (shop,) = [name for name in agentgym.catalog() if name.startswith("AgentGym/WebShop-")]
    begin(window, f"{site.url}/worlds/{shop}")
    window.fill(".say input", "search[red shoes]")
    window.press(".say input", "Enter")
    window.click(".page .link:has-text('Next >')")
    window.wait_for_selector(".history code:text-is('click[next >]')")
    assert window.locator(".actions").count() == 0, "what stands on the page is not listed again"


def test_a_tool_has_a_form(window: Any, site: Site) -> None:
    begin(window, f"{site.url}/worlds/AgentGym/SQL-v0")
    window.click("summary:has-text('query')")
    window.fill("[name='arg.sql']", "SELECT 1 AS one")
    window.click("details:has([name='arg.sql']) button")
    window.wait_for_selector(".history li")
    assert window.inner_text(".history code") == '{"name": "query", "arguments": {"sql": "SELECT 1 AS one"}}'
    assert window.locator(".history .refused").count() == 0


def test_what_was_filled_in_stays_when_the_board_is_sent_again(window: Any, site: Site) -> None:
    begin(window, f"{site.url}/worlds/AgentGym/SQL-v0")
    window.click("summary:has-text('query')")
    window.fill("[name='arg.sql'] >> nth=0", "SELECT 1 AS one")
    window.evaluate("swap()")
    assert window.evaluate("document.activeElement.value") == "SELECT 1 AS one"
    assert window.input_value("[name='arg.sql'] >> nth=1") == ""


def test_two_people_share_a_machine(window: Any, site: Site) -> None:
    begin(window, f"{site.url}/worlds/AgentGym/KuhnPoker-v0", player0="person", player1="person")
    window.wait_for_selector(".curtain")
    assert "card" not in window.inner_text("main")
    window.click("text=I am player_0")
    window.wait_for_selector(".seen:has-text('Your card')")
    window.click(".actions button:has-text('bet')")
    window.wait_for_selector(".curtain:has-text('player_1')")
    assert "card" not in window.inner_text("main")


def test_a_game_is_the_same_without_script(browser: Any, site: Site) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.set_default_timeout(60_000)
    begin(page, site.url + LAKE)
    page.click(".actions button:has-text('right')")
    assert page.inner_text(".history code") == "right"
    page.close()


def test_text_is_data_whatever_it_says(window: Any, site: Site, runs: Path) -> None:
    window.goto(f"{site.url}/?q=hostile")
    comes(window, "[...document.querySelectorAll('.gallery img')].every(i => i.complete && i.naturalWidth)")
    begin(window, f"{site.url}/worlds/{CARD.id}")
    window.wait_for_selector(".page p:has-text('<script>')")
    window.click(".actions button")
    window.wait_for_selector(".history li:has-text('onerror')")
    window.fill(".say input", "<b onclick=alert(1)>fly</b>")
    window.press(".say input", "Enter")
    window.wait_for_selector(".history .error")
    assert "Beware of </pre><script>" in window.inner_text(".manual")
    window.fill(".say input", "say it")
    window.press(".say input", "Enter")
    window.click("text=Save transcript")
    window.wait_for_selector(".note:has-text('Saved')")
    window.goto(f"{site.url}/runs")
    follow(window, ".rows a >> nth=0")
    assert "owned" not in window.title()
    assert window.locator("svg[onload], b[onclick], img[onerror]").count() == 0


def test_a_model_is_watched_token_by_token(browser: Any, runs: Path, tmp_path: Path) -> None:
    model = f"hf:{save_small(tmp_path / 'small')}"
    with running(UISettings(runs, [model])) as site:
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.add_init_script(
            "window.heard = []; const make = EventSource; window.EventSource = class extends make { constructor(url) "
            "{ super(url); this.addEventListener('speech', event => heard.push(JSON.parse(event.data))); } }"
        )
        begin(page, site.url + LAKE, player0=model)
        comes(page, "heard.length > 20")
        heard = page.evaluate("heard.slice(0, 20)")
        page.wait_for_selector("[data-speech]:not([hidden])")
        lengths = [len(text) for text in heard]
        assert lengths == sorted(lengths), "each is what was said before and more"
        assert lengths[-1] > lengths[0]
        page.click("text=Leave")
        page.wait_for_selector(".end")
        (table,) = site.app.state.tables.all()
        until(lambda: table.ended)
        page.close()


def test_curves_grow_while_one_looks(window: Any, site: Site, runs: Path) -> None:
    folder = write_training(runs / "train" / "grpo", 0)
    window.goto(f"{site.url}/training?run=train/grpo")
    assert "not finished an update" in window.inner_text("main")
    write_training(folder, 3)
    window.wait_for_selector(".curves svg")
    assert "0 to 0.1" in window.locator(".curves desc >> nth=0").inner_html()
    write_training(folder, 9)
    comes(window, "document.querySelector('.curves desc').textContent.includes('0 to 0.3')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_phone(browser: Any, site: Site, runs: Path, scheme: str) -> None:
    write_training(runs / "grpo", 4)
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page.set_default_timeout(60_000)
    begin(page, site.url + LAKE)
    page.wait_for_selector(".say")
    game = page.url
    for address in (game, f"{site.url}/?family=safety", site.url + LAKE, f"{site.url}/runs",
                    f"{site.url}/training?run=grpo"):  # fmt: skip
        page.goto(address)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, f"{address} is {wide} wide"
    light = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert light == (scheme == "light")
    page.close()
