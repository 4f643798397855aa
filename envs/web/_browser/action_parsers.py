"""Reads browser actions: our own words, WebArena's bracket form and BrowserGym's call form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from agentgym.core.grammar import Call, Invalid, shorten
from agentgym.core.prose import CLOSING
from agentgym.core.text import objection
from agentgym.envs.web._browser import literals
from agentgym.envs.web._browser.keys import read_combination

HEAD = re.compile(r"\s*([A-Za-z_]+)\s*(.*)", re.DOTALL)
CALL = re.compile(r"\s*([a-z_]+)\s*\(.*\)\s*", re.DOTALL)
OWN = re.compile(r"\[?\s*(\d{1,9})\s*\]?(?=$|[\s,\[\"'])")
POINT = re.compile(r"\(?\s*(-?\d{1,5}(?:\.\d+)?)[\s,]+(-?\d{1,5}(?:\.\d+)?)\s*\)?")
QUOTED = re.compile(r""" "(?:[^"\\]|\\.)*+" | '(?:[^'\\]|\\.)*+' """, re.VERBOSE)
CLOSES = {'"': '"', "'": "'", "[": "]"}
TEXTS = re.compile(rf"""(?:[\s,]*+(?:{QUOTED.pattern}))++[\s,]*""", re.VERBOSE)
DIRECTIONS = ("up", "down", "left", "right")


class Unreadable(Exception):
    """The words are no action; `str` says why."""


def element(text: str) -> tuple[int, str]:
    """The element number at the head of the text, and the rest."""
    match = OWN.match(text.strip())
    if match is None:
        raise Unreadable(f"{shorten(text, 40)!r} names no element; write its number in brackets, such as [12]")
    return int(match[1]), text.strip()[match.end() :].strip()


def closed(rest: str) -> str:
    """What is left of an argument that begins with a quote or bracket when punctuation after its end is taken off."""
    rest = rest.strip()
    bare = rest.rstrip(CLOSING).rstrip()
    return bare if len(bare) > 1 and CLOSES.get(bare[0]) == bare[-1] else rest


def text_of(rest: str) -> str:
    """A text argument: quoted, in brackets, or bare to the end of the line."""
    rest = closed(rest)
    if len(rest) > 1 and rest[0] == rest[-1] and rest[0] in "\"'":
        return literals.unquote(rest)
    if rest.startswith("[") and rest.endswith("]"):
        return rest[1:-1]
    return rest


def texts_of(rest: str) -> list[str]:
    """One or several texts, separated by commas between quotes."""
    rest = closed(rest)
    if TEXTS.fullmatch(rest):
        return [literals.unquote(piece) for piece in QUOTED.findall(rest)]
    return [text_of(rest)]


def nothing_more(rest: str) -> None:
    """Refuse words after the end of an action."""
    if rest.strip():
        raise Unreadable(f"{shorten(rest.strip(), 40)!r} is too much; one action a turn")


def click(rest: str, **given: Any) -> Call:
    """The click that `rest`, the number of an element, asks for; `given` are slots that differ from a plain click's."""
    own, rest = element(rest)
    nothing_more(rest)
    return Call("click", {"id": own, "button": "left", "count": 1, "modifiers": [], **given})


def on_element(name: str) -> Callable[[str], Call]:
    def read(rest: str) -> Call:
        own, rest = element(rest)
        nothing_more(rest)
        return Call(name, {"id": own})

    return read


def fill(rest: str) -> Call:
    own, rest = element(rest)
    return Call("fill", {"id": own, "text": text_of(rest)})


def type_text(rest: str) -> Call:
    """`type [7] "text"`, `type "text"` where the focus is, WebArena's `type [7] [text] [1]`."""
    rest = rest.strip()
    if rest[:1] in ("'", '"'):
        return Call("type", {"id": 0, "text": text_of(rest), "enter": False})
    own, rest = element(rest)
    dialect = re.fullmatch(r"\[(.*?)\]\s*(?:\[\s*([01])\s*\])?", rest, re.DOTALL)
    if dialect:
        return Call("type", {"id": own, "text": dialect[1], "enter": dialect[2] != "0"})
    return Call("type", {"id": own, "text": text_of(rest), "enter": False})


