"""Lets a page settle and reads it: the outline, its text, its source, and pictures of it."""

from __future__ import annotations

import base64
import contextlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.core.errors import EngineFailure
from agentgym.envs.web._browser.context import SETTLE, TOO_MANY, Context
from agentgym.envs.web._browser.dialogs import DialogOpens, shown
from agentgym.envs.web._browser.driver import ProtocolError
from agentgym.envs.web._browser.tab import Frame, FrameGone, Tab, TabGone

SPAN = 1000  # ms by which the page's clock moves with each action
PATIENT = 30.0  # seconds for pages that run no scripts: they wait for nothing but a machine that is busy
AGAIN = 0.5  # seconds to wait once it has started something new for the second time
ROUNDS = 5  # times a page may start something new while it settles
MOST_REFUSED = 100
MARK = "in view"
PLACED = re.compile(r" at -?\d+,-?\d+ size \d+x\d+")
SPOKEN = re.compile(r'(?P<what>[a-z][a-z ]*?)? ?(?P<words>"(?:[^"\\]|\\.)*")?(?P<states>(?: .*)?)', re.DOTALL)
READ_AS_WORDS = frozenset(  # as lines of the outline name what is but read
    ("", "heading", "cell", "header cell", "row", "item", "table", "navigation", "region", "group", "article", "form",
     "search", "status", "alert", "dialog", "alertdialog", "tabpanel", "toolbar", "rowheader", "columnheader")
)  # fmt: skip
DEEP = 4  # frames of other origins within each other

Line = tuple[int, str, int, int]


@dataclass(slots=True)
class Reading:
    """A page as it was read.

    Attributes:
        lines: Depth, words, and top and bottom in the viewport of every line of the outline.
        boxes: Number, left, top, width and height of what can be acted upon and is in view, if they were asked for.
        places: The same of every element of the outline, by number, if they were asked for.
        focus: Number of the element with the focus; 0 if it has none.
        window: Width and height of the viewport.
        url, title: Of the page.
        scroll: Pixels scrolled, height of the page, height of the viewport.
        partial: Whether the page was too large to be read whole.
        unsettled: Whether it was still loading.
        probe: Value of the world's own expression about the page.
        failure: Why the page could not be opened; otherwise empty.
        asks: The dialog that it shows, in words; nothing else of it was read then.
    """

    lines: list[Line]
    url: str = ""
    title: str = ""
    scroll: tuple[int, int, int] = (0, 0, 0)
    boxes: list[list[float]] = field(default_factory=list)
    places: dict[int, tuple[float, float, float, float]] = field(default_factory=dict)
    focus: int = 0
    window: tuple[int, int] = (0, 0)
    partial: bool = False
    unsettled: bool = False
    probe: Any = None
    failure: str = ""
    asks: str = ""


def settle(
    context: Context, span: int = SPAN, *, boxes: bool = False, places: bool = False, probe: str = "null"
) -> Reading:
    """Move the clock of the active page, wait until nothing is under way, within a bound, and read it.

    Args:
        context: The context whose active page is read.
        span: Milliseconds by which the page's clock moves.
        boxes, places: Whether the reading has those fields; see `Reading`.
        probe: An expression in JavaScript, whose value the reading has.

    Raises:
        EngineFailure: if the page or the browser is lost.
    """
    quiet, reading = True, None
    options = json.dumps({"boxes": boxes, "places": places})
    for again in range(ROUNDS):
        quiet = context.wait_for_quiet(PATIENT if context.still else AGAIN if again > 1 else SETTLE)
        context.check()
        tab = context.active
        before, answered = tab.last, tab.answered
        try:
            if context.resumed:
                take_back(tab, before)
                context.resumed = False
            reading = _look(tab, 0 if again else span, options, probe)
        except TabGone:
            reading = None
            continue
        except DialogOpens:
            break
        # What came while it was read, such as a picture of a new style, may or may not have been seen.
        if tab is context.active and not (quiet and (context.busy or tab.answered != answered)):
            break
        if again < ROUNDS - 1:
            take_back(tab, before)  # how often a page is looked at before it rests must not show in the numbers
    if context.asked is not None:
        return Reading([], context.active.url, asks=shown(context.asked))
    if reading is None:
        raise EngineFailure("the page opens and closes tabs without end")
    if tab.submitted:
        context.record("submit", url=tab.submitted)
        tab.submitted = ""
    reading.window = context.viewport
    reading.unsettled = not quiet or context.busy
    context.check()
    return reading


def take_back(tab: Tab, last: int) -> None:
    """Forget the numbers a look has given to elements of `tab` and its frames: those above `last`."""
    tab.disown(last)
    for frame in ("", *tab.frames):
        with contextlib.suppress(FrameGone):
            tab.evaluate(f"agentgym.takeBack({last})", frame)


