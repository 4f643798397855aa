"""Pictures go with the words to players that see, are named in the turn and kept with the episode."""

from __future__ import annotations

import base64
import functools
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from agentgym.agents import ChatPolicy, EndpointPolicy, Prompt
from agentgym.agents.pictures import picture_name, png
from agentgym.core import ConfigError, Reply
from agentgym.rollout import Branching, EnvPool, EpisodeSpec, Role, Window, Workers, collect
from agentgym.wrappers import Screenshot
from tests.rollout.players import Scripted, echo

SHOT = functools.partial(Screenshot, height=24, width=24)
STARTS = [EpisodeSpec(6, 6, 0, (1, member)) for member in range(2)]
WAY = ("right", "left", "right")


def lake(**options: Any) -> EnvPool:
    return EnvPool("FrozenLake-v0", wrappers=[SHOT], render_mode="rgb_array", size=4, slippery=False, **options)


class Looker(ChatPolicy):
    """Walks a way and notes which pictures it was shown."""

    sees = True

    def __init__(self, prompt: Prompt = Prompt(manual=True)) -> None:  # noqa: B008 (frozen)
        self.asked: list[Sequence[Mapping[str, Any]]] = []
        self.prompt = prompt

    def answer(self, conversations: Sequence[Sequence[Mapping[str, Any]]], seeds: Sequence[int]) -> list[Reply]:
        self.asked += conversations
        return [Reply(WAY[sum(message["role"] == "assistant" for message in each) % 3]) for each in conversations]


def pixels(file: bytes) -> Any:
    images = pytest.importorskip("PIL.Image", reason="Pillow is not installed, so no PNG file can be read back")
    with images.open(io.BytesIO(file)) as picture:
        return np.asarray(picture.convert("RGB"))


def test_a_png_file_holds_the_pixels() -> None:
    drawn = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    assert png(drawn) == png(drawn.copy())
    assert (pixels(png(drawn)) == drawn).all()


def test_turns_name_what_was_shown_and_the_episode_keeps_it() -> None:
    looker = Looker()
    (episode, _) = collect(lake(), looker, STARTS, horizon=3)
    env = SHOT(gym.make("AgentGym/FrozenLake-v0", render_mode="rgb_array", size=4, slippery=False))
    seen, _ = env.reset(seed=6, options={"task": 6})
    for turn in episode.turns:
        (name,) = turn.images
        assert name == picture_name(episode.pictures[name])
        assert (pixels(episode.pictures[name]) == seen["image"]).all()
        assert turn.observation == seen["text"]
        seen, *_ = env.step(turn.action)
    assert len(set(episode.pictures)) > 1
    shown = [message["image"] for message in looker.asked[-1] if message["role"] == "user"]
    assert [picture_name(file) for file in shown] == [turn.images[0] for turn in episode.turns]
    record = episode.record()
    assert "pictures" not in record
    assert record["turns"][0]["images"] == episode.turns[0].images


def test_a_window_shows_the_pictures_of_its_turns() -> None:
    looker = Looker(Prompt(context=Window(1)))
    collect(lake(), looker, STARTS[:1], horizon=3)
    assert [sum("image" in message for message in asked) for asked in looker.asked] == [1, 2, 2]


def test_branches_and_other_processes_show_the_same() -> None:
    here = collect(lake(), Looker(), STARTS, horizon=2, strategy=Branching(turns=(1,)))
    assert here[1].turns[0].images == here[0].turns[0].images
    assert here[1].pictures.keys() >= {turn.images[0] for turn in here[1].turns}
    world = lake(workers=Workers(processes=1))
    assert collect(world, Looker(), STARTS, horizon=2, strategy=Branching(turns=(1,))) == here
    world.close()


def test_an_endpoint_gets_parts_with_the_picture() -> None:
    heard: list[Any] = []

    class Model:
        def complete(self, messages: Sequence[Mapping[str, Any]], *, seed: int = 0, max_tokens: int = 512) -> Reply:
            heard.append(messages)
            return Reply("Action: right")

    (episode,) = collect(lake(), EndpointPolicy(Model(), sees=True), STARTS[:1], horizon=1)
    words, picture = heard[0][-1]["content"]
    assert words == {"type": "text", "text": episode.turns[0].observation}
    head, _, data = picture["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data) == episode.pictures[episode.turns[0].images[0]]


@pytest.mark.parametrize(
    "player", [lambda: Scripted(echo), lambda: {"a": Role(Looker(), trainable=False), "b": Role(Scripted(echo))}]
)
def test_players_that_do_not_see_are_refused(player: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError, match=r"shows pictures, and Scripted reads text alone; leave out .*Screenshot"):
        collect(lake(), player(), STARTS)