def press(rest: str) -> Call:
    """`press Enter`, `press [7] Enter`, WebArena's `press [Ctrl+v]`."""
    rest, own = rest.strip(), 0
    named = re.fullmatch(r"\[\s*(\d+)\s*\]\s*(\S.*)", rest)
    if named:
        own, rest = int(named[1]), named[2]
    return pressed(own, text_of(rest))


def pressed(own: int, said: str) -> Call:
    """Keys pressed on element `own`, or, if that is 0, where the focus is; `said` names them, such as `Ctrl+v`."""
    keys = read_combination(said)
    if isinstance(keys, str):
        raise Unreadable(keys)
    return Call("press", {"id": own, "keys": keys})


def one_key(said: str, *, down: bool) -> Call:
    """The key that is `said`, held from now on if `down`, else let go."""
    keys = read_combination(said)
    if isinstance(keys, str):
        raise Unreadable(keys)
    if len(keys) > 1:
        raise Unreadable("one key is held down or let go at a time")
    return Call("key", {"key": keys[0], "down": down})


def say(rest: str) -> Call:
    """`say "text"`."""
    return Call("say", {"text": text_of(rest)})


def select(rest: str) -> Call:
    own, rest = element(rest)
    if not rest:
        raise Unreadable('select names an option: select [5] "Red"')
    return Call("select", {"id": own, "options": texts_of(rest)})


def scroll(rest: str) -> Call:
    """`scroll down`, `scroll [down]`, `scroll [12] down`, WebArena's `scroll [direction=down]`."""
    rest, own = rest.strip(), 0
    if re.match(r"\[\s*\d", rest):
        own, rest = element(rest)
    direction = text_of(rest).strip().lower().removeprefix("direction=") or "down"
    if direction not in DIRECTIONS:
        raise Unreadable(f"{shorten(direction, 40)!r} is no direction; scroll {', '.join(DIRECTIONS)}")
    return Call("scroll", {"id": own, "direction": direction})


def drag(rest: str) -> Call:
    """`drag [3] [5]`, `drag [3] to [5]`, `drag [3] 40,60`."""
    own, rest = element(rest)
    rest = re.sub(r"^(?:to|on|onto)\s+", "", rest, flags=re.IGNORECASE)
    if re.fullmatch(r"\[\s*\d+\s*\]", rest):
        return Call("drag", {"id": own, "to": element(rest)[0], "point": []})
    return Call("drag", {"id": own, "to": 0, "point": points(rest, 1)[0]})


def upload(rest: str) -> Call:
    own, rest = element(rest)
    return uploaded(own, texts_of(rest))


def uploaded(own: int, files: Sequence[str], point: Sequence[float] = ()) -> Call:
    """The names of `files` for the field `own`, or, if that is 0, for what stands at `point` of the viewport."""
    return Call("upload", {"id": own, "files": list(files), "point": list(point)})


def accept(rest: str) -> Call:
    """`accept`, `accept "text"` of a dialog that asks for one."""
    return Call("accept", {"text": text_of(rest), "typed": bool(rest.strip())})


def points(rest: str, count: int) -> list[list[float]]:
    """So many points `x,y`, `count` of them, in pixels; nothing else may stand in `rest`, what follows the verb."""
    found, place = [], 0
    rest = re.sub(r"[\[\];]|\bto\b", " ", rest).strip()
    for _ in range(count):
        match = POINT.match(rest, place)
        if match is None:
            raise Unreadable(
                f"{shorten(rest, 40)!r} is no place; write pixels from the left and the top, such as 40,60"
            )
        found.append([float(match[1]), float(match[2])])
        place = match.end()
        while place < len(rest) and rest[place] in " ,\t\n":
            place += 1
    nothing_more(rest[place:])
    return found


def mouse(kind: str, button: str = "left") -> Callable[[str], Call]:
    """A reader of an action of the mouse at a point: its `kind` is `click`, `dblclick`, `move`, `down` or `up`.

    `button` is the one that is pressed: `left` or `right`.
    """

    def read(rest: str) -> Call:
        return Call("mouse", {"kind": kind, "point": points(rest, 1)[0], "button": button})

    return read


