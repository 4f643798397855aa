"""Bullets and descriptions that the versions of a family share."""

from __future__ import annotations

from agentgym.assets.webshop.generate.draft import Draft
from agentgym.assets.webshop.generate.model import Draw, render
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


def shared_lines(draft: Draft, draw: Draw) -> list[str]:
    """Bullets that all versions have: what they all list, one or two details, something the maker says of all goods.

    Args:
        draft: What the versions share.
        draw: Where chance comes from.
    """
    style = draw.weighted(_HEADINGS)
    bullets = [_state(draft, attribute, style, draw) for attribute in draft.attributes]
    bullets += [_headed(name, render(draft.kind.details[name], draft.slots, draw), style) for name in draft.details[:2]]
    closing = draft.fitting(draft.category.bullets)
    bullets += [render(line, draft.slots, draw) for line in draw.sample(closing, 1)]
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


def write_description(draft: Draft, draw: Draw) -> str:
    """Two to four sentences, the same for all versions.

    Args:
        draft: What the versions share.
        draw: Where chance comes from.
    """
    lines = [render(draw.pick(draft.kind.about), draft.slots, draw)]
    uses = [u for u in draft.uses if "Men" not in u and "Women" not in u]
    if uses and draw.chance(0.35):
        lines.append(
            f"{draw.pick(['Good for', 'Popular for', 'Made for'])} {join([_plain(u) for u in draw.sample(uses, 2)])}."
        )
    closing = draft.fitting(draft.category.about)
    for line in draw.sample(closing, draw.between(1, 2)):
        lines.append(render(line, draft.slots, draw))
    return " ".join(lines)
