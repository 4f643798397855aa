"""One object renders the manual an agent reads and parses what the agent says, so the two cannot disagree."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from agentgym.core.errors import GrammarError
from agentgym.core.prose import FirstWords, Free, extract, peelings, plain, sentence, unquoted
from agentgym.core.text import objection, one_line

SLOT = re.compile(r"<([a-z_ ]+)>")
REMEMBERED, REMEMBERED_LENGTH = 1024, 256  # actions read lately that a grammar keeps, and the characters of one


@dataclass(frozen=True, slots=True)
class Call:
    """A parsed action: the command's name and its slots, in the case the agent wrote them, stripped.

    Attributes:
        name: Of the command.
        slots: By name.
        said: The action alone, without what stood around it; "" for a tool call.
    """

    name: str
    slots: Mapping[str, Any] = field(default_factory=dict)
    said: str = field(default="", compare=False)

    def __getitem__(self, slot: str) -> Any:
        return self.slots[slot]


@dataclass(frozen=True, slots=True)
class Invalid:
    """A string that is no action of the grammar; `reason` says what is wrong and how to say it right."""

    reason: str


class ActionGrammar(Protocol):
    """What the base class needs of a grammar; `Grammar` reads words, `tool_grammar.ToolGrammar` one JSON object."""

    @property
    def line(self) -> str:
        """The grammar in one line, for the first observation."""

    @property
    def manual(self) -> str:
        """Rules, actions and worked examples, every one of which parses."""

    @property
    def examples(self) -> tuple[str, ...]:
        """Worked examples."""

    @property
    def tools(self) -> list[dict[str, Any]]:
        """JSON-Schema tool list, empty where actions are words."""

    @property
    def first_words(self) -> FirstWords | None:
        """The words with which commands begin, and which of them end in free text; see `agentgym.core.prose`."""

    def parse(self, action: str) -> Call | Invalid:
        """Read one action, alone or in prose by the rule of `agentgym.core.prose`."""


@dataclass(frozen=True)
class Command:
    """One kind of action.

    Attributes:
        form: The words with `<slots>`, such as `take <object> from <place>` or `search[<words>]`.
        help: What it does, in one sentence.
        examples: Worked examples.
        variants: Other accepted forms with the same slots, such as `put <object> in <place>`.
        choices: Allowed values of a slot, in lower case. A value outside is refused with the list.
        name: The call's name; by default the first word of `form`.
        free: Whether the last slot is free text: `line` reads it to its last character, `lines` over several lines as
            well, as in talk. Otherwise quotes, brackets and closing punctuation around it do not count.
    """

    form: str
    help: str
    examples: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    name: str = ""
    free: Free = ""

    def __post_init__(self) -> None:
        listed = {"the examples": self.examples, "the variants": self.variants}
        for what, texts in {
            **listed,
            **{f"the choices of <{slot}>": given for slot, given in self.choices.items()},
        }.items():
            if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
                raise GrammarError(f"{what} of {self.form!r} must be a tuple of texts, got {texts!r}")
        if not self.name:
            object.__setattr__(self, "name", re.split(r"\W", self.form.strip(), maxsplit=1)[0].lower())


def _pattern(form: str) -> re.Pattern[str]:
    """The regular expression of a form: any white space where the form has a space, slots within one line, short.

    A slot is the shortest text that the words behind it follow, and the choice is final (an atomic group), so a hostile
    action costs time linear in its length. It begins and ends with a visible character: a run of spaces can be read in
    one way only.
    """
    first, *parts = SLOT.split(form)
    last = len(parts) - 2
    pieces = [_words(first, follows_slot=False, leads_to_slot=last >= 0)]
    for index in range(0, len(parts), 2):
        slot = rf"(?P<{parts[index].replace(' ', '_')}>\S(?:.*?\S)??)"
        words = _words(parts[index + 1], follows_slot=True, leads_to_slot=index < last)
        pieces.append(f"(?>{slot}{words})" if index < last else slot + words)
    return re.compile(r"\s*" + "".join(pieces) + r"\s*", re.IGNORECASE)


def _words(part: str, follows_slot: bool, leads_to_slot: bool) -> str:
    """The pattern of the fixed words around slots; white space beside a bracket, as in `search[ <words> ]`, is free."""
    words = re.sub(r"(?:\\?\s)+", r"\\s+", re.escape(part))
    before = r"\s*" if follows_slot and part and not part[0].isspace() else ""
    after = r"\s*" if leads_to_slot and part and not part[-1].isspace() else ""
    return before + words + after


class Grammar:
    """Line commands in the words of the benchmark: case and surrounding space do not matter.

    A form with no word before a slot without choices may take prose for an action, so it is tried last, and only on the
    part of a text that is its action.

    Args:
        commands: The kinds of action, tried in order.
        rules: Sentences for the head of the manual: the aim and what matters.

    Raises:
        GrammarError: if two commands share a name, a variant or a choice names other slots than the form, a choice is
            not in lower case, or an example does not parse as its own command.
    """

    def __init__(self, commands: Sequence[Command], rules: str = ""):
        self.commands = tuple(commands)
        self.rules = rules.strip()
        if len({command.name for command in self.commands}) < len(self.commands):
            raise GrammarError("two commands of a grammar share a name; give each its own")
        for command in self.commands:
            _check_slots(command)
        forms = [(command, form) for command in self.commands for form in (command.form, *command.variants)]
        self._worded = [_Reader.of(command, form) for command, form in forms if not _takes_all(command, form)]
        bare = [_Reader.of(command, form) for command, form in forms if _takes_all(command, form)]
        self._bare = [reader for reader in bare if not reader.command.free]
        self._bare_free = [reader for reader in bare if reader.command.free]
        self._fixed = {form.lower(): Call(command.name, said=form) for command, form in forms if not SLOT.search(form)}
        self._free = {command.name for command in self.commands if command.free}
        self._first_words: dict[str, dict[str, Free]] = {}
        for command, form in forms:
            if word := re.match(r"\w+", form):
                frees = self._first_words.setdefault(word[0].lower(), {})
                if command.free and form.endswith(">"):
                    before = re.findall(r"\w+", SLOT.split(form)[-3])  # the words before the last slot
                    frees[(before or [word[0]])[-1].lower()] = command.free
        self._known: dict[str, Call] = {}  # actions read lately: players say the same ones again and again
        for command in self.commands:
            for example in command.examples:
                parsed = self.parse(example)
                if not isinstance(parsed, Call) or parsed.name != command.name:
                    raise GrammarError(f"the example {example!r} of {command.form!r} parses as {parsed}")

    @property
    def line(self) -> str:
        """The grammar in one line."""
        return "Actions: " + ", ".join(command.form for command in self.commands)

    @property
    def manual(self) -> str:
        """Rules, actions and worked examples."""
        lines = [self.rules, ""] if self.rules else []
        lines.append("Answer with one action a turn, on one line:")
        for command in self.commands:
            choices = "".join(
                f" <{_spoken(command, slot)}> is one of: {', '.join(values)}."
                for slot, values in command.choices.items()
            )
            between = " or " if any(";" in example for example in command.examples) else "; "
            shown = f" For example: {between.join(command.examples)}" if command.examples else ""
            lines.append(f"- {command.form}: {command.help}{choices}{shown}")
        return "\n".join(lines)

    @property
    def examples(self) -> tuple[str, ...]:
        """Every worked example."""
        return tuple(example for command in self.commands for example in command.examples)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Empty: the actions are words."""
        return []

    @property
    def first_words(self) -> FirstWords:
        """The words with which commands begin, and which of them end in free text."""
        return self._first_words

    def renamed(self, name: Callable[[str], str]) -> Grammar:
        """The same commands, with other names in their rules, helps, examples and choices.

        Args:
            name: A text with the other names.
        """
        commands = [
            replace(
                command,
                help=name(command.help),
                examples=tuple(map(name, command.examples)),
                choices={slot: tuple(name(each).lower() for each in given) for slot, given in command.choices.items()},
            )
            for command in self.commands
        ]
        return Grammar(commands, name(self.rules))

    def parse(self, action: str) -> Call | Invalid:
        """Read one action, alone or in prose; never raises on a string."""
        known: Call | Invalid | None = self._known.get(action)
        if known is None:
            known = self._read(action)
            if type(known) is Call and len(action) <= REMEMBERED_LENGTH:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                self._known[action] = known
        return known

    def _read(self, action: str) -> Call | Invalid:
        if not action.strip():
            return Invalid(f"the action is empty. {self.line}")
        call, refusal = self._understand(action, self._worded)
        if call:
            return call
        if not action.isprintable() and objection(action):  # what is no plain text is no prose
            refusal = refusal or self._understand(action, [*self._bare, *self._bare_free])[1]
            return Invalid(refusal or f"{shorten(action)!r} is not an action here. {self.line}")
        piece = extract(action, self._first_words)
        if not piece:
            return Invalid(f"the text names no action. {self.line}")
        if "\n" in piece:
            return Invalid(f"the text names more than one action; say the one you mean alone. {self.line}")
        pieces = list(peelings(piece))
        for less in pieces:
            call, bad = self._understand(less, self._worded)
            if call:
                return call
            refusal = refusal or bad
        call, bad = self._sentence(pieces[-1])
        if call:
            return call
        refusal = refusal or bad
        alone = plain(piece)
        for less, readers in ((unquoted(alone), self._bare), (alone, self._bare), (alone, self._bare_free)):
            call, bad = self._understand(less, readers)
            if call:
                return call
            refusal = refusal or bad
        shown = action if piece == action.strip() else piece
        return Invalid(refusal or f"{shorten(shown)!r} is not an action here. {self.line}")

    def _sentence(self, piece: str) -> tuple[Call | None, str]:
        """What a sentence in the first person does: never free text, as a sentence about speech is no speech.

        "My guess is crane" may mean `crane` or `guess crane`.
        """
        said, noun = sentence(piece)
        refusal = ""
        for less in (*peelings(said), f"{noun} {said}") if noun else peelings(said):
            call, bad = self._understand(less, self._worded)
            if call:
                return (None, "") if call.name in self._free else (call, "")
            refusal = refusal or bad
        if noun is None or refusal:
            return None, refusal
        return self._understand(unquoted(plain(said)), self._bare)

    def _understand(self, action: str, readers: Sequence[_Reader]) -> tuple[Call | None, str]:
        """The first reading of some words, or what is wrong with the nearest."""
        fixed = self._fixed.get(action.strip().lower())
        if fixed is not None:
            return fixed, ""
        refusal = ""
        for reader in readers:
            read = reader.read(action)
            if isinstance(read, Call):
                return self._fixed.get(read.said.lower(), read), ""
            refusal = refusal or read
        return None, refusal


