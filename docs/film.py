"""Draws the moving picture of the front page: episodes as they were played, from fixed seeds, by the project's players.

    python -m docs.film                # writes docs/_static/agentgym.svg
    python -m docs.film --check        # says whether the file is what would be written

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

import agentgym
from agentgym.core import unknown
from agentgym.core.driver import drive
from agentgym.core.rng import stream
from agentgym.report.drawing import ADVANCE, HEAD, MARGIN, ROW, Line, block, folded, window, words
from docs.transcript import moments

FILE = Path(__file__).parent / "_static" / "agentgym.svg"
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


def together(world: str, seed: int, levels: tuple[str, str]) -> Scene:
    """A game of two, by its scripted players.

    Args:
        world: Its name without version.
        seed: Of the game.
        levels: How strong the two are.
    """
    name = newest(world)
    with closing(drive(agentgym.make(name))) as driver:
        driver.reset(seed=seed)
        strength = dict(zip(driver.players, levels, strict=True))
        random = {player: stream("docs.film", seed, player) for player in driver.players}
        frames = list[Frame]()
        for one in moments(driver, lambda who: driver.opponent_action(who, strength[who], random[who])):
            if one.action:
                tone, quick = "ab"[driver.players.index(one.player)], len(frames) > 1
                note, who = f"turn {len(frames) + 1}", f"{one.player} >"
                frames.append(Frame(one.observation, who, one.action, note, tone, quick))
            else:
                note = "   ".join(f"{each} reward {total:g}" for each, total in one.returns.items())
                frames.append(Frame(one.observation, "", "", note))
    return Scene(f"{name}, seed {seed}, {levels[0]} against {levels[1]}", tuple(frames))


def scenes() -> list[Scene]:
    """A shop, a household, and a game of two players."""
    return [alone("WebShop", 3), alone("Household", 0), together("ConnectFour", 0, ("strong", "simple"))]


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
    """Write the file, or with `--check` compare it."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("it takes nothing, or --check: python -m docs.film\n")
        return 2
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
