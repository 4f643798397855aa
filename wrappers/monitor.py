"""`LTLMonitor`: rules in temporal logic, watched while the agent acts, and kept by a mask if wanted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np

from agentgym.core import Call, ConfigError, GrammarError, unknown
from agentgym.core.checks import check_mapping
from agentgym.wrappers import _logic as logic
from agentgym.wrappers._ending import EndingWrapper
from agentgym.wrappers._reward import check_number
from agentgym.wrappers.base import Answer, Info
from agentgym.wrappers.refusal import Refusal

FLAGS = ("valid", "success")
VIOLATION = "violation"
DRAWS = 100  # actions drawn at random before one is taken from the list
Kinds = Mapping[str, Mapping[str, Any]]


class LTLMonitor(EndingWrapper):
    """Watches rules in linear temporal logic on finite traces over the world's events.

    A step of the trace is a step of the environment. An atom is an event type of the card, with fields if wanted, such
    as `purchase` or `move(slipped=true)`, or `valid` (the action was not refused) or `success`. Operators: `!`, `&`,
    `|`, `->`, `X` (next), `N` (next, if there is one), `F` (once), `G` (always), `U` (until), `R` (release), `W`
    (unless). A rule is broken as soon as nothing that may still happen can satisfy it, and kept as soon as nothing can
    break it; what is open when the episode ends is decided then.

    Changes: the first observation shows the rules; the text says when one is broken; `reward` falls by `penalty` for
    each rule broken; with `end` the episode then ends without success. `info` gains `rules` (dict of str: `open`,
    `kept` or `broken`), `violations` (int, so far) and `forbidden` (list of str: event types that would break an open
    rule if the next step had that event alone); its `events` gain `{"type": "violation", "rule": name}` for each rule
    that this step broke.

    With `mask`, an action that makes a forbidden event is not played: `admissible_actions` and `sample_action` leave it
    out, so that whoever chooses among them keeps the rule (`action_masks` of `agentgym.wrappers.numeric`, a local model
    with `only_admissible`), and said all the same it is refused with the rule's name. So rules of what must never
    happen hold from one step to the next; what a rule asks for in the end (`F`), or of the next step (`X`), no mask can
    bring about.

    Args:
        env: A world whose card declares events.
        rules: Name to formula, such as `{"look first": "!purchase W search"}`.
        penalty: What breaking a rule costs, at least 0.
        end: Whether breaking a rule ends the episode.
        mask: Event type to the kind of action that makes it: its `command`, as the grammar names it, and of its slots
            those that tell it from others, such as `{"purchase": {"command": "click", "button": "buy now"}}`. None
            for no mask.

    Raises:
        GrammarError: in `step`, if what is left of a rule has grown beyond 20,000 parts; few rules can.

    Source: De Giacomo and Vardi, IJCAI 2013; Bacchus and Kabanza, 1998 (progression).

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import LTLMonitor
    >>> env = LTLMonitor(gym.make("AgentGym/WebShop-v1"), rules={"once": "G(search -> N G !search)"}, penalty=0.5)
    >>> text, info = env.reset(seed=0)
    >>> text, reward, terminated, truncated, info = env.step("search[red shoes]")
    >>> info["rules"], info["forbidden"]
    ({'once': 'open'}, ['search'])
    >>> text, reward, terminated, truncated, info = env.step("search[blue shoes]")
    >>> info["rules"], reward
    ({'once': 'broken'}, -0.5)
    >>> rules = {"confirm before buy": '!purchase W navigate(page="description")'}
    >>> mask = {"purchase": {"command": "click", "button": "buy now"}}
    >>> env = LTLMonitor(gym.make("AgentGym/WebShop-v1"), rules=rules, mask=mask)
    >>> text, info = env.reset(seed=0)
    >>> info["forbidden"]
    ['purchase']
    """

    saved_attributes: ClassVar[tuple[str, ...]] = ("_left", *EndingWrapper.saved_attributes)

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        rules: Mapping[str, str],
        penalty: float = 0.0,
        end: bool = False,
        mask: Kinds | None = None,
    ):
        check_mapping("rules", rules, str, "{'no theft': 'G !theft'}")
        super().__init__(env, extra_length=8_192, rules=dict(rules), penalty=penalty, end=end, mask=mask)
        known = self.world.card.events
        if not rules or not known:
            what = "names no rule" if known else f"has nothing to watch; {self.world.card.id} declares no events"
            raise ConfigError(f"LTLMonitor {what}")
        self.rules, self.end, self.penalty = dict(rules), end, check_number("penalty", penalty)
        if self.penalty < 0:
            raise ConfigError(f"penalty is what breaking a rule costs and must be at least 0, got {penalty!r}")
        self._formulas = {}
        for name, text in self.rules.items():
            try:
                self._formulas[name] = logic.parse(text)
            except GrammarError as error:
                raise ConfigError(f"rule {name!r}: {error}") from None
            for _, atom, _ in logic.atoms(self._formulas[name]):
                if atom not in (*known, *FLAGS):
                    raise unknown(f"event in rule {name!r} of {self.world.card.id}", atom, (*known, *FLAGS))
        self._left: dict[str, logic.Formula] = dict(self._formulas)
        self._mask = self._checked(mask)

    @property
    def _told(self) -> str:
        told = "; ".join(f"{name}: {text}" for name, text in self.rules.items())
        return f"Rules that are watched, in temporal logic over events: {told}."

    @property
    def manual(self) -> str:
        """The manual inside, and the rules."""
        return f"{self.inner.manual}\n\n{self._told}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said inside, and the rules."""
        return (*self.inner_notes, self._told)

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation, which shows the rules; all of them are open.

        Args:
            observation: What is seen inside.
            info: Gains what the class names.
            note: Not needed.
        """
        self._left, self._over, self._last = dict(self._formulas), False, None
        self._noted(info)
        return self._introduce(observation, info)

    def admissible_actions(self) -> list[str] | None:
        """Replies that are valid now and, with `mask`, make no forbidden event; None if they cannot be listed."""
        listed = super().admissible_actions()
        forbidden = self._masked_events() if listed else []
        return [action for action in listed if not self._makes(action, forbidden)] if listed and forbidden else listed

    def sample_action(self, rng: np.random.Generator) -> str:
        """A plausible reply at random; with `mask`, one that makes no forbidden event, as long as there is any."""
        action, forbidden = super().sample_action(rng), self._masked_events()
        for _ in range(DRAWS):
            if not self._makes(action, forbidden):
                return action
            action = super().sample_action(rng)
        allowed = self.admissible_actions()
        return allowed[int(rng.integers(len(allowed)))] if allowed else action

    def step(self, action: str) -> Answer:
        """Play an action and see what it means for the rules."""
        if self._over:
            return self._after_end(action)
        over = self.inner.ended
        made = self._makes(action, self._masked_events())
        if made:
            action = Refusal(f"a rule forbids {made} now: {', '.join(self._breaking(made))}", action)
        text, reward, terminated, truncated, info = self._step_inner(action)
        if over or info["failure"]:
            return text, reward, terminated, truncated, self._noted(info)
        before = self._broken()
        flags = [{"type": flag} for flag, on in zip(FLAGS, (info["action_valid"], info["success"]), strict=True) if on]
        self._advance([*info["events"], *flags])
        if terminated or truncated:
            self._left = {name: _verdict(logic.empty(left)) for name, left in self._left.items()}
        fresh = [name for name in self._broken() if name not in before]
        info["events"] = [*info["events"], *({"type": VIOLATION, "rule": name} for name in fresh)]
        self._noted(info)
        if fresh:
            text = self._fit(f"{text}\nBroken: {', '.join(fresh)}.")
            reward -= self.penalty * len(fresh)
            if "reward_terms" in info:
                terms = info["reward_terms"]
                terms["rules"] = terms.get("rules", 0.0) - self.penalty * len(fresh)
            if self.end and not (terminated or truncated):
                info["forbidden"] = []
                return self._end(f"{text} The episode is over.", reward, info)
        return text, reward, terminated, truncated, info

    def _advance(self, events: list[Mapping[str, Any]]) -> None:
        def holds(name: str, fields: tuple[tuple[str, Any], ...]) -> bool:
            """Whether one of the events is called `name` and has these `fields`."""
            return logic.matches(events, name, fields)

        self._left = {name: logic.progress(left, holds) for name, left in self._left.items()}

    def _broken(self) -> list[str]:
        return [name for name, left in self._left.items() if left == logic.FALSE]

    def _forbidden(self) -> list[str]:
        """Event types that would break an open rule at once."""
        return [] if self.ended else [kind for kind in sorted(self.world.card.events) if self._breaking(kind)]

    def _breaking(self, kind: str) -> list[str]:
        """The open rules that a step with an event of this type, and no other, would break."""
        step: list[Mapping[str, Any]] = [{"type": kind}, {"type": "valid"}]

        def holds(name: str, fields: tuple[tuple[str, Any], ...]) -> bool:
            """Whether an event of this type alone would be called `name` and have these `fields`."""
            return logic.matches(step, name, fields)

        left = self._left.items()
        return [name for name, rest in left if rest != logic.FALSE and logic.progress(rest, holds) == logic.FALSE]

    def _masked_events(self) -> list[str]:
        """Forbidden event types whose actions are masked."""
        return [] if self.ended else [kind for kind in sorted(self._mask) if self._breaking(kind)]

    def _makes(self, action: Any, kinds: list[str]) -> str:
        """The first of these event types that a reply makes; "" for none."""
        if not kinds or not isinstance(action, str) or isinstance(action, Refusal):
            return ""
        call = self.inner.parse(action)
        if not isinstance(call, Call):
            return ""
        said = {"command": _plain(call.name), **{slot: _plain(value) for slot, value in call.slots.items()}}
        return next((kind for kind in kinds if self._mask[kind].items() <= said.items()), "")

    def _checked(self, mask: Kinds | None) -> dict[str, dict[str, Any]]:
        """The mask with texts as they are compared."""
        found = {}
        for event, kind in (mask or {}).items():
            if event not in self.world.card.events:
                raise unknown(f"event in the mask of {self.world.card.id}", event, self.world.card.events)
            if not isinstance(kind, Mapping) or not isinstance(kind.get("command"), str):
                raise ConfigError(
                    f"the mask of {event!r} must say which command makes it, such as {{'command': 'click'}}, "
                    f"got {kind!r}"
                )
            found[event] = {name: _plain(value) for name, value in kind.items()}
        return found

    def _noted(self, info: Info) -> Info:
        words = {logic.TRUE: "kept", logic.FALSE: "broken"}
        info["rules"] = {name: words.get(left, "open") for name, left in self._left.items()}
        info["violations"], info["forbidden"] = len(self._broken()), self._forbidden()
        return info


def _verdict(kept: bool) -> logic.Formula:
    return logic.TRUE if kept else logic.FALSE


def _plain(value: Any) -> Any:
    """A slot's value as it is compared: text in lower case with single spaces, other data as JSON."""
    return " ".join(value.casefold().split()) if isinstance(value, str) else json.dumps(value, sort_keys=True)