def drag_at(rest: str) -> Call:
    begin, end = points(rest, 2)
    return Call("drag_at", {"from": begin, "to": end})


def scroll_at(rest: str) -> Call:
    place, by = points(rest, 2)
    return Call("wheel", {"point": place, "by": by})


def goto(rest: str) -> Call:
    if not rest.strip():
        raise Unreadable("goto names an address: goto http://...")
    return Call("goto", {"url": text_of(rest)})


def new_tab(rest: str) -> Call:
    return Call("new_tab", {"url": text_of(rest)})


def tab_number(rest: str, base: int = 0) -> Call:
    """The switch to the tab whose number stands in `rest`; `base` is added where a dialect counts from 0."""
    match = re.fullmatch(r"\[?\s*(\d{1,4})\s*\]?", rest.strip())
    if match is None:
        raise Unreadable("switch_tab names a tab by its number: switch_tab [2]")
    return Call("switch_tab", {"tab": int(match[1]) + base})


def bare(name: str) -> Callable[[str], Call]:
    def read(rest: str) -> Call:
        nothing_more(re.sub(r"\[\s*\]", "", rest))
        return Call(name)

    return read


def stop(rest: str) -> Call:
    return Call("stop", {"answer": text_of(rest)})


def infeasible(rest: str) -> Call:
    return Call("infeasible", {"reason": text_of(rest)})


WORDS: dict[str, Callable[[str], Call]] = {
    "click": click, "dblclick": lambda rest: click(rest, count=2), "double_click": lambda rest: click(rest, count=2),
    "right_click": lambda rest: click(rest, button="right"), "fill": fill, "type": type_text, "press": press,
    "key": press, "select": select, "check": on_element("check"), "uncheck": on_element("uncheck"),
    "hover": on_element("hover"), "focus": on_element("focus"), "clear": on_element("clear"), "scroll": scroll,
    "drag": drag, "upload": upload, "click_at": mouse("click"), "dblclick_at": mouse("dblclick"),
    "right_click_at": mouse("click", "right"), "move_to": mouse("move"), "mouse_down": mouse("down"),
    "mouse_up": mouse("up"), "drag_at": drag_at, "scroll_at": scroll_at, "goto": goto, "back": bare("back"),
    "go_back": bare("back"), "forward": bare("forward"), "go_forward": bare("forward"), "new_tab": new_tab,
    "switch_tab": tab_number, "tab_focus": lambda rest: tab_number(rest, 1),
    "page_focus": lambda rest: tab_number(rest, 1),
    "close_tab": bare("close_tab"), "page_close": bare("close_tab"), "wait": bare("wait"), "noop": bare("wait"),
    "none": bare("wait"), "accept": accept, "dismiss": bare("dismiss"), "say": say,
    "key_down": lambda rest: one_key(text_of(rest), down=True),
    "key_up": lambda rest: one_key(text_of(rest), down=False),
    "stop": stop, "infeasible": infeasible,
}  # fmt: skip

