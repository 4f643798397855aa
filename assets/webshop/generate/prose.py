"""Bullets and descriptions: every attribute and detail of a product is stated somewhere in its own words."""

from __future__ import annotations

from agentgym.assets.webshop.generate.draft import Draft
from agentgym.assets.webshop.generate.model import Draw, Shape, render
from agentgym.assets.webshop.generate.titles import headline

_NAMES = frozenset(("Christmas", "Valentine's", "French", "Fridays", "Pilates"))
_HEADINGS = {"none": 4.0, "colon": 3.0, "caps": 2.5, "brackets": 1.5, "dash": 1.5}


def _headed(name: str, text: str, style: str) -> str:
    """The sentence under its heading; none where the sentence starts with the same words."""
    if style == "none" or (style in ("colon", "dash") and text.lower().startswith(name.lower()[:12])):
        return text
    title = headline(name)
    return {
        "colon": f"{title}: {text}",
        "caps": f"{title.upper()}: {text}",
        "brackets": f"【{title}】{text}",
        "dash": f"{title} - {text}",
    }[style]


def _state(draft: Draft, attribute: str, style: str, draw: Draw) -> str:
    """One bullet about an attribute, sometimes in two sentences."""
    lines = draw.sample(draft.category.sentences(attribute), 2)
    if style != "none":
        # Under a heading, a sentence that opens with other words reads better.
        lines.sort(key=lambda line: line.lower().startswith(attribute[:12]))
    texts = [render(line, draft.slots, draw) for line in lines]
    if draw.chance(0.12) and len(texts) == 2:
        return _headed(attribute, " ".join(texts), style)
    return _headed(attribute, texts[0], style)


def write_bullets(draft: Draft, draw: Draw) -> list[str]:
    """Four to six bullets: attributes and details mixed, then what the maker says of all its goods.

    Args:
        draft: The product's facts.
        draw: Where chance comes from.
    """
    style = draw.weighted(_HEADINGS)
    told = draft.attributes[: draw.between(2, 4)]
    bullets = [_state(draft, attribute, style, draw) for attribute in told]
    for name in draft.details[: 5 - len(bullets)]:
        bullets.append(_headed(name, render(draft.kind.details[name], draft.slots, draw), style))
    bullets = draw.sample(bullets, len(bullets))
    closing = draft.fitting(draft.category.bullets)
    for line in draw.sample(closing, max(1 if draw.chance(0.6) else 0, 4 - len(bullets))):
        bullets.append(render(line, draft.slots, draw))
    return bullets


def join(items: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def with_article(noun: str) -> str:
    """The noun with `a` or `an`."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def _plain(use: str) -> str:
    """A use in running text: lower case, but for names and abbreviations."""
    return " ".join(w if w.isupper() or w in _NAMES else w.lower() for w in use.split(" "))


def _summary(draft: Draft, names: list[str], draw: Draw) -> str:
    """One sentence that states the given attributes plainly."""
    by_shape: dict[Shape, list[str]] = {}
    for name in names:
        by_shape.setdefault(draft.category.shape(name), []).append(name)
    if draw.chance(0.3):
        return draw.pick(["At a glance: ", "In short: ", "Good to know: "]) + ", ".join(names) + "."
    clauses = []
    if "is" in by_shape:
        clauses.append(f"{{is}} {join(by_shape['is'])}")
    if "of" in by_shape:
        clauses.append(f"{{is}} made of {join(by_shape['of'])}")
    having = [with_article(n) for n in by_shape.get("a", []) + by_shape.get("cut", [])] + by_shape.get("has", [])
    if having:
        clauses.append(f"{{has}} {join(having)}")
    purposes = by_shape.get("for", []) + [f"the {n}" for n in by_shape.get("room", [])]
    if purposes:
        clauses.append(f"{draw.pick(['{is} meant for', '{is} right for', 'suit{s}'])} {join(purposes)}")
    subject = draw.pick(["{This}", "{The}", "{It}"])
    return f"{subject} {join(clauses)}.".format_map(draft.slots)


def write_description(draft: Draft, said: str, draw: Draw) -> str:
    """Two to five sentences; attributes that title and bullets (`said`, lower case) leave out come first.

    Args:
        draft: The product's facts.
        said: Title and bullets, in lower case.
        draw: Where chance comes from.
    """
    lines = [render(draw.pick(draft.kind.about), draft.slots, draw)]
    missing = [a for a in draft.attributes if a not in said]
    told = missing or (draw.sample(draft.attributes, 2) if draw.chance(0.5) else [])
    if told:
        lines.append(_summary(draft, list(told), draw))
    uses = [u for u in draft.uses if "Men" not in u and "Women" not in u]
    if uses and draw.chance(0.35):
        lines.append(
            f"{draw.pick(['Good for', 'Popular for', 'Made for'])} {join([_plain(u) for u in draw.sample(uses, 2)])}."
        )
    closing = draft.fitting(draft.category.about)
    for line in draw.sample(closing, draw.between(1, 2)):
        lines.append(render(line, draft.slots, draw))
    return " ".join(lines)