@dataclass(frozen=True, slots=True)
class _Reader:
    """One form of a command.

    Attributes:
        command: The command.
        pattern: Of the form.
        last: The slot that ends it and is no free text; "" if there is none.
    """

    command: Command
    pattern: re.Pattern[str]
    last: str

    @classmethod
    def of(cls, command: Command, form: str) -> _Reader:
        """The reader of a form.

        Args:
            command: Whose form it is.
            form: The form itself or a variant.
        """
        slots = SLOT.findall(form)
        ends = bool(slots) and form.endswith(f"<{slots[-1]}>") and not command.free
        return cls(command, _pattern(form), slots[-1].replace(" ", "_") if ends else "")

    def read(self, action: str) -> Call | str:
        """The call of an action; otherwise what is wrong with a slot, or "" if it is of another form."""
        match = self.pattern.fullmatch(action)
        if match is None:
            return ""
        slots, said = match.groupdict(), action.strip()
        if self.last:
            said = action[: match.start(self.last)].lstrip() + unquoted(slots[self.last])
            slots[self.last] = unquoted(slots[self.last])
        bad = _outside(self.command, slots) or ("" if action.isprintable() else objection(slots))
        return bad or Call(self.command.name, slots, said)


def _takes_all(command: Command, form: str) -> bool:
    """Whether a form has no word before a slot that may hold anything, so that it may take prose for an action."""
    parts = SLOT.split(form)
    open_slots = [slot for slot in parts[1::2] if slot.replace(" ", "_") not in command.choices]
    return bool(open_slots) and (parts[1] in open_slots or len(parts) == 3) and not re.search(r"\w", parts[0])


