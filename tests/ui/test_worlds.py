"""Any world is played over HTTP: begun by a form, acted in, and left."""

from __future__ import annotations

import pytest

from agentgym.core import EnvCard
from agentgym.envs import CARDS
from agentgym.ui.orders import Hint
from agentgym.ui.pictures import unplayable
from tests.ui.conftest import Site, until

NOT_HERE = ("pip install", "not installed", "cannot be started")  # of what a machine may lack


@pytest.mark.full
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_person_acts_in_it(site: Site, card: EnvCard) -> None:
    """What can be done first by button, otherwise what the expert would say, otherwise a word, which counts as well."""
    if reason := unplayable(card):
        pytest.skip(reason)
    others = card.opponents[-1] if card.opponents else "person"
    form = {"seed": "0", "player0": "person", **{f"player{place}": others for place in range(1, card.players)}}
    status, headers, text = site.ask("POST", f"/worlds/{card.id}/start", form)
    if status == 400 and any(words in text for words in NOT_HERE):
        pytest.skip(f"{card.id} cannot be played here")
    assert status == 303, text
    table = site.app.state.tables.find(headers["location"].rpartition("/")[2])
    until(lambda: table.shown.state in ("person", "over", "failed"))
    assert table.shown.state == "person", table.shown.note
    if not table.shown.ready:
        table.take_over()
        until(lambda: table.shown.ready)
    before = table.shown.board
    assert before.observation.strip()
    assert before.manual.strip()
    action = before.actions[0] if before.actions else ""
    if not action:
        assert table.order(Hint())
        until(lambda: table.shown.note != "")
        action = table.shown.note.removeprefix("The expert would say: ") or "look"
    assert site.ask("POST", f"/games/{table.id}/act", {"action": action}, {"X-Agentgym": "1"})[0] == 204
    until(lambda: table.shown.state in ("over", "failed") or table.shown.board is not before)
    assert table.shown.state != "failed", table.shown.note
    status, _, text = site.ask("GET", f"/games/{table.id}/board")
    assert status == 200
    assert text
    table.leave()
    until(lambda: table.ended or table.shown.state == "over")
