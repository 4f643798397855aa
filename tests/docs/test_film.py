"""The moving picture: it is what the command draws, of episodes that end well, and small."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from agentgym.core import UnknownName
from agentgym.evaluate import read_episodes, replay
from agentgym.report.drawing import ADVANCE
from docs import film

SVG = "{http://www.w3.org/2000/svg}"
MOST = 700_000  # bytes


@pytest.fixture(scope="module")
def scenes() -> list[film.Scene]:
    return film.scenes()


def test_the_picture_is_what_the_command_draws(scenes: list[film.Scene]) -> None:
    kept = film.FILE.read_bytes()
    assert film.film(scenes).encode() == kept, "run: python -m docs.film"
    assert len(kept) < MOST


def test_the_players_reach_what_they_are_after(scenes: list[film.Scene]) -> None:
    shop, household, _ = scenes
    assert all(scene.frames[-1].note.endswith("   success") for scene in (shop, household))
    assert all(frame.action for scene in scenes for frame in scene.frames[:-1])


def test_the_game_is_one_that_two_models_have_played(scenes: list[film.Scene]) -> None:
    """Of the newest version of its world, which answers as on record; whichever way it went."""
    (game,) = read_episodes(film.GAME)
    assert game.env.rpartition("/")[2] == film.newest(film.WORLD)
    assert {one.agent for one in game.players.values()} == {film.MODEL}
    assert [one.agent_options for one in game.players.values()] == [film.ASKED] * 2
    assert game.ended
    assert all(turn.said and turn.valid for turn in game.turns)
    (outcome,) = replay(film.GAME)
    assert outcome.same, outcome.difference
    scene = scenes[-1]
    assert "smollm2 against itself" in scene.title
    assert [frame.action for frame in scene.frames] == [*(turn.action for turn in game.turns), ""]
    assert [frame.text for frame in scene.frames[:-1]] == [turn.observation for turn in game.turns]
    for player, one in game.players.items():
        assert f"{player} reward {one.score:g}" in scene.frames[-1].note


def test_every_frame_has_its_time_and_no_two_share_it(scenes: list[film.Scene]) -> None:
    drawn = film.FILE.read_text(encoding="utf8")
    root = ElementTree.fromstring(drawn)
    count = sum(len(scene.frames) for scene in scenes)
    assert len([group for group in root.iter(f"{SVG}g") if group.get("class", "").startswith("f ")]) == count
    shown = re.findall(
        r"@keyframes f\d+\{(?:0%\{visibility:hidden\})?([\d.]+)%\{visibility:visible\}(?:([\d.]+)%)?", drawn
    )
    assert len(shown) == count
    assert [end for _, end in shown[:-1]] == [start for start, _ in shown[1:]]
    assert (shown[0][0], shown[-1][1]) == ("0.000", "")


def test_every_line_stays_within_the_window() -> None:
    for text in ElementTree.parse(film.FILE).getroot().iter(f"{SVG}text"):
        assert float(text.get("x", "")) + int(text.get("textLength", "")) <= film.WIDTH
        assert int(text.get("textLength", "")) == ADVANCE * len("".join(text.itertext()))


def test_a_world_is_found_by_its_newest_version() -> None:
    assert re.fullmatch(r"ConnectFour-v\d+", film.newest("ConnectFour"))
    with pytest.raises(UnknownName, match="ConnectFour"):
        film.newest("ConectFour")