def _check_slots(command: Command) -> None:
    """Refuse what would make `parse` fail later on some action."""
    slots = [slot.replace(" ", "_") for slot in SLOT.findall(command.form)]
    if len(set(slots)) < len(slots):
        raise GrammarError(f"{command.form!r} names a slot twice; give each slot its own name")
    for variant in command.variants:
        if {slot.replace(" ", "_") for slot in SLOT.findall(variant)} != set(slots):
            raise GrammarError(f"the variant {variant!r} must have the slots of {command.form!r}")
    for slot, values in command.choices.items():
        if slot not in slots:
            raise GrammarError(f"choices are given for <{slot}>, which {command.form!r} does not have")
        if any(value != value.lower() for value in values):
            raise GrammarError(f"the choices of <{slot}> in {command.form!r} must be in lower case")


def _spoken(command: Command, slot: str) -> str:
    """A slot as the form of its command writes it, which may be in several words."""
    return next(name for name in SLOT.findall(command.form) if name.replace(" ", "_") == slot)


def _outside(command: Command, slots: dict[str, str]) -> str:
    """Lower the slots that have choices; a sentence if one is outside them."""
    for slot, values in command.choices.items():
        said = slots[slot].lower()
        if said not in values:
            named = _spoken(command, slot)
            return f"{shorten(slots[slot])!r} is no <{named}> of {command.form!r}; it is one of: {', '.join(values)}."
        slots[slot] = said
    return ""


def shorten(text: str, limit: int = 80) -> str:
    """The text, or its beginning when it is long; control characters become spaces, so it can stand in a sentence.

    Args:
        text: Any text.
        limit: Characters that are kept.
    """
    clean = one_line(text[: limit + 1])
    return clean if len(text) <= limit else clean[:limit] + "..."