def _look(tab: Tab, span: int, options: str, probe: str = "null", frame: str = "", depth: int = 0) -> Reading:
    """Read a page, or a frame of another origin in it, and the frames of other origins below."""
    clock = f"await agentgym.advance({span});"
    code = (
        f"(async()=>{{{clock}agentgym.start({tab.last});const seen=agentgym.look({options});"
        f"seen.probe={probe};return JSON.stringify(seen)}})()"
    )
    seen: dict[str, Any] = json.loads(tab.evaluate(code, frame))
    tab.last = max(tab.last, seen["last"])
    reading = Reading(
        [tuple(line) for line in seen["lines"]],
        seen["url"],
        seen["title"],
        tuple(seen["scroll"]),
        seen["boxes"],
        {int(own): (x, y, width, height) for own, x, y, width, height in seen["places"]},
        seen["focus"],
        partial=seen["full"] or "cut" in seen,
        probe=seen["probe"],
    )
    if not frame:
        for _ in range(min(seen["refused"], MOST_REFUSED)):
            tab.context.note(TOO_MANY)
        for _ in range(seen["saving"]):
            tab.saves_file()
        tab.context.expect_choosers(seen["choosing"])
        if seen["url"].startswith("chrome-error:"):
            reading.failure = tab.failure or "the address cannot be opened"
        tab.title = seen["title"]
        if not reading.failure and tab.url != seen["url"]:
            tab.url = seen["url"]
            tab.context.record("navigate", url=tab.url)
    if seen["foreign"] and depth < DEEP:
        _foreign(tab, span, options, frame, depth, seen["foreign"], reading)
    return reading


def _foreign(
    tab: Tab, span: int, options: str, frame: str, depth: int, holes: Sequence[Sequence[float]], reading: Reading
) -> None:
    """Read the frames of other origins and put their lines where they belong."""
    found = {owner: child for child, owner in _owners(tab, frame)}
    for place, owner, left, top, inset in reversed(holes):
        child = found.get(int(owner))
        if child is None:
            continue
        tab.frames[child] = Frame(frame, int(owner))
        before = tab.last
        try:
            inner = _look(tab, span, options, "null", child, depth + 1)
        except FrameGone:
            continue
        tab.own(range(before + 1, tab.last + 1), child)
        shifted = [
            (deep + int(inset), text, round(up + top), round(down + top)) for deep, text, up, down in inner.lines
        ]
        reading.lines[int(place) : int(place)] = shifted
        reading.focus = inner.focus if reading.focus == int(owner) and inner.focus else reading.focus
        reading.places.update(
            (own, (x + left, y + top, width, height)) for own, (x, y, width, height) in inner.places.items()
        )
        reading.boxes += [[own, x + left, y + top, width, height] for own, x, y, width, height in inner.boxes]


def _owners(tab: Tab, frame: str) -> list[tuple[str, int]]:
    """Frames below a frame, each with the number of the element that holds it."""
    found = []
    try:
        tab.send("DOM.enable")
        tree = tab.call("Page.getFrameTree")["frameTree"]
        for child in _children(tree, frame or tab.target):
            node = tab.call("DOM.getFrameOwner", {"frameId": child})["backendNodeId"]
            given = {"backendNodeId": node, "executionContextId": tab.world(frame or tab.target)}
            held = tab.call("DOM.resolveNode", given)["object"].get("objectId")
            if held is None:  # it lies in a frame of another origin within, which will be asked itself
                continue
            function = "function(){return globalThis.agentgym.number(this)}"
            answer = tab.call(
                "Runtime.callFunctionOn", {"objectId": held, "functionDeclaration": function, "returnByValue": True}
            )
            found.append((child, answer["result"]["value"]))
    except ProtocolError:
        return found  # a frame went away while it was asked for
    return found


def _children(tree: dict[str, Any], frame: str) -> list[str]:
    """The frames in a frame, however deep within frames of its own origin."""
    if tree["frame"]["id"] == frame:
        return _below(tree)
    return [name for inner in tree.get("childFrames", ()) for name in _children(inner, frame)]


def _below(tree: dict[str, Any]) -> list[str]:
    return [name for inner in tree.get("childFrames", ()) for name in (inner["frame"]["id"], *_below(inner))]


def render_outline(reading: Reading, room: int, boxes: bool = False, visibility: bool = False) -> str:
    """The outline within `room` characters: what does not fit is left out farthest from the viewport first.

    Args:
        reading: The page.
        room: Characters.
        boxes: Whether each line tells where its element lies, where the places were read.
        visibility: Whether each line tells if its element is out of view.
    """
    rows = []
    for depth, text, _, _ in reading.lines:
        more = _whereabouts(reading, text, boxes, visibility) if boxes or visibility else ""
        rows.append("  " * min(depth, 12) + text + more)
    return _windowed(rows, reading, room)


def _whereabouts(reading: Reading, text: str, boxes: bool, visibility: bool) -> str:
    """Where the element of a line lies, and whether that is in view."""
    place = reading.places.get(int(text[1 : text.index("]")]))
    if place is None:
        return ""
    left, top, width, height = place
    told = f" at {left:.0f},{top:.0f} size {width:.0f}x{height:.0f}" if boxes and not PLACED.search(text) else ""
    across, down = reading.window
    away = left + width <= 0 or top + height <= 0 or left >= across or top >= down
    return told + (" (out of view)" if visibility and away else "")


