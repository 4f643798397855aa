"""`BrowserEnv`: the base of every world that is played in a real browser."""

from __future__ import annotations

import contextlib
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from agentgym.core.errors import ConfigError, EngineFailure, unknown
from agentgym.core.generated import EnvConfig, checked, one_of, switch, whole
from agentgym.core.grammar import Call
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import json_key
from agentgym.core.spaces import UnicodeText
from agentgym.core.tasks import Task
from agentgym.core.text import clean, objection
from agentgym.envs.web._browser.actions import Refused, go, perform
from agentgym.envs.web._browser.context import Context
from agentgym.envs.web._browser.context_pool import return_context, take_context, wipe
from agentgym.envs.web._browser.dialogs import ACCEPT, ASK, DialogOpens
from agentgym.envs.web._browser.grammar import BrowserGrammar
from agentgym.envs.web._browser.reading import SPAN, Reading, render_outline, render_text, screenshot, settle, source
from agentgym.envs.web._browser.site import Site
from agentgym.envs.web._browser.tracing import Tracer, check_trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLD = ("boxes", "visibility", "focus", "error", "time")
OBSERVE = ("outline", "text", "dom")
PICTURES = ("page", "marks")
FAULTY = 400  # the least HTTP status that says a page is not what was asked for
MOST_CALLS = 20  # in one turn
OPENING = 15.0  # seconds the start page may take
HEADER = 1_500  # characters kept free beside the page for notes, address and the base class's grammar line


def check_observe(name: str, value: Any) -> str:
    """The `value` of the option `name` as a way to observe a page, one of `OBSERVE`."""
    if value not in OBSERVE:
        raise unknown("way to observe a page", value, OBSERVE)
    return str(value)


def check_picture(name: str, value: Any) -> str:
    """The `value` of the option `name` as a picture of a page, one of `PICTURES`."""
    if value not in PICTURES:
        raise unknown("picture of a page", value, PICTURES)
    return str(value)


def check_told(name: str, value: Any) -> tuple[str, ...]:
    """The `value` of the option `name`, a list, as what is told besides: in the order of `TOLD`, without repetition."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ConfigError(f"{name} is a list of what is told besides, from {', '.join(TOLD)}, got {value!r}")
    for each in value:
        if each not in TOLD:
            raise unknown("thing to tell of a page", each, TOLD)
    return tuple(each for each in TOLD if each in value)


def check_viewport(name: str, value: Any) -> tuple[int, int]:
    """The `value` of the option `name` as width and height of a page's window, in pixels."""
    try:
        width, height = map(int, value)
    except (TypeError, ValueError):
        raise ConfigError(f"{name} is two numbers, the width and height in pixels, got {value!r}") from None
    if not (100 <= width <= 4096 and 100 <= height <= 4096):
        raise ConfigError(f"a viewport is 100 to 4096 pixels wide and high, got {width}x{height}")
    return width, height


@dataclass(frozen=True)
class BrowserConfig(EnvConfig):
    """The keyword arguments of every world in a browser; `viewport` is the world's own unless given."""

    observe: str = checked("outline", check_observe, shapes_tasks=False)
    picture: str = checked("page", check_picture, shapes_tasks=False)
    viewport: tuple[int, int] | None = checked(None, check_viewport, shapes_tasks=False)
    tell: tuple[str, ...] = checked((), check_told, shapes_tasks=False)
    dialogs: str = one_of(ACCEPT, (ACCEPT, ASK), shapes_tasks=False)
    chat: bool = switch(False, shapes_tasks=False)
    calls: int = whole(1, 1, MOST_CALLS, shapes_tasks=False)
    trace: Path | None = checked(None, check_trace, shapes_tasks=False)


@dataclass
class BrowserState:
    """What an episode has done, and what the agent sees.

    Attributes:
        did: Every action that was done, as canonical JSON.
        view: The page in words, as it was last read.
        said: What the agent has told the user.
        clock: Milliseconds by which the page's clock has moved.
    """

    did: list[str] = field(default_factory=list)
    view: str = ""
    said: list[str] = field(default_factory=list)
    clock: int = 0


