"""Customer reviews: voices that differ, stars that fit the words, and no claim the product does not bear out."""

from __future__ import annotations

from agentgym.assets.webshop.generate.draft import Draft
from agentgym.assets.webshop.generate.model import Draw, Shape, render
from agentgym.assets.webshop.generate.prose import with_article
from agentgym.assets.webshop.generate.titles import headline

_TITLES: dict[int, tuple[str, ...]] = {
    5: (
        "Love {them}!",
        "Exactly what I wanted",
        "Five stars",
        "So happy with this",
        "Great {n}",
        "Highly recommend",
        "Better than expected",
        "Perfect",
        "Wow",
        "Would buy again",
        "Very pleased",
        "Best {n} so far",
    ),
    4: (
        "Pretty good",
        "Good, not perfect",
        "Nice {n}",
        "Solid buy",
        "Almost five stars",
        "Happy overall",
        "Does the job",
        "Good value",
    ),
    3: ("It's okay", "Mixed feelings", "Just average", "Not bad, not great", "You get what you pay for", "So so"),
    2: ("Disappointed", "Expected better", "Not for me", "Meh", "Hoped for more"),
    1: ("Do not buy", "Returned", "Waste of money", "Very disappointed", "Sending {them} back", "One star"),
}

_OF_ATTRIBUTE: dict[Shape, tuple[str, ...]] = {
    "is": (
        "And yes, {it} {is} {a}.",
        "I needed something {a} and {this} {is}.",
        "{It} really {is} {a}.",
        "{A}, as described.",
    ),
    "cut": ("The {a} is just right.", "Love the {a}.", "I wanted {an} {a} and this is it."),
    "a": ("The {a} is what sold me.", "Love the {a}.", "Good {a} too.", "I was looking for {some} with {an} {a}."),
    "has": ("I bought {them} for the {a}.", "I like the {a}.", "Happy about the {a}."),
    "for": ("I got {them} for {a}.", "If you need {some} for {a}, look no further.", "Bought with {a} in mind."),
    "room": ("Looks great in my {a}.", "Just right for our {a}.", "Changed the whole feel of the {a}."),
    "of": ("You can tell it is {a}.", "The {a} is nicer than I thought.", "Real {a}, as far as I can tell."),
}

_OF_OPTION: dict[str, tuple[str, ...]] = {
    "color": ("I picked {v}.", "Got {them} in {v}.", "The {v} is lovely.", "Went with {v} and the color is as shown."),
    "size": ("I ordered {v}.", "Went for {v}, which was right for me.", "I got {v}."),
    "scent": ("I chose {v}.", "The {v} scent is my favorite.", "{v} smells just right."),
    "flavor name": ("The {v} flavor is the best one.", "I had {v}.", "Tried {v} first and ordered it again."),
    "item package quantity": ("Ordered {v}.", "The {v} option is the better deal."),
    "capacity": ("I have the {v} version.", "{v} is plenty for me."),
    "style": ("I went for {v}.",),
    "inseam": ("The {v} inseam is right for me.",),
    "fit type": ("I always take the {v} fit.",),
}

_GOOD = (
    "Shipping was fast.",
    "Arrived a day early.",
    "Bought {them} for my {whom} as a gift.",
    "I did a lot of comparing before I chose.",
    "Had {them} for [three weeks|two months|half a year] now.",
    "My second order.",
    "I rarely write reviews.",
    "For the price you cannot go wrong.",
    "Would recommend to anyone.",
    "Packed with care.",
    "My {whom} wants the same now.",
)

_MILD = (
    "the box was a bit dented",
    "the packaging was hard to open",
    "a little pricey",
    "I wish there were more choices",
    "it took me a while to choose",
    "too much packaging",
    "no gift wrap",
    "the pictures could be better",
)

_SO_SO = (
    "Nice idea, though.",
    "It does the job, more or less.",
    "The seller was friendly about it.",
    "Fine for the price, I suppose.",
    "Keeping {them} anyway.",
    "Other reviewers had better luck.",
    "It could have been worse.",
    "I might give {them} to my {whom}.",
)

_BAD = (
    "Returned for a refund.",
    "Shipping took almost two weeks.",
    "I wanted to like {them}.",
    "I emailed the seller and heard nothing.",
    "The photos are flattering.",
    "Save your money.",
    "Maybe I got a bad one.",
)

_WHOM = {
    "men's": ("brother", "husband", "dad", "boyfriend", "son"),
    "women's": ("sister", "wife", "mom", "best friend", "daughter"),
    "": ("mom", "dad", "sister", "brother", "neighbor", "best friend", "wife", "husband"),
}

_FIRST = (
    "Dana",
    "Marcus",
    "Priya",
    "Tom",
    "Elena",
    "Grace",
    "Luis",
    "Kim",
    "Sam",
    "Nadia",
    "Ben",
    "Carla",
    "Joan",
    "Theo",
    "Ines",
    "Omar",
    "Ruth",
    "Vera",
    "Milo",
    "Tess",
    "Hugo",
    "Jada",
    "Noor",
    "Paul",
)
_HANDLES = (
    "happyshopper",
    "bookmom",
    "trailrunner",
    "just_me",
    "kitchen_witch",
    "coffeefirst",
    "dog_dad",
    "night_nurse",
    "gramps",
    "sunny_side",
    "quiet_reader",
    "weekend_painter",
    "busy_bee",
    "two_cats",
    "teacher_on_break",
    "bargain_hunter",
)


