"""Does what an action asks, with the input of a real mouse and keyboard wherever there is one."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from mimetypes import guess_type
from typing import Any
from urllib.parse import quote, unquote, urljoin

from agentgym.core.grammar import Call, shorten
from agentgym.core.text import objection
from agentgym.envs.web._browser.context import MOST_TABS, Context
from agentgym.envs.web._browser.driver import ProtocolError
from agentgym.envs.web._browser.hosts import split
from agentgym.envs.web._browser.keys import NAMED, PRINTED
from agentgym.envs.web._browser.tab import Tab

Point = Sequence[float]
DRAG_STEPS = 6
NUMBER = "12.5"  # how a number is written


class Refused(Exception):
    """The action is not possible now; `str` says why, and nothing has changed."""


def perform(context: Context, call: Call, files: Mapping[str, bytes]) -> None:
    """Do one action in the active tab, without waiting for what it sets off.

    Args:
        context: Where.
        call: A parsed action other than `stop` and `infeasible`.
        files: What may be uploaded, by name.

    Raises:
        Refused: if it is not possible now; then nothing has changed.
        EngineFailure: if the page or the browser is lost.
    """
    if context.asked is not None and call.name not in ("accept", "dismiss"):
        raise Refused("the page shows a dialog; answer it with  accept  or  dismiss  first")
    context.downloads.give_up()
    if call.name == "upload":
        _upload(context, call, files)
    else:
        ACTS[call.name](context, call)


def _ask(context: Context, function: str, own: int, *arguments: Any) -> dict[str, Any]:
    answer = context.active.ask(function, own, *arguments)
    if "error" in answer:
        raise Refused(answer["error"])
    return answer


def _do(tab: Tab, work: Coroutine[Any, Any, Any]) -> None:
    """Have Playwright give real input, and wait until the page has handled it."""
    with _unless_gone(tab):
        tab.do(work)


@contextmanager
def _unless_gone(tab: Tab) -> Iterator[None]:
    """A page that goes away has handled its input too."""
    try:
        yield
    except ProtocolError:
        tab.context.check()


async def _held(page: Any, keys: Sequence[str], work: Coroutine[Any, Any, Any]) -> None:
    """Do something while modifier keys are held down."""
    for key in keys:
        await page.keyboard.down(key)
    await work
    for key in reversed(keys):
        await page.keyboard.up(key)


def _click_at(tab: Tab, point: Point, button: str = "left", count: int = 1, modifiers: Sequence[str] = ()) -> None:
    click = tab.page.mouse.click(*point, button=button, click_count=count)
    _do(tab, _held(tab.page, modifiers, click) if modifiers else click)


def _point(tab: Tab, point: Point) -> None:
    """Move the mouse.

    While its button is down, Playwright waits without end for a drag that the page lets begin and the browser does not,
    as with the selected words of a password. Nothing is dragged then.
    """
    with _unless_gone(tab):
        tab.attempt(tab.page.mouse.move(*point))


def _move(tab: Tab, point: Point) -> None:
    """Move the mouse, and wait until the page has noticed: it hands moves out once a frame, the last one only."""
    _point(tab, point)
    tab.wait_for_frame()


async def _strike(page: Any, keys: Sequence[str]) -> None:
    """Press one key while the others are held down; a letter that is on no keyboard is put in."""
    *held, last = keys
    known = last in NAMED or last in PRINTED
    await _held(page, held, page.keyboard.press(last) if known else page.keyboard.insert_text(last))


def _keys(tab: Tab, *keys: str) -> None:
    _do(tab, _strike(tab.page, keys))


def _click(context: Context, call: Call) -> None:
    found = _ask(context, "find", call["id"])
    if "list" in found and call["button"] == "left":
        raise Refused(f'element [{call["id"]}] is a list; choose with  select [{call["id"]}] "<option>"')
    _click_at(context.active, (found["x"], found["y"]), call["button"], call["count"], call["modifiers"])


def _hover(context: Context, call: Call) -> None:
    found = _ask(context, "find", call["id"], True)
    _move(context.active, (found["x"], found["y"]))


def _fill(context: Context, call: Call) -> None:
    text = "" if call.name == "clear" else call["text"]
    ready = _ask(context, "ready", call["id"], text)
    if "sets" in ready:
        _ask(context, "set", call["id"], text)
    elif text:
        _do(context.active, context.active.page.keyboard.insert_text(text))
    elif not ready["empty"]:
        _keys(context.active, "Backspace")


def _type(context: Context, call: Call) -> None:
    tab = context.active
    if call["id"]:
        _ask(context, "ready", call["id"])
        _keys(tab, "End")
    words, key, rest = _first_part(call["text"] + ("\n" if call["enter"] else ""))
    with _told_if_refused(context, call["id"], words):
        _do(tab, _write(tab.page, words))
    if key:
        _do(tab, _write(tab.page, key + rest))


def _first_part(text: str) -> tuple[str, str, str]:
    """What is typed before the first key that may leave the field, that key, and the rest."""
    found = re.search(r"[\n\t]", text)
    return (text, "", "") if found is None else (text[: found.start()], found[0], text[found.end() :])


async def _write(page: Any, text: str) -> None:
    for part in re.split(r"([\n\t])", text):
        if part in ("\n", "\t"):
            await page.keyboard.press("Enter" if part == "\n" else "Tab")
        elif part:
            await page.keyboard.type(part)


def _insert(context: Context, call: Call) -> None:
    with _told_if_refused(context, 0, call["text"]):
        _do(context.active, context.active.page.keyboard.insert_text(call["text"]))


@contextmanager
def _told_if_refused(context: Context, own: int, text: str) -> Iterator[None]:
    """Say so when a field for numbers or dates takes nothing of what is typed, as the browser does not."""
    tab = context.active
    before = tab.ask("holds", own)
    yield
    if not text.strip() or "value" not in before or tab is not context.active:
        return
    after = tab.ask("holds", own)
    if after.get("what") != before["what"]:
        return
    same = after["value"] == before["value"]
    ignored = same and not after["bad"] and not re.search(r"\d", text)
    if ignored or (after["bad"] and before["how"] == NUMBER):
        said, how = shorten(text, 60), before["how"]
        context.note(f"The field ({before['what']}) did not take {said!r}; fill it with a value such as {how}.")


def _press(context: Context, call: Call) -> None:
    if call["id"]:
        _ask(context, "focus", call["id"])
    _keys(context.active, *call["keys"])


def _hold(context: Context, call: Call) -> None:
    tab, key = context.active, call["key"]
    if key not in NAMED and key not in PRINTED:
        raise Refused(f"{key!r} is on no keyboard, so it cannot be held down")
    if call["down"] == (key in context.keys):
        raise Refused(f"the key {key!r} is {'held down already' if call['down'] else 'not held down'}")
    if call["down"]:
        context.keys.append(key)
        _do(tab, tab.page.keyboard.down(key))
    else:
        context.keys.remove(key)
        _do(tab, tab.page.keyboard.up(key))


def _select(context: Context, call: Call) -> None:
    _ask(context, "choose", call["id"], [" ".join(option.split()) for option in call["options"]])


def _check(context: Context, call: Call) -> None:
    wanted = call.name == "check"
    if _ask(context, "checked", call["id"])["checked"] != wanted:
        found = _ask(context, "find", call["id"])
        _click_at(context.active, (found["x"], found["y"]))


def _focus(context: Context, call: Call) -> None:
    _ask(context, "focus", call["id"])


def _scroll(context: Context, call: Call) -> None:
    across = {"left": -1, "right": 1}.get(call["direction"], 0)
    down = {"up": -1, "down": 1}.get(call["direction"], 0)
    if not _ask(context, "scroll", call["id"], across, down)["done"]:
        raise Refused(f"nothing can be scrolled {call['direction']} here any further")


def _wheel(context: Context, call: Call) -> None:
    width, height = context.viewport
    point = call["point"] or (width / 2, height / 2)
    _inside(context, point)
    dx, dy = call["by"]
    tab = context.active
    _point(tab, point)
    _do(tab, tab.page.mouse.wheel(dx, dy))
    tab.wait_for_frame()
    tab.wait_for_frame()


def _inside(context: Context, point: Point) -> None:
    width, height = context.viewport
    if not (0 <= point[0] < width and 0 <= point[1] < height):
        raise Refused(f"the place {point[0]:g},{point[1]:g} lies outside the page's window of {width}x{height} pixels")


def _mouse_at(context: Context, call: Call) -> None:
    point, button, tab = call["point"], call["button"], context.active
    _inside(context, point)
    if call["kind"] in ("click", "dblclick"):
        _click_at(tab, point, button, 2 if call["kind"] == "dblclick" else 1)
    elif call["kind"] == "move":
        _move(tab, point)
    else:
        down, mouse = call["kind"] == "down", tab.page.mouse
        context.held = button if down else "none"
        _point(tab, point)
        _do(tab, mouse.down(button=button) if down else mouse.up(button=button))


def _drag(context: Context, call: Call) -> None:
    begin = _ask(context, "find", call["id"])
    if call["to"]:
        goal = _ask(context, "where", call["to"])
        begin = _ask(context, "where", call["id"])  # looking for the goal may have scrolled the page
        end: Point = (goal["x"], goal["y"])
    else:
        end = call["point"]
    start = (begin["x"], begin["y"])
    _inside(context, end)
    _inside(context, start)
    _drag_between(context, start, end)


def _drag_at(context: Context, call: Call) -> None:
    _inside(context, call["from"])
    _inside(context, call["to"])
    _drag_between(context, call["from"], call["to"])


def _drag_between(context: Context, start: Point, end: Point) -> None:
    """Press the button at one place and release it at another; Playwright does the browser's own drag and drop."""
    tab = context.active
    _point(tab, start)
    _do(tab, tab.page.mouse.down())
    for step in range(1, DRAG_STEPS + 1):
        _move(tab, [start[axis] + (end[axis] - start[axis]) * step / DRAG_STEPS for axis in (0, 1)])
    _do(tab, tab.page.mouse.up())