# BrowserGym: name, parameters with their defaults (those without come first).
SIGNATURES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "noop": ((), {"wait_ms": 1000}), "send_msg_to_user": (("text",), {}), "report_infeasible": (("reason",), {}),
    "scroll": (("delta_x", "delta_y"), {}), "fill": (("bid", "value"), {"enable_autocomplete_menu": False}),
    "select_option": (("bid", "options"), {}), "click": (("bid",), {"button": "left", "modifiers": []}),
    "dblclick": (("bid",), {"button": "left", "modifiers": []}), "hover": (("bid",), {}), "focus": (("bid",), {}),
    "clear": (("bid",), {}), "press": (("bid", "key_comb"), {}), "drag_and_drop": (("from_bid", "to_bid"), {}),
    "upload_file": (("bid", "file"), {}), "check": (("bid",), {}), "uncheck": (("bid",), {}),
    "scroll_at": (("x", "y", "dx", "dy"), {}), "mouse_move": (("x", "y"), {}),
    "mouse_up": (("x", "y"), {"button": "left"}), "mouse_down": (("x", "y"), {"button": "left"}),
    "mouse_click": (("x", "y"), {"button": "left"}), "mouse_dblclick": (("x", "y"), {"button": "left"}),
    "mouse_drag_and_drop": (("from_x", "from_y", "to_x", "to_y"), {}), "keyboard_press": (("key",), {}),
    "keyboard_type": (("text",), {}), "keyboard_insert_text": (("text",), {}), "goto": (("url",), {}),
    "go_back": ((), {}), "go_forward": ((), {}), "new_tab": ((), {}), "tab_close": ((), {}),
    "tab_focus": (("index",), {}), "keyboard_down": (("key",), {}), "keyboard_up": (("key",), {}),
    "mouse_upload_file": (("x", "y", "file"), {}),
}  # fmt: skip
BID = re.compile(r"\[?[a-zA-Z]{0,12}(\d{1,9})\]?")
BUTTONS = ("left", "middle", "right")


def read_call(text: str) -> Call:
    """One of BrowserGym's calls."""
    name, given = _arguments(text)
    number = lambda key: _bid(given[key])  # noqa: E731
    place = lambda *keys: [_number(given[key]) for key in keys]  # noqa: E731
    if name in ("click", "dblclick"):
        modifiers = _modifiers(given["modifiers"])
        clicks = 2 if name == "dblclick" else 1
        return Call("click", {"id": number("bid"), "button": _button(given), "count": clicks, "modifiers": modifiers})
    if name in ("mouse_move", "mouse_up", "mouse_down", "mouse_click", "mouse_dblclick"):
        return Call("mouse", {"kind": name[6:], "point": place("x", "y"), "button": _button(given)})
    if name in ("hover", "focus", "clear", "check", "uncheck"):
        return Call(name, {"id": number("bid")})
    if name == "select_option":
        options = given["options"] if isinstance(given["options"], (list, tuple)) else [given["options"]]
        return Call("select", {"id": number("bid"), "options": [str(option) for option in options]})
    made: dict[str, Callable[[], Call]] = {
        "noop": lambda: Call("wait"),
        "send_msg_to_user": lambda: Call("say", {"text": str(given["text"])}),
        "report_infeasible": lambda: Call("infeasible", {"reason": str(given["reason"])}),
        "scroll": lambda: Call("wheel", {"point": [], "by": place("delta_x", "delta_y")}),
        "fill": lambda: Call("fill", {"id": number("bid"), "text": str(given["value"])}),
        "press": lambda: pressed(number("bid"), str(given["key_comb"])),
        "drag_and_drop": lambda: Call("drag", {"id": number("from_bid"), "to": number("to_bid"), "point": []}),
        "upload_file": lambda: uploaded(number("bid"), _files(given["file"])),
        "scroll_at": lambda: Call("wheel", {"point": place("x", "y"), "by": place("dx", "dy")}),
        "mouse_drag_and_drop": lambda: Call(
            "drag_at", {"from": place("from_x", "from_y"), "to": place("to_x", "to_y")}
        ),
        "keyboard_press": lambda: pressed(0, str(given["key"])),
        "keyboard_type": lambda: Call("type", {"id": 0, "text": str(given["text"]), "enter": False}),
        "keyboard_insert_text": lambda: Call("insert", {"text": str(given["text"])}),
        "keyboard_down": lambda: one_key(str(given["key"]), down=True),
        "keyboard_up": lambda: one_key(str(given["key"]), down=False),
        "mouse_upload_file": lambda: uploaded(0, _files(given["file"]), place("x", "y")),
        "goto": lambda: Call("goto", {"url": str(given["url"])}),
        "go_back": lambda: Call("back"),
        "go_forward": lambda: Call("forward"),
        "new_tab": lambda: Call("new_tab", {"url": ""}),
        "tab_close": lambda: Call("close_tab"),
        "tab_focus": lambda: Call("switch_tab", {"tab": int(_number(given["index"])) + 1}),
    }
    return made[name]()