def _author(draw: Draw) -> str:
    """A first name with an initial, two initials, or a handle."""
    letter = "ABCDEFGHJKLMNPRSTW"
    style = draw.below(4)
    if style == 0:
        return f"{draw.pick(letter)}. {draw.pick(letter)}."
    if style == 1:
        return f"{draw.pick(_HANDLES)}{draw.between(2, 99)}"
    if style == 2:
        return "Customer"
    return f"{draw.pick(_FIRST)} {draw.pick(letter)}."


def _opening(attribute: str) -> str:
    """The attribute at the start of a sentence: abbreviations in capitals, the rest in lower case."""
    first, *rest = headline(attribute).split(" ")
    return " ".join((first, *(word if word.isupper() else word.lower() for word in rest)))


class _Talk:
    """Sentences for one product; none is said twice."""

    def __init__(self, draft: Draft, draw: Draw) -> None:
        self.draft, self.draw = draft, draw
        self.said: set[str] = set()
        self.praise = draft.fitting(draft.kind.praise)
        self.cheers = draft.fitting(draft.category.praise)
        self.gripes = draft.fitting(draft.kind.gripes)
        self.moans = draft.fitting(draft.category.gripes)
        noun, kind = draft.kind.noun, draft.kind
        some = noun if kind.plural else f"some {noun}" if kind.mass else with_article(noun)
        self.slots = {**draft.slots, "some": some, "whom": draw.pick(_WHOM[kind.audience])}

    def line(self, pool: list[str] | tuple[str, ...]) -> list[str]:
        """One unsaid sentence of a pool, or none if all were said."""
        unsaid = [p for p in pool if p not in self.said]
        if not unsaid:
            return []
        template = self.draw.pick(unsaid)
        self.said.add(template)
        return [render(template, self.slots, self.draw)]

    def fact(self) -> list[str]:
        """A sentence about an attribute or an option of the product."""
        options = [n for n in self.draft.options if n in _OF_OPTION and n not in self.said]
        if options and self.draw.chance(0.5):
            name = self.draw.pick(options)
            self.said.add(name)
            slots = {**self.slots, "v": self.draw.pick(self.draft.options[name])}
            return [render(self.draw.pick(_OF_OPTION[name]), slots, self.draw)]
        attributes = [a for a in self.draft.attributes if a not in self.said]
        if not attributes:
            return []
        name = self.draw.pick(attributes)
        self.said.add(name)
        slots = {
            **self.slots,
            "a": name,
            "A": _opening(name),
            "an": with_article(name).split(" ")[0],
        }
        lines = _OF_ATTRIBUTE[self.draft.category.shape(name)]
        return [render(self.draw.pick(lines), slots, self.draw)]


def _body(talk: _Talk, stars: int, draw: Draw) -> str:
    """One to five sentences in the mood of the stars."""
    if stars >= 4:
        lines = talk.line(talk.praise) if draw.chance(0.6) else []
        lines += talk.line(talk.cheers) if not lines or draw.chance(0.4) else []
        lines += talk.fact() if draw.chance(0.45) else []
        lines += talk.line(_GOOD) if draw.chance(0.3) else []
        lines = draw.sample(lines, len(lines))
        if stars == 4 and draw.chance(0.5):
            lines += [
                f"{draw.pick(['Only complaint', 'One star off', 'Small thing'])}: {m[0].lower()}{m[1:]}."
                for m in talk.line(_MILD)
            ]
    elif stars == 3:
        lines = talk.line(talk.gripes) or talk.line(talk.moans)
        lines += talk.line(_SO_SO)
    else:
        lines = talk.line(talk.gripes if draw.chance(0.6) else talk.moans)
        lines += talk.line(talk.moans) if not lines or draw.chance(0.25) else []
        lines += talk.line(_BAD) if draw.chance(0.5) else []
    if not lines:
        lines = ["Nothing to add, good." if stars >= 4 else "Would not get it again."]
    text = " ".join(lines)
    voice = draw.weighted({"plain": 7.0, "lower": 1.5, "loud": 1.0})
    if voice == "lower":
        return text.lower().rstrip(".")
    return text[:-1] + "!" if voice == "loud" and stars == 5 and text.endswith(".") else text


def write_reviews(draft: Draft, draw: Draw) -> list[dict[str, object]]:
    """Nought to twelve reviews with the keys title, stars, review and reviewer.

    Args:
        draft: The product's facts.
        draw: Where chance comes from.
    """
    count = draw.weighted({0: 10, 1: 8, 2: 10, 3: 12, 4: 12, 5: 12, 6: 10, 7: 8, 8: 6, 9: 4, 10: 3, 11: 2, 12: 2})
    talk = _Talk(draft, draw)
    reviews: list[dict[str, object]] = []
    better = max(0.0, min(1.0, (draft.quality - 3.2) / 1.6))
    weights = {5: 1 + 9 * better, 4: 2.0, 3: 1.2 - 0.6 * better, 2: 1 - 0.7 * better, 1: 1.2 - 0.9 * better}
    for _ in range(count):
        stars = draw.weighted(weights)
        titles = [t for t in _TITLES[stars] if t not in talk.said]
        title = draw.pick(titles or list(_TITLES[stars]))
        talk.said.add(title)
        reviews.append(
            {
                "title": render(title, draft.slots, draw),
                "stars": stars,
                "review": _body(talk, stars, draw),
                "reviewer": _author(draw),
            }
        )
    return reviews
