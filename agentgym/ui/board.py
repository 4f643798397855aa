"""What a browser shows of a game: pictures of a moment, made by the thread that plays and never changed after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.agents.pictures import png
from agentgym.agents.policy import View
from agentgym.agents.reading import Item, is_page, page_items
from agentgym.core import AgentGymError
from agentgym.rollout import EnvPool, RunningEpisode

LISTED = 400  # actions that get a button


@dataclass(frozen=True)
class PlayedTurn:
    """A turn that has been played.

    Attributes:
        number: From 1.
        player: Whose it was; "" where there is one player.
        seen: What that player saw before.
        action: What it said to the world.
        said: All that it said, where that is more.
        valid, error: Whether the world took it, and why not.
        reward: What it paid.
    """

    number: int
    player: str
    seen: str
    action: str
    said: str
    valid: bool
    error: str
    reward: float


@dataclass(frozen=True)
class GameView:
    """A moment of a game.

    Attributes:
        player: Whose eyes it is seen with.
        observation: What it sees.
        items: The parts of the observation with their clicks, where it is a page.
        history: Turns so far, the last one last.
        picture: A PNG file; empty without one.
        waiting: Whether a person is to act.
        actions: What can be done, where a person is to act.
        more: How many further actions there are.
        listed: Whether the world lists actions at all.
        manual: Rules, actions and examples.
        tools: JSON-Schema tools, where actions are tool calls.
    """

    player: str
    observation: str
    history: Sequence[PlayedTurn]
    items: Sequence[Item] = ()
    picture: bytes = b""
    waiting: bool = False
    actions: Sequence[str] = ()
    more: int = 0
    listed: bool = False
    manual: str = ""
    tools: Sequence[Mapping[str, Any]] = ()

    @property
    def buttons(self) -> list[str]:
        """Actions that no part of the page takes by itself."""
        clicked = {item.action for item in self.items}
        return [action for action in self.actions if action not in clicked]


def watched(running: RunningEpisode, pool: EnvPool) -> GameView:
    """A game among models and programs: everybody's turns, and what the player sees that is to act.

    Args:
        running: The game.
        pool: Where it is played.
    """
    player = next(iter(running.to_act), next(iter(running.sides)))
    text = running.results[player].observation
    return GameView(
        player, text, _all_turns(running), page_items(text, None) if is_page(text) else (), picture(pool),
        manual=pool.briefings[player].manual,
    )  # fmt: skip


def faced(running: RunningEpisode, pool: EnvPool, view: View) -> GameView:
    """What a person is shown who is to act: nothing that its player does not know.

    Args:
        running: The game.
        pool: Where it is played.
        view: What the player is given.
    """
    actions = view.ask("admissible_actions")
    known = list(actions or ())
    return GameView(
        view.player,
        view.observation,
        _turns(running, view.player),
        page_items(view.observation, known) if is_page(view.observation) else (),
        picture(pool),
        waiting=True,
        actions=known[:LISTED],
        more=max(0, len(known) - LISTED),
        listed=actions is not None,
        manual=view.manual,
        tools=view.tools,
    )


def picture(pool: EnvPool) -> bytes:
    """What the world draws now, as a PNG file; empty where it draws nothing."""
    env = pool.driver().env
    if env.render_mode != "rgb_array":
        return b""
    pixels = env.render()
    if pixels is None:
        raise AgentGymError(f"{pool.id} says that it draws, and gave no picture")
    return png(pixels)


def _turns(running: RunningEpisode, player: str) -> list[PlayedTurn]:
    turns = running.sides[player].acting.episode.turns
    named = player if len(running.sides) > 1 else ""
    return [_entry(number, named, turn) for number, turn in enumerate(turns, 1)]


def _entry(number: int, player: str, turn: Any) -> PlayedTurn:
    said = turn.said.strip() if turn.said.strip() != turn.action.strip() else ""
    error = turn.info["error"] if turn.info else ""
    return PlayedTurn(number, player, turn.observation, turn.action, said, turn.valid, error, turn.reward)


def _all_turns(running: RunningEpisode) -> list[PlayedTurn]:
    """Everybody's turns in the order in which they were played."""
    if len(running.sides) == 1:
        return _turns(running, next(iter(running.sides)))
    turns = {player: iter(side.acting.episode.turns) for player, side in running.sides.items()}
    found = []
    for number, (player, action) in enumerate(running.log, 1):
        turn = next(turns[player], None)  # None: it is told when the player sees what came of it
        if turn is None:
            found.append(PlayedTurn(number, player, "", action, "", True, "", 0.0))
        else:
            found.append(_entry(number, player, turn))
    return found