def _arguments(text: str) -> tuple[str, dict[str, Any]]:
    try:
        name, values, named = literals.read_call(text)
    except literals.Malformed as error:
        raise Unreadable(f"the call cannot be read ({error}); quote texts, as in fill('7', 'red shoes')") from None
    if name not in SIGNATURES:
        raise Unreadable(f"there is no action {shorten(name, 40)!r}; there are: {', '.join(SIGNATURES)}")
    needed, defaults = SIGNATURES[name]
    order = [*needed, *defaults]
    given = {**dict(zip(order, values, strict=False)), **named}
    if len(values) > len(order) or set(given) - set(order) or not set(needed) <= set(given):
        raise Unreadable(f"{name} is called as {name}({', '.join(order)})")
    return name, {**defaults, **given}


def _bid(value: Any) -> int:
    """The number of an element; letters before it tell frames apart elsewhere, here no number is given twice."""
    match = BID.fullmatch(str(value)) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    if match is not None:
        return int(match[1])
    raise Unreadable(f"{shorten(str(value), 40)!r} names no element; give its number as text, such as '12'")


def _files(value: Any) -> list[str]:
    return [str(name) for name in value] if isinstance(value, (list, tuple)) else [str(value)]


def _number(value: Any) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e5:
        return float(value)
    raise Unreadable(f"{shorten(str(value), 40)!r} is no number of pixels")


def _button(given: dict[str, Any]) -> str:
    button = given.get("button", "left")  # moving the mouse takes none
    if button not in BUTTONS:
        raise Unreadable(f"the button is one of {', '.join(BUTTONS)}")
    return str(button)


def _modifiers(value: Any) -> list[str]:
    keys = read_combination("+".join([*map(str, value), "a"])) if isinstance(value, (list, tuple)) else ""
    if isinstance(keys, str):
        raise Unreadable("modifiers are a list of Alt, Control, Meta, Shift")
    return keys[:-1]


def read_calls(text: str, line: str, dropped: Sequence[str], most: int) -> Call | Invalid | None:
    """Several of BrowserGym's calls, one a line, `#` before what is not to be read; None if the text is anything else.

    Args:
        text: What the agent said.
        line, dropped: See `read`.
        most: How many calls a turn may have.
    """
    lines = [one.strip() for one in text.strip().splitlines() if one.strip() and not one.strip().startswith("#")]
    if len(lines) < 2 or not all(CALL.fullmatch(one) for one in lines):
        return None
    if len(lines) > most:
        return Invalid(f"{len(lines)} calls are too many; at most {most} a turn.")
    calls = [read(one, line, dropped) for one in lines]
    for place, call in enumerate(calls, 1):
        if isinstance(call, Invalid):
            return Invalid(f"call {place} of {len(calls)}: {call.reason}")
    return Call("several", {"calls": [[call.name, dict(call.slots)] for call in calls if isinstance(call, Call)]})


def read(action: str, line: str, dropped: Sequence[str] = ()) -> Call | Invalid:
    """Read one action in any of the three forms; never raises on a string.

    Args:
        action: What the agent said.
        line: The grammar in one line, for refusals.
        dropped: Commands of our own that this world does not have.
    """
    text = action.strip()
    fence = re.fullmatch(r"```(?:\w*\n)?(.*?)```", text, re.DOTALL)
    text = fence[1].strip() if fence else text
    if not text:
        return Invalid(f"the action is empty. {line}")
    match = HEAD.fullmatch(text)
    try:
        if CALL.fullmatch(text):
            call = read_call(text)
        elif match and match[1].lower() in WORDS:
            name, rest = match[1].lower(), match[2]
            call = WORDS[name](rest if rest.strip(CLOSING) or name == "press" else "")  # `press .` is a key
        else:
            return Invalid(f"{shorten(text)!r} is not an action here. {line}")
    except Unreadable as reason:
        return Invalid(f"{reason}.")
    if wrong := objection(call.slots):
        return Invalid(wrong)
    if call.name in dropped:
        return Invalid(f"{shorten(text)!r} is not an action here. {line}")
    return call
