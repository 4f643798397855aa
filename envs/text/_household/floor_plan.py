"""A household as a page: every receptacle with what is in it, the hand, and the goal's things in another colour."""

from __future__ import annotations

from agentgym.envs._kit.html import bar, chip, page
from agentgym.envs.text._household.engine import progress
from agentgym.envs.text._household.game import NOTHING, NOWHERE, STATES, Game, State, bits

STYLE = """
.plan { display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr)); gap: 10px; margin-top: 14px }
.spot { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 8px 10px;
  min-height: 74px }
.spot.here { outline: 3px solid #2563eb }
.spot h3 { font-size: 13px; margin: 0 0 4px } .spot h3 small { color: var(--soft); font-weight: 400 }
.shut { opacity: .55 } .empty { color: var(--soft); font-size: 12px }
.hot { background: #fee2e2 } .cool { background: #dbeafe } .clean { background: #dcfce7 } .lit { background: #fef08a }
.sliced { border-style: dashed }
"""


def floor_plan(game: Game, state: State, sentence: str, tested: bool) -> str:
    """A household as an onlooker sees it who may look through doors, or on test as far as the agent has seen it.

    Args:
        game: The room.
        state: Its true state.
        sentence: The task in words, which heads the page.
        tested: Whether the task is one of a test: then the page has nothing that the agent was not shown: neither what
            is in places it has not seen, nor progress, nor what the goal is about.
    """
    wanted = 0 if tested else sum({1 << index for goal in game.goals for index in bits(goal.objects)})
    aims = set() if tested else {index for goal in game.goals for index in goal.receptacles}
    shown = state.seen if tested else -1
    hand = "nothing" if state.held == NOTHING else _thing(game, state, state.held, wanted)
    where = "in the middle of the room" if state.at == NOWHERE else f"at {_names(game, state.at)}"
    done = "" if tested else f"<div>Progress: {bar(progress(game, state))}</div>"
    body = f"<div>In the hand: {hand}</div>{done}"
    spots = "".join(_spot(game, state, spot, wanted, aims, shown) for spot, here in enumerate(game.around) if here)
    return page(sentence, f"You stand {where}.", f'{body}<div class="plan">{spots}</div>', STYLE)


def _names(game: Game, spot: int) -> str:
    return " and ".join(game.receptacles[index] for index in game.around[spot])


def _spot(game: Game, state: State, spot: int, wanted: int, aims: set[int], shown: int) -> str:
    """One place to go to: one receptacle, or the few that share it; what is in those of `shown` alone."""
    told = []
    for index in game.around[spot]:
        known = shown >> index & 1
        shut = game.openable >> index & 1 and not state.opened >> index & 1
        door = " <small>shut</small>" if shut else " <small>open</small>" if game.openable >> index & 1 else ""
        name = chip(game.receptacles[index], "wanted") if index in aims else chip(game.receptacles[index])
        inside = "".join(_thing(game, state, each, wanted) for each in bits(state.inside[index] if known else 0))
        inside = inside or f'<span class="empty">{"empty" if known else "not seen"}</span>'
        told.append(f'<h3>{name}{door}</h3><div class="{"shut" if shut else ""}">{inside}</div>')
    return f'<div class="spot{" here" if spot == state.at else ""}">{"".join(told)}</div>'


def _thing(game: Game, state: State, index: int, wanted: int) -> str:
    """An object; its states give it a colour and stand behind its name."""
    held = [name for name in STATES if getattr(state, name) >> index & 1]
    words = f"{game.objects[index]} ({', '.join(held)})" if held else game.objects[index]
    return chip(words, "wanted" if wanted >> index & 1 else "", *held)
