"""Key names and combinations, as agents write them and Playwright wants them."""

from __future__ import annotations

NAMED = (
    "Enter", "Tab", "Escape", "Backspace", "Delete", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown", "Home", "End",
    "PageUp", "PageDown", "Insert", "Control", "Shift", "Alt", "Meta", " ", *(f"F{number}" for number in range(1, 13)),
)  # fmt: skip
PRINTED = frozenset(map(chr, range(33, 127)))  # characters that stand on the keys of Playwright's keyboard
ALIASES = {
    "ctrl": "Control", "control": "Control", "controlormeta": "Control", "cmd": "Meta", "command": "Meta",
    "esc": "Escape",
    "return": "Enter", "del": "Delete", "space": " ", "spacebar": " ", "up": "ArrowUp", "down": "ArrowDown",
    "left": "ArrowLeft", "right": "ArrowRight", "option": "Alt", "plus": "+",
    **{name.lower(): name for name in NAMED},
}  # fmt: skip
MODIFIERS = ("Alt", "Control", "Meta", "Shift")
MOST_KEYS = 5


def read_combination(text: str) -> list[str] | str:
    """The keys of `Control+a`, modifiers first, or a sentence if one has no such name."""
    parts = text.strip().split("+") if text.strip() != "+" else ["+"]
    if parts[-2:] == ["", ""]:  # Control++
        parts[-2:] = ["+"]
    keys: list[str] = []
    if len(parts) > MOST_KEYS:
        return f"{len(parts)} keys at once are too many; at most {MOST_KEYS}"
    for part in parts:
        part = " " if part == " " else part.strip()
        key = part if len(part) == 1 else ALIASES.get(part.lower())
        if key is None:
            return f"there is no key {part[:40]!r}; use a letter or a name such as Enter, Escape, ArrowDown, Control+a"
        keys.append(key)
    held, last = keys[:-1], keys[-1]
    wrong = [key for key in held if key not in MODIFIERS]
    if wrong:
        return f"{wrong[0]!r} cannot be held down in a combination; hold Control, Shift, Alt or Meta"
    return [*held, last]
