"""The gallery: a picture for every world, also for one that cannot be played."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from agentgym.agents.pictures import png
from agentgym.envs import CARDS
from docs.gallery import ROWS, gallery, pictures_table, png_size, still
from docs.transcript import Shown

SVG = "{http://www.w3.org/2000/svg}"
(WORLD,) = [card for card in CARDS if card.name == "KuhnPoker-v0"]


def lines(picture: str) -> list[tuple[str, str]]:
    texts = ElementTree.fromstring(picture).iter(f"{SVG}text")
    return [(text.get("class", ""), "".join(text.itertext())) for text in texts]


def test_an_episode_is_drawn_with_who_acts_and_what_is_typed() -> None:
    shown = Shown("manual", ("", ""), (), "[player_0]\nYou hold K.\n\n> bet\n\n" + "more\n" * 20, "")
    drawn = lines(still(WORLD, shown))
    assert drawn[:4] == [("d", "KuhnPoker"), ("b", "[player_0]"), ("t", "You hold K."), ("a", "> bet")]
    assert drawn[-1] == ("d", "...")
    assert len(drawn) <= ROWS + 1


def test_a_world_that_cannot_be_played_says_why() -> None:
    drawn = " ".join(text for _, text in lines(still(WORLD, "it needs the extra nethack")))
    assert "it needs the extra nethack" in drawn
    assert WORLD.description.split()[0] in drawn


def test_every_world_is_in_the_gallery() -> None:
    text = gallery(CARDS, {card.id: f"{card.name}.svg" for card in CARDS})
    assert text.count("[![") == len(CARDS)
    assert all(f"(worlds/{card.name}.svg)](worlds/{card.name.lower()}.md)" in text for card in CARDS)


def test_the_table_of_pictures_names_the_worlds_that_draw() -> None:
    drawing = [card for card in CARDS if card.images]
    rows = pictures_table(CARDS, {card.id: (96, 64) for card in drawing[1:]}).splitlines()[2:]
    assert len(rows) == len(drawing) > 20
    assert all(f"(worlds/{card.name.lower()}.md)" in row for card, row in zip(drawing, rows, strict=True))
    assert "not drawn here" in rows[0]
    assert all("96 x 64" in row for row in rows[1:])
    assert {"Sokoban-v0", "MiniWoB-v1"} <= {card.name for card in drawing}


def test_the_size_of_a_picture_is_read_from_its_file() -> None:
    assert png_size(png(np.zeros((40, 72, 3), np.uint8))) == (72, 40)
    with pytest.raises(ValueError, match="no PNG"):
        png_size(b"<svg>")