class BrowserEnv(LanguageEnv, ABC):
    """A world in a real browser, from any start page.

    Observation: the page in front, as an outline by default: one line for each thing a reader could name, with the
    number of its element in brackets, indented by what holds it. A number belongs to its element as long as the element
    exists, and to no other before the next reset. Before the outline stands what happened meanwhile, in words: dialogs
    (answered OK by themselves), new tabs, downloads, addresses that were not opened.

    Actions: see the manual. What cannot be done (unknown, hidden, disabled or covered elements, hosts that are not
    allowed) is refused with a sentence and changes nothing, not even the page's clock.

    Time: the page's clock stands still between actions and moves a second with each, so that timers, animations and
    delays cost no waiting and happen alike in every run; `Math.random` is seeded. A page is read when nothing is under
    way any more, at most about three seconds of loading later.

    Isolation: each world has a browser context of its own in the one browser of the process, and a new one for each
    episode; a world whose pages run no scripts, which the browser is then told to prevent, keeps one and wipes it. Only
    hosts of the list can be reached, by any request. If a page or the browser dies, `info["failure"]` says so, and the
    next reset has a new one.

    A subclass implements `_start_url`, `_judge` and whichever of the other hooks it needs.

    Args:
        observe: What the page is read as: `outline`; `text`, what a reader sees, without structure; or `dom`, the
            document's source, in which an element's number is its attribute `bid`.
        picture: What `render_mode="rgb_array"` shows: `page`, or `marks`, the page with a frame around all that can be
            acted upon and is in view, and its number.
        viewport: Width and height of the page's window in pixels.
        tell: What is told besides: `boxes` (where each element of an outline lies, in pixels), `visibility` (whether it
            is out of view), `focus` (which element has it), `error` (what the last action was refused for), `time` (the
            turn, and the seconds that the page's clock has moved).
        dialogs: `accept`: dialogs of pages are answered OK and told. `ask`: the agent answers each with `accept`,
            `accept "<text>"` or `dismiss`, and can do nothing else before; one that waits at the end is dismissed.
        chat: Whether the task goes on after `say "<text>"`, or BrowserGym's `send_msg_to_user`; a bare `stop` then
            answers with what was said last. Otherwise what is said is the answer and ends the task, unless the world
            has no answers.
        calls: Most of BrowserGym's calls in one turn, one a line; the first that is refused ends them.
        trace: Folder into which Playwright writes a trace of each episode when the next one begins or the world is
            closed: a film of the pages, what was requested, and the console, for `playwright show-trace FILE`. None
            traces nothing.
        split: Split of the card.
        max_turns: Turn limit in place of the world's own.
        render_mode: `ansi`, `rgb_array` or None.
    """

    config: BrowserConfig = BrowserConfig()
    grammar: Any = BrowserGrammar()
    _state: BrowserState
    admissible_complete = False
    default_viewport: ClassVar[tuple[int, int]] = (1280, 720)
    probe: ClassVar[str] = "null"  # an expression about the page, evaluated with every look, for _judge
    hide: ClassVar[str] = ""  # selector of what belongs to no page the agent sees
    still: ClassVar[bool] = False  # no page of the world's sites runs scripts: its context can serve many episodes

    _context: Context | None = None
    _release: Any = None
    _tracer: Tracer | None = None
    _seen: Reading = Reading([])

    # What a world implements.

    def _hosts(self, task: Task) -> Sequence[str]:
        """Hosts that a task may reach over the network."""
        return ()

    def _sites(self, task: Task) -> Mapping[str, Site]:
        """Sites of this process, by host."""
        return {}

    def _files(self, task: Task) -> Mapping[str, bytes]:
        """Files that the agent may upload, by name."""
        return {}

    @abstractmethod
    def _start_url(self, task: Task) -> str:
        """Where a task begins."""

    def _credentials(self, task: Task) -> Mapping[str, tuple[str, str]]:
        """Name and password for hosts that ask for them by HTTP (basic or digest), by host."""
        return {}

    def _furnish(self, context: Context, task: Task) -> None:
        """Put into an episode's context what it begins with before any page is open, such as cookies."""

    @abstractmethod
    def _judge(self, call: Call, outcome: Outcome) -> Outcome:
        """Decide what an action that was done means for the task; `outcome` tells what the agent sees."""

    def _change(self, text: str) -> str:
        """The page's words as the agent will see them: the place to add or take away content."""
        return text

    def _span(self) -> int:
        """Milliseconds by which an action moves the page's clock."""
        return SPAN

    # What is the same for all.

    def _configured(self) -> None:
        config = self.config
        if config.dialogs == ASK or config.chat or config.calls > 1:
            self.grammar = replace(self.grammar, dialogs=config.dialogs == ASK, chat=config.chat, calls=config.calls)
        if config.trace is not None:
            self._tracer = Tracer(config.trace, self.card.name)

    @property
    def viewport(self) -> tuple[int, int]:
        """Width and height of the page's window in pixels."""
        return self.config.viewport or self.default_viewport

    @property
    def context(self) -> Context:
        """The browser context of the episode."""
        if self._context is None:
            raise EngineFailure("no page is open")
        return self._context

    @property
    def page(self) -> Reading:
        """The page as it was last read."""
        return self._seen

    @property
    def downloads(self) -> dict[str, bytes]:
        """What was downloaded in this episode, by name."""
        return dict(self.context.downloads.files)

    def _reset(self, task: Task) -> str:
        self._state = BrowserState()
        self._open(task)
        view = self._look()
        self.context.take_log()
        return f"{task.instruction}\n{view}" if task.instruction else view

    def _open(self, task: Task) -> None:
        """Have the start page of a task in front, in a context that knows nothing of earlier episodes."""
        sites = self._sites(task)
        if self._tracer is not None:
            self._tracer.end()
        if not (self.still and self._context is not None and wipe(self._context, sites)):
            self._leave()
            self._take(
                hosts=self._hosts(task),
                sites=sites,
                viewport=self.viewport,
                seed=int(self.np_random.integers(2**31)) if not self.card.deterministic else 1,
            )
        self.context.credentials = self._credentials(task)
        self.context.dialogs = self.config.dialogs
        self._furnish(self.context, task)
        if self._tracer is not None:
            self._tracer.begin(self.context, task.id)
        try:
            with contextlib.suppress(DialogOpens):
                go(self.context, self._start_url(task))
        except Refused as reason:
            raise EngineFailure(f"the start page cannot be opened: {reason}") from None
        self.context.wait_for_quiet(OPENING)
        if self.context.faults:
            raise EngineFailure(f"the site failed at its start page: {self.context.faults[0]}")

    def _take(self, **wanted: Any) -> None:
        """Have a context: one of its own, or in a still world without trace one that another world no longer needs."""
        if not self.still or self._tracer is not None:
            self._context = Context(**wanted, still=self.still)
            return
        context = take_context(**wanted, still=True)
        if not context.fresh and not wipe(context, wanted["sites"]):
            context.close()
            context = Context(**wanted, still=True)
        self._context = context
        self._release = weakref.finalize(self, return_context, context)

    def _step(self, call: Call) -> Outcome:
        context = self.context
        context.check()
        if call.name == "several":
            return self._several([Call(name, slots) for name, slots in call["calls"]])
        if call.name == "say":
            if self.config.chat or "stop" in self.grammar.dropped:
                return self._say(call["text"])
            call = Call("stop", {"answer": call["text"]})
        if call.name == "stop" and self.config.chat and not call["answer"] and self._state.said:
            call = Call("stop", {"answer": self._state.said[-1]})
        if call.name in ("stop", "infeasible"):
            self._state.did.append(json_key([call.name, dict(call.slots)]))
            context.answer_rest()
            return self._judge(call, Outcome(f"Stopped. {next(iter(call.slots.values()))}".strip()))
        try:
            with contextlib.suppress(DialogOpens):  # what is left of the action is done once it is answered
                perform(context, call, self._files(self.task))
        except Refused as reason:
            return self.refuse(f"{str(reason)[:1].upper()}{str(reason)[1:]}.")
        self._state.did.append(json_key([call.name, dict(call.slots)]))
        text = self._look()
        return self._judge(call, Outcome(text, events=context.take_log()))

    def _say(self, text: str) -> Outcome:
        """Something is told the user, and the task goes on."""
        self._state.said.append(text)
        self._state.did.append(json_key(["say", {"text": text}]))
        told = f"You told the user: {text}\n{self._look()}"
        return self._judge(Call("say", {"text": text}), Outcome(told, events=self.context.take_log()))

    def _several(self, calls: Sequence[Call]) -> Outcome:
        """Calls one after another, until one is refused or decides the task; a turn that did something is valid."""
        events: list[Mapping[str, Any]] = []
        reward = 0.0
        for place, call in enumerate(calls):
            outcome = self._step(call)
            if not outcome.valid and place == 0:
                return outcome
            events += outcome.events
            reward += outcome.reward
            if not outcome.valid:
                said = f"Call {place + 1} of {len(calls)} was not done: {outcome.error}"
                outcome = Outcome(f"{said}\n{self._state.view}")
                break
            if outcome.terminated or outcome.spent:
                break
        return replace(outcome, events=events, reward=reward)

    def _look(self) -> str:
        """Let the page settle, read it, and put it in words, after what happened meanwhile."""
        context = self.context
        boxes = self.config.picture == "marks" and self.render_mode == "rgb_array"
        places = bool({"boxes", "visibility"} & set(self.config.tell))
        last = self._seen.probe
        self._seen = reading = settle(context, self._span(), boxes=boxes, places=places, probe=self.probe)
        self._state.clock += self._span()
        notes = context.take_notes()
        if reading.asks:
            reading.probe = last
        if reading.unsettled:
            notes.append("The page is still loading.")
        self._state.view = self._change(clean(self._words(reading)))
        return "\n".join([*notes, *self._told(""), self._state.view])

    def _told(self, error: str) -> list[str]:
        """A line of what the world's option `tell` names of the page as a whole."""
        told = []
        if "time" in self.config.tell:
            told.append(f"turn {self._turn}, {self._state.clock / 1000:g} s on the page's clock")
        if "focus" in self.config.tell:
            told.append(f"focus on [{self._seen.focus}]" if self._seen.focus else "no focus")
        if "error" in self.config.tell:
            told.append(f"last error: {error or 'none'}")
        return [f"({'; '.join(told)})"] if told else []

    def _words(self, reading: Reading) -> str:
        context = self.context
        header = self._header(reading)
        room = self.observation_length - HEADER - len(self.grammar.line) - len(self.task.instruction)
        room -= max(0, len(header) - HEADER // 2)
        if reading.failure:
            return f"{context.active.url[:300]}\nThis page could not be opened ({reading.failure})."
        if reading.asks:
            body = reading.asks
        elif self.config.observe == "text":
            body = render_text(reading, room)
        elif self.config.observe == "dom":
            body = source(context.active, self.hide, scroll=reading.scroll, room=room)
        else:
            boxes, visibility = ("boxes" in self.config.tell), ("visibility" in self.config.tell)
            body = render_outline(reading, room, boxes, visibility)
            if reading.partial:
                body += "\n[The page is very large; only the part near the window was read.]"
        if len(body) > room:
            body = UnicodeText(room).fit(body)
        return f"{header}\n{body or '(empty page)'}" if header else body or "(empty page)"

    def _header(self, reading: Reading) -> str:
        context = self.context
        others = [
            f'\nTab {number}: "{tab.title[:60]}" {tab.url[:120]}'
            for number, tab in enumerate(context.tabs, 1)
            if tab is not context.active
        ]
        place = context.tabs.index(context.active) + 1 if context.active in context.tabs else 1
        tab = f"Tab {place} of {len(context.tabs)}: " if len(context.tabs) > 1 else "Page: "
        title = f'"{reading.title[:120]}" ' if reading.title else ""
        top, height, window = reading.scroll
        scrolled = f"\nScrolled to {top} of {height - window} pixels." if height > window + 1 else ""
        status = f" (HTTP status {context.active.status})" if context.active.status >= FAULTY else ""
        return f"{tab}{title}{context.active.url[:300]}{status}{scrolled}{''.join(others)}"

    def _view(self) -> str:
        return self._state.view

    def _refusal(self, reason: str) -> str:
        return "\n".join([reason, *self._told(reason), self._view()])

    def _key_state(self) -> Any:
        return self._state.did

    def _admissible(self) -> list[str] | None:
        if self.context.asked is not None:
            return ["accept", "dismiss"]
        found = self.context.active.ask("touchable", 0)
        actions = [f"click [{own}]" for own in found["click"]]
        actions += [f'fill [{own}] "hello"' for own in found["text"]]
        actions += [
            f"select [{own}] {json_key(label)}"
            for own, labels in found["select"]
            for label in labels
            if label and not objection(label)
        ]
        return [*actions, "wait"]

    def _sample(self, rng: np.random.Generator) -> str:
        actions = self._admissible() or ["wait"]
        return actions[int(rng.integers(len(actions)))]

    def _picture(self) -> NDArray[np.uint8]:
        """The page, uint8 of shape (height, width, 3)."""
        from agentgym.envs.web._browser.picture import decode, draw_marks, draw_words

        width, height = self.viewport
        if self._context is None or self._context.broken:
            return np.zeros((height, width, 3), np.uint8)
        if self._context.asked is not None:  # a page that waits is not drawn
            return draw_words(width, height, self._seen.asks)
        picture = decode(screenshot(self._context.active))
        return draw_marks(picture, self._seen.boxes) if self.config.picture == "marks" else picture

    def _leave(self) -> None:
        if self._tracer is not None:
            self._tracer.end()
        if self._release is not None:
            self._release()
        elif self._context is not None:
            self._context.close()
        self._release = self._context = None

    def close(self) -> None:
        """Close the world's pages; the browser ends soon after the last world of the process is closed."""
        self._leave()
        super().close()
