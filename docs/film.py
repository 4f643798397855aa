"""Draws the moving picture of the front page: episodes as they were played, by the project's players and by a model.

    python -m docs.film                # writes docs/_static/agentgym.svg
    python -m docs.film --check        # says whether the file is what would be written
    python -m docs.film --record       # lets SmolLM2 play the game anew, into docs/game.jsonl, and draws nothing

A shop and a household are played when they are drawn, from fixed seeds. A game between two models is drawn as it was
recorded, since no two machines round alike: it is the first game of a match with seed 0, whichever way it went.

An SVG with rules of CSS and no script, so it moves wherever a page shows pictures. A reader who wants no motion is
shown the first frame.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import agentgym
from agentgym.core import unknown
from agentgym.core.driver import drive
from agentgym.evaluate import Agent, EpisodeRecord, PlayerRecord, match, read_episodes
from agentgym.report.drawing import ADVANCE, HEAD, MARGIN, ROW, Line, block, folded, window, words
from docs.transcript import moments

FILE = Path(__file__).parent / "_static" / "agentgym.svg"
GAME = Path(__file__).parent / "game.jsonl"
MODEL, WORLD = "hf:smollm2", "TicTacToe"
ASKED = {"only_admissible": True, "temperature": 1.0, "max_tokens": 8, "device": "cpu"}
COLUMNS, ROWS = 90, 11
WIDTH = COLUMNS * ADVANCE + 2 * MARGIN
PROMPT = HEAD + ROWS * ROW + 34  # height at which the action is typed
FOOT = PROMPT + 52
HEIGHT = FOOT + 36
BEFORE, SIGN, AFTER, END = 1.1, 0.028, 0.7, 3.0  # seconds: to read, to type a sign, to see it, to see how it ended


@dataclass(frozen=True)
class Frame:
    """What is seen between two actions.

    Attributes:
        text: The observation.
        who: Who acts next, shown before the action.
        action: What is typed; nothing at the end.
        note: How it stands.
        tone: Color of the action, see `agentgym.report.drawing.Line`.
        quick: Whether it follows others like it, so that less time to read is needed.
    """

    text: str
    who: str
    action: str
    note: str
    tone: str = "a"
    quick: bool = False

    @property
    def seconds(self) -> float:
        """How long it is shown."""
        return (self.before + SIGN * len(self.action) + AFTER) if self.action else END

    @property
    def before(self) -> float:
        """Seconds until the first sign is typed."""
        return BEFORE / 2 if self.quick else BEFORE


@dataclass(frozen=True)
class Scene:
    """An episode.

    Attributes:
        title: World, seed and players.
        frames: From the first observation to the last.
    """

    title: str
    frames: tuple[Frame, ...]


def newest(world: str) -> str:
    """The highest version of a world, by its name without version.

    Raises:
        UnknownName: if there is none of the name, with the nearest known.
    """
    names = [card.name for card in agentgym.catalog().values() if card.id == f"AgentGym/{card.name}"]
    versions = [int(found[1]) for name in names if (found := re.fullmatch(rf"{re.escape(world)}-v(\d+)", name))]
    if not versions:
        raise unknown("world", world, [name.rpartition("-v")[0] for name in names])
    return f"{world}-v{max(versions)}"


def alone(world: str, seed: int) -> Scene:
    """An episode of a world of one player, by its expert."""
    name = newest(world)
    with closing(drive(agentgym.make(name, split="train"))) as driver:
        driver.reset(seed=seed)
        frames = list[Frame]()
        for one in moments(driver, driver.expert_action):
            total = f"reward {one.returns[one.player]:g}"
            success = "success" if driver.result(one.player).info["success"] else "no success"
            note = f"turn {len(frames) + 1}   {total}" if one.action else f"{total}   {success}"
            frames.append(Frame(one.observation, ">" if one.action else "", one.action, note))
    return Scene(f"{name}, seed {seed}, played by its expert", tuple(frames))


def recorded(file: Path = GAME) -> Scene:
    """A game of two, as it stands on record.

    Args:
        file: With one line, the game's.
    """
    (game,) = read_episodes(file)
    frames = list[Frame]()
    for number, turn in enumerate(game.turns):
        tone, who = "ab"[[*game.players].index(turn.player)], f"{turn.player} >"
        frames.append(Frame(turn.observation, who, turn.action, f"turn {number + 1}", tone, number > 1))
    totals = {player: one.score for player, one in game.players.items()}
    note = "   ".join(f"{each} reward {total:g}" for each, total in totals.items())
    last = game.players[game.turns[-1].player].final_observation
    frames.append(Frame(last, "", "", note))
    held = [_model(one) for one in game.players.values()]
    against = "itself" if held[0] == held[1] else held[1]
    return Scene(
        f"{game.env.rpartition('/')[2]}, {held[0]} against {against}, held to what the rules allow", tuple(frames)
    )


def _model(player: PlayerRecord) -> str:
    """The name of who held a player, without where it came from."""
    return player.agent.partition(" ")[0].rpartition(":")[2]


def record() -> EpisodeRecord:
    """Let the model play both sides, each with its own conversation; only what the game lists can be said.

    Without that a model of 135 million parameters hardly says a cell, and the game would play in its place.
    """
    model = Agent(MODEL, ASKED)
    with TemporaryDirectory() as folder:
        result = match(
            newest(WORLD), {"player_0": model, "player_1": model}, games=1, seed=0, out=Path(folder) / "game"
        )
    return result.games[0]


def scenes() -> list[Scene]:
    """A shop, a household, and a game between two models."""
    return [alone("WebShop", 3), alone("Household", 0), recorded()]


def film(shown: Sequence[Scene]) -> str:
    """The moving picture of some episodes, one after the other, as SVG."""
    whole = sum(frame.seconds for scene in shown for frame in scene.frames)
    body, style, start, number = list[str](), list[str](), 0.0, 0
    style.append(f".f{{visibility:hidden;animation:{whole:.2f}s step-end infinite}}")
    style.append(f".c,.k{{animation:{whole:.2f}s infinite}}@media (prefers-reduced-motion:reduce)")
    style.append("{.f,.c,.k{animation:none!important}.f0{visibility:visible}.c{visibility:hidden}}")
    for place, scene in enumerate(shown):
        for frame in scene.frames:
            body.append(_drawn(scene, frame, number, _marks(place, len(shown))))
            style.append(_timed(frame, number, start, whole))
            start, number = start + frame.seconds, number + 1
    label = "Episodes of AgentGym: " + "; ".join(scene.title for scene in shown)
    return window(WIDTH, HEIGHT, "\n".join(body), "\n".join(style), label)


def _marks(place: int, count: int) -> str:
    """A dash for each scene, the one that is shown lit."""
    return "".join(
        f'<rect x="{WIDTH - MARGIN - 34 * (count - number)}" y="{HEAD / 2 - 2:g}" width="26" height="4" rx="2" '
        f'fill="{"#4fd1a5" if number == place else "#3a4d62"}"/>'
        for number in range(count)
    )


def _drawn(scene: Scene, frame: Frame, number: int, marks: str) -> str:
    """A frame: title, observation, the action under a cover that draws back as it is typed, and how it stands."""
    lines = folded(frame.text, COLUMNS, ROWS)
    room = COLUMNS - len(frame.who) - 1
    action = frame.action if len(frame.action) <= room else f"{frame.action[: room - 3]}..."
    left, wide = MARGIN + (len(frame.who) + 1) * ADVANCE, len(action) * ADVANCE
    parts = [words(MARGIN + 70, HEAD / 2 + 5, Line(scene.title, "d")), marks, block(lines, HEAD + 12)]
    parts.append(f'<path d="M{MARGIN} {PROMPT - 30}H{WIDTH - MARGIN}" stroke="#2a3a4c"/>')
    if action:
        top = PROMPT - 17
        parts.append(words(MARGIN, PROMPT, Line(frame.who, frame.tone)))
        parts.append(words(left, PROMPT, Line(action, frame.tone)))
        parts.append(
            f'<rect class="c c{number}" x="{left}" y="{top}" width="{wide}" height="24" fill="#101923" '
            f'style="transform-origin:{left + wide}px 0"/>'
            f'<rect class="k k{number}" x="{left}" y="{top}" width="{ADVANCE}" height="21" fill="#dbe4ee"/>'
        )
    parts.append(words(MARGIN, FOOT, Line(frame.note, "d" if action else "g")))
    return f'<g class="f f{number}">{"".join(parts)}</g>'


def _timed(frame: Frame, number: int, start: float, whole: float) -> str:
    """The rules by which a frame is shown and its action typed."""

    def at(seconds: float) -> str:
        return f"{100 * seconds / whole:.3f}%"

    end = start + frame.seconds
    first = "0%{visibility:hidden}" if start else ""
    rules = f".f{number}{{animation-name:f{number}}}@keyframes f{number}{{{first}{at(start)}{{visibility:visible}}"
    rules += f"{at(end)}{{visibility:hidden}}}}" if end < whole - 1e-9 else "}"
    if not frame.action:
        return rules
    begun, done = at(start + frame.before), at(start + frame.before + SIGN * len(frame.action))
    signs = min(len(frame.action), COLUMNS - len(frame.who) - 1)
    for name, before, after in (
        ("c", "scaleX(1)", "scaleX(0)"),
        ("k", "translateX(0)", f"translateX({signs * ADVANCE}px)"),
    ):
        rules += (
            f".{name}{number}{{animation-name:{name}{number}}}@keyframes {name}{number}{{0%,{begun}"
            f"{{transform:{before};animation-timing-function:steps({signs})}}{done},to{{transform:{after}}}}}"
        )
    return rules


def main(arguments: Sequence[str]) -> int:
    """Write the file, with `--check` compare it, or with `--record` play the game that it shows."""
    if arguments not in ([], ["--check"], ["--record"]):
        sys.stderr.write("it takes nothing, --check or --record: python -m docs.film\n")
        return 2
    if arguments == ["--record"]:
        game = record()
        GAME.write_text(game.to_line() + "\n", encoding="utf8")
        sys.stdout.write(f"{GAME}: {len(game.turns)} turns, {game.prompt_tokens:,} tokens read\n")
        return 0
    drawn = film(scenes())
    if arguments:
        same = FILE.exists() and FILE.read_text(encoding="utf8") == drawn
        sys.stdout.write(f"{FILE.name} is as it is drawn\n" if same else f"{FILE.name} is old: python -m docs.film\n")
        return 0 if same else 1
    FILE.write_text(drawn, encoding="utf8")
    sys.stdout.write(f"{FILE}: {len(drawn):,} signs\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
