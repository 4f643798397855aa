"""Episodes as pages show them: played by the oracle from a fixed seed, long ones with their middle left out."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agentgym
from agentgym.core import EnvCard, LanguageEnv
from agentgym.core.driver import Driver, drive

SEED, SEEDS = 0, range(10)
SHORTEST = 3  # observations and more that make an episode worth reading
HEAD, TAIL = 5, 2  # observations shown of a long episode
LINES, COLUMNS = 24, 400  # of one observation


@dataclass
class Shown:
    """What a page shows of a world at work.

    Attributes:
        manual: What an agent is told.
        spaces: Observation and action space.
        tools: Names of its tools, if actions are tool calls.
        episode: The transcript.
        summary: How it ended, in words.
        picture: The end of it as PNG, where the world has pictures.
    """

    manual: str
    spaces: tuple[str, ...]
    tools: tuple[str, ...]
    episode: str
    summary: str
    picture: bytes = b""


@dataclass(frozen=True)
class Moment:
    """What a player sees, and says to it.

    Attributes:
        player: Who.
        observation: What it sees.
        action: What it says; "" at the end of the episode.
        returns: What each player has earned so far.
    """

    player: str
    observation: str
    action: str
    returns: dict[str, float]


def moments(driver: Driver, act: Callable[[str], str]) -> Iterator[Moment]:
    """Play an episode that has begun: every action of every player, and at last what the first player sees at the end.

    Args:
        driver: Of the environment.
        act: The next action of a player.
    """
    returns = dict.fromkeys(driver.players, 0.0)
    while not driver.ended:
        actions = {player: act(player) for player in driver.to_act}
        for player, action in actions.items():
            yield Moment(player, driver.result(player).observation, action, dict(returns))
        driver.step(actions)
        for player, reward in driver.rewards.items():
            returns[player] += reward
    player = driver.players[0]
    end = driver.result(player)
    assert not end.info["failure"], f"{driver.world.card.id} failed while it was shown: {end.info['failure']}"
    yield Moment(player, end.observation, "", returns)


def show(card: EnvCard, options: Mapping[str, Any]) -> Shown:
    """Play one episode of a world by its oracle.

    Raises:
        MissingExtra: if what the world needs is not installed.
    """
    alone = card.players == 1
    mode = "rgb_array" if card.images and alone else "ansi"
    with closing(drive(agentgym.make(card.id, render_mode=mode, **options))) as driver:
        player, world = driver.players[0], driver.world
        spaces = tuple(
            repr(space(player) if callable(space) else space)
            for space in (driver.env.observation_space, driver.env.action_space)
        )
        tools = tuple(tool["function"]["name"] if "function" in tool else tool["name"] for tool in world.tools)
        episode, summary = _alone(driver) if alone else _together(driver)
        picture = png(world.render()) if mode == "rgb_array" and card.oracle_success else b""
        return Shown(world.manual, spaces, tools, "\n\n".join(middle_left_out(episode)), summary, picture)


def _alone(driver: Driver) -> tuple[list[str], str]:
    """The oracle's first episode that is long enough to be read; where none is, the expert's, if there is one."""
    if not driver.world.card.oracle_success:
        driver.reset(seed=SEEDS[0])
        first = shortened(driver.result(driver.players[0]).observation)
        return [first], "It has no oracle; this is its first observation."
    for seed in SEEDS:
        said, summary = _played(driver, "oracle", seed)
        if len(said) > SHORTEST:
            return said, summary
    has_expert = type(driver.world)._expert is not LanguageEnv._expert
    return _played(driver, "expert" if has_expert else "oracle", SEEDS[0])


def _played(driver: Driver, by: str, seed: int) -> tuple[list[str], str]:
    """What was said in an episode, the first observation first, and how it ended."""
    driver.reset(seed=seed)
    seen = list(moments(driver, driver.oracle_action if by == "oracle" else driver.expert_action))
    said = [shortened(seen[0].observation)]
    said += [f"> {one.action}\n\n{shortened(after.observation)}" for one, after in pairwise(seen)]
    turns = "1 turn" if len(said) == 2 else f"{len(said) - 1} turns"
    player, total = seen[-1].player, seen[-1].returns[seen[-1].player]
    how = "with success" if driver.result(player).info["success"] else "without success"
    return said, f"Seed {seed}, played by the {by}: {turns}, return {total:g}, {how}."


def _together(driver: Driver) -> tuple[list[str], str]:
    """What the players saw and said, and how it ended; the end is seen where they act in turn."""
    driver.reset(seed=SEED)
    seen = list(moments(driver, driver.oracle_action))
    said = [f"[{each.player}]\n{shortened(each.observation)}\n\n> {each.action}" for each in seen[:-1]]
    if driver.world.card.api == "aec":
        said.append(f"[{seen[-1].player}]\n{shortened(seen[-1].observation)}")
    returns = ", ".join(f"{player} {total:g}" for player, total in seen[-1].returns.items())
    return said, f"Seed {SEED}, each player played by the oracle: returns {returns}."


def middle_left_out(turns: list[str]) -> list[str]:
    """The first and the last turns, and how many are left out between them."""
    missing = len(turns) - HEAD - TAIL
    if missing < 2:
        return turns
    return [*turns[:HEAD], f"[... {missing} turns ...]", *turns[-TAIL:]]


def shortened(text: str) -> str:
    """Text with very long lines and very many lines cut, and saying so."""
    lines = [line if len(line) <= COLUMNS else f"{line[:COLUMNS]} [...]" for line in text.splitlines()]
    if len(lines) > LINES:
        kept = LINES // 2
        lines = [*lines[:kept], f"[... {len(lines) - 2 * kept} lines ...]", *lines[-kept:]]
    return "\n".join(lines)


def png(frame: NDArray[np.uint8]) -> bytes:
    """A picture of shape (height, width, 3) as a PNG file."""
    height, width, _ = frame.shape
    rows = b"".join(b"\x00" + row.tobytes() for row in np.ascontiguousarray(frame))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
