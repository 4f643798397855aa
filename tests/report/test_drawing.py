"""Pictures of text: nothing of it is lost or read as XML, and a cut says so."""

from __future__ import annotations

from xml.etree import ElementTree

from agentgym.report.drawing import Line, card, folded

SVG = "{http://www.w3.org/2000/svg}"


def said(picture: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_words_are_shown_as_they_are() -> None:
    lines = [Line('a < b & c > "d"'), Line("  two  spaces"), Line("Search [SEP] Price"), Line("")]
    assert said(card("A world", lines)) == ["A world", *(line.text for line in lines[:3])]


def test_long_text_is_folded_and_its_cut_is_said() -> None:
    assert [line.text for line in folded("one two three", 7, 5)] == ["one two", "three"]
    assert [line.text for line in folded("  a board\n\n. .", 20, 5)] == ["  a board", "", ". ."]
    cut = folded("\n".join("abcdef"), 10, 3)
    assert [(line.text, line.tone) for line in cut] == [("a", "t"), ("b", "t"), ("...", "d")]


def test_signs_that_xml_does_not_take_are_replaced() -> None:
    assert said(card("A world", folded("a\x00b\x1b[1m \U0001f600", 30, 2)))[1] == "a?b?[1m ?"