def render_text(reading: Reading, room: int) -> str:
    """What a reader of `reading` sees, without structure, within `room` characters.

    What can be acted upon has its number.
    """
    shown = Reading([(0, text, up, down) for _, line, up, down in reading.lines if (text := _read_out(line))])
    shown.scroll = reading.scroll
    return _windowed([text for _, text, _, _ in shown.lines], shown, room)


def _read_out(line: str) -> str:
    """A line of the outline as it is read out: words alone, or number, name and what it is of a control."""
    own, _, rest = line.partition(" ")
    bullet = "- " if rest.startswith("- ") else ""
    match = SPOKEN.fullmatch(rest.removeprefix("- "))
    if match is None:
        return line
    what, words, states = match["what"] or "", json.loads(match["words"] or '""'), match["states"].strip()
    if what in READ_AS_WORDS and "clickable" not in states:
        return bullet + words
    if what in ("", "link", "button", "cell", "row", "item"):
        return f"{bullet}{own} {words or what or states}"
    return f"{bullet}{own} {words} ({what}{' ' * bool(states)}{states})".replace("  ", " ")


def _windowed(rows: Sequence[str], reading: Reading, room: int) -> str:
    if sum(map(len, rows)) + len(rows) <= room:
        return "\n".join(rows)
    height = reading.scroll[2]
    first = next((place for place, line in enumerate(reading.lines) if line[3] > 0), 0)
    last = first
    used = 0
    while last < len(rows) and used + len(rows[last]) + 1 <= room:
        if reading.lines[last][2] > height and used > room // 2:
            break
        used += len(rows[last]) + 1
        last += 1
    while first > 0 and used + len(rows[first - 1]) + 1 <= room:
        first -= 1
        used += len(rows[first]) + 1
    above = [f"[... {first} lines above; scroll up to read them]"] if first else []
    below = [f"[... {len(rows) - last} lines below; scroll down to read them]"] if last < len(rows) else []
    return "\n".join([*above, *rows[first:last], *below])


def shown_text(tab: Tab) -> str:
    """The text a reader sees, but for what stands in fields, where the agent may have typed it."""
    return tab.evaluate("agentgym.shown()")


def found_texts(tab: Tab, selector: str, attribute: str = "") -> list[str]:
    """The texts of what a selector finds on a page, or the values of an attribute as the document has it.

    Args:
        tab: The page.
        selector: In CSS; one that cannot be read finds nothing.
        attribute: Its name; empty for the text, in which what stands in fields does not count.
    """
    return tab.evaluate(f"agentgym.found({json.dumps(selector)}, {json.dumps(attribute)})")


def source(tab: Tab, hide: str = "", *, scroll: tuple[int, int, int] = (0, 0, 0), room: int = 10**9) -> str:
    """The page's documents as they stand, without scripts and styles; what can be acted upon has its number as `bid`.

    Args:
        tab: The page.
        hide: Selector of what is left out.
        scroll: Of the page.
        room: Characters; what does not fit is left out, from what is in view on.
    """
    text = _source(tab, hide, "")
    for child, (_, owner) in list(tab.frames.items()):
        with contextlib.suppress(FrameGone):
            text += f"\n<!-- in frame {owner} -->\n{_source(tab, hide, child)}"
    text, first = text.replace(f"<!--{MARK}-->", ""), max(0, text.find(f"<!--{MARK}-->"))
    if len(text) <= room:
        return text
    room -= 100  # for what is said about the rest
    top, height, window = scroll
    if top + window >= height - 1 or first + room > len(text):  # the end of the page
        first, last = max(0, text.find("<", len(text) - room)), len(text)
    else:
        first = 0 if top == 0 else text.rfind("<", 0, first + 1)
        last = text.rfind("<", first + 1, first + room)
    above = f"[... {first} characters above; scroll up to read them]\n" if first > 0 else ""
    below = f"\n[... {len(text) - last} characters below; scroll down to read them]" if last < len(text) else ""
    return above + text[first:last] + below


def _source(tab: Tab, hide: str, frame: str) -> str:
    before, given = tab.last, f"{json.dumps(hide)},{json.dumps('' if frame else MARK)}"
    code = f"(agentgym.start({before}),JSON.stringify(agentgym.source({given})))"
    found = json.loads(tab.evaluate(code, frame))
    tab.last = max(tab.last, found["last"])
    if frame:
        tab.own(range(before + 1, tab.last + 1), frame)
    return str(found["text"])


def screenshot(tab: Tab) -> bytes:
    """A PNG of the viewport.

    Raises:
        EngineFailure: if the browser draws none.
    """
    try:
        return base64.b64decode(tab.call("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})["data"])
    except ProtocolError as error:
        raise EngineFailure(f"the browser took no picture: {error}") from error