def _upload(context: Context, call: Call, files: Mapping[str, bytes]) -> None:
    for name in call["files"]:
        if name not in files:
            raise Refused(f"you have no file {shorten(name, 60)!r}; you have: {', '.join(sorted(files)) or 'none'}")
    if call["point"]:
        _inside(context, call["point"])
        _choose_files(context, call["point"], call["files"], files)
    else:
        given = [[name, base64.b64encode(files[name]).decode()] for name in call["files"]]
        answer = _ask(context, "attach", call["id"], given)
        if "opens" in answer:  # no field for files, but perhaps what stands for one
            found = _ask(context, "find", call["id"])
            _choose_files(context, (found["x"], found["y"]), call["files"], files)
    for _ in range(2):  # the page may read the file, which is no request that could be waited for
        context.active.wait_for_frame()


def _choose_files(context: Context, point: Point, names: Sequence[str], files: Mapping[str, bytes]) -> None:
    """Click where a page opens the window in which files are chosen, and choose them there."""
    tab = context.active
    given = [
        {"name": name, "mimeType": guess_type(name)[0] or "application/octet-stream", "buffer": files[name]}
        for name in names
    ]
    with context.awaiting_chooser() as opened:
        _click_at(tab, point)
        chooser = opened()
        if chooser is None:
            context.note("This was clicked, but it asks for no file.")
        elif len(given) > 1 and not chooser.is_multiple():
            context.note("This takes one file only; none was given.")
        else:
            _do(tab, chooser.set_files(given))


def address(context: Context, text: str) -> str:
    """The address that `text` means on the active page of `context`, made absolute and quoted.

    Raises:
        Refused: if it is none, or none that may be opened here.
    """
    try:
        url = _absolute(context, text.strip())
    except ValueError:  # brackets that enclose no address
        raise Refused(f"{shorten(text, 60)!r} is no address; write one such as http://shop.example/") from None
    if wrong := objection(unquote(url)):
        raise Refused(f"{shorten(text, 60)!r} is no address: {wrong[:-1]}")
    url = quote(url, safe="%/:=&?~#+!$,;'@()*[]")
    scheme, host, _ = split(url)
    if scheme not in ("http", "https") and url != "about:blank":
        raise Refused(f"addresses of the kind {scheme or shorten(url, 20)!r} are not opened here; use http or https")
    if not host and url != "about:blank":
        raise Refused(f"{shorten(text, 60)!r} names no host")
    if not context.hosts.allows(url):
        raise Refused(f"the host {host!r} is not allowed here; allowed: {context.hosts}")
    return url


def _absolute(context: Context, url: str) -> str:
    """The address with its scheme and host, those of the page where it has none.

    Raises:
        ValueError: if it is no address.
    """
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d)", url):
        return url
    if url.startswith(("/", "?", "#")) and split(context.active.url)[0] in ("http", "https"):
        return urljoin(context.active.url, url)
    if re.match(r"[\w-]+(\.[\w-]+)+(?=[:/?#]|$)|localhost(?=[:/?#]|$)", url):
        return f"http://{url}"
    raise ValueError(f"{url!r} is no address")


def go(context: Context, url: str) -> None:
    """Open the address `url` in the active tab of `context`; what goes wrong is seen on the page."""
    try:
        context.active.call("Page.navigate", {"url": url})
    except ProtocolError as error:
        raise Refused(f"the address cannot be opened: {error}") from None


def _goto(context: Context, call: Call) -> None:
    go(context, address(context, call["url"]))


def _history(context: Context, call: Call) -> None:
    history = context.active.call("Page.getNavigationHistory")
    place = history["currentIndex"] + (1 if call.name == "forward" else -1)
    entries = history["entries"]
    if not 0 <= place < len(entries) or (place == 0 and entries[0]["url"] == "about:blank"):
        raise Refused(f"there is no page to go {call.name} to")
    context.active.loading.add(context.active.target)
    context.active.send("Page.navigateToHistoryEntry", {"entryId": entries[place]["id"]})
    context.wait_until(lambda: not context.active.loading or context.asked is not None)


def _new_tab(context: Context, call: Call) -> None:
    url = address(context, call["url"]) if call["url"].strip() else ""
    if len(context.tabs) >= MOST_TABS:
        raise Refused(f"{MOST_TABS} tabs are open, which is as many as are allowed; close one first")
    context.open_tab()
    if url:
        go(context, url)


def _switch_tab(context: Context, call: Call) -> None:
    if not 1 <= call["tab"] <= len(context.tabs):
        raise Refused(f"there is no tab {call['tab']}; there are {len(context.tabs)}")
    context.show(context.tabs[call["tab"] - 1])


def _close_tab(context: Context, call: Call) -> None:
    if len(context.tabs) == 1:
        raise Refused("this is the only tab; it stays open")
    context.close_tab()


def _answer(context: Context, call: Call) -> None:
    if context.asked is None:
        raise Refused("the page shows no dialog")
    typed = call.slots.get("text", "") if call.slots.get("typed") else None
    if typed is not None and context.asked.kind != "prompt":
        raise Refused(f"a dialog of the kind {context.asked.kind} takes no text; write  accept  alone")
    context.answer(call.name == "accept", typed)


def _wait(context: Context, call: Call) -> None:
    """Nothing is done; the page's clock moves as after every action."""


ACTS: dict[str, Callable[[Context, Call], None]] = {
    "click": _click, "fill": _fill, "clear": _fill, "type": _type, "insert": _insert, "press": _press,
    "select": _select, "check": _check, "uncheck": _check, "hover": _hover, "focus": _focus, "scroll": _scroll,
    "wheel": _wheel, "drag": _drag, "drag_at": _drag_at, "mouse": _mouse_at, "goto": _goto, "back": _history,
    "forward": _history, "new_tab": _new_tab, "switch_tab": _switch_tab, "close_tab": _close_tab, "wait": _wait,
    "accept": _answer, "dismiss": _answer, "key": _hold,
}  # fmt: skip
