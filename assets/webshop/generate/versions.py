"""What the versions of a family say of the facts they differ in: that one holds, that one does not, that they vary."""

from __future__ import annotations

from agentgym.assets.webshop.facts import read_line
from agentgym.assets.webshop.generate.draft import Draft
from agentgym.assets.webshop.generate.model import Category, Draw, render
from agentgym.assets.webshop.generate.titles import headline

LINES = (2, 3)
"""How many ways a family has of saying that a fact holds, and that it does not."""

_HOLDS: dict[str, tuple[str, ...]] = {
    "is": ("{This} {is} {a}.", "Yes, {it} {is} {a}.", "Made to be {a}.", "{A}, as the label says."),
    "cut": ("Cut with {an} {a}.", "{This} {has} {an} {a}.", "{A}, true to the size chart."),
    "a": ("Comes with {an} {a}.", "{It} {has} {an} {a}.", "You get {an} {a} with it."),
    "has": ("With {a}.", "{This} {has} {a}.", "You get {a}.", "Complete with {a}."),
    "for": ("Made for {a}.", "{This} {is} right for {a}.", "A good choice for {a}.", "Suitable for {a}."),
    "room": ("Sized for the {a}.", "{This} {is} at home in the {a}.", "Meant for the {a}."),
    "of": ("Made of {a}.", "{A} throughout.", "{This} {is} made of {a}.", "Real {a}."),
    "fits": ("Fits {a}.", "Compatible with {a}.", "Cut to the measures of {a}.", "Tested with {a}.", "Works with {a}."),
}

_HOLDS_NOT: dict[str, tuple[str, ...]] = {
    "is": (
        "{This} {is} not {a}.",
        "Please note: {the} {is} not {a}.",
        "{A}? Not this version.",
        "{A}: no.",
        "Never sold as {a}.",
        "We cannot call {this} {a}.",
        "If you need one that is {a}, choose another version.",
        "Unlike its sister, {it} {is} no longer {a}.",
        "Customers ask if {it} {is} {a}: sorry, no.",
        "The other version is {a}.",
    ),
    "cut": (
        "Without the {a} of its sister.",
        "{A}? Not this version.",
        "Not cut with {an} {a}.",
        "{A}: no.",
        "For {an} {a}, choose another version.",
        "We stopped making this one with {an} {a}, so it has none; {a} is found on another page.",
    ),
    "a": (
        "Comes without {an} {a}.",
        "There is no {a} on this version.",
        "{A}? Not this one.",
        "{A}: none.",
        "For {an} {a}, choose another version.",
        "Unlike its sister, {it} {does} without {an} {a}.",
    ),
    "has": (
        "Without {a}.",
        "No {a} in this version.",
        "{A}? Not here.",
        "{A}: none.",
        "For {a}, choose another version.",
        "Do not expect {a} at this price.",
    ),
    "for": (
        "Not for {a}.",
        "We do not recommend {it} for {a}.",
        "{A}? Not with this one.",
        "Never meant for {a}.",
        "For {a}, choose another version.",
        "Our testers would not use {it} for {a}.",
    ),
    "room": (
        "Not meant for the {a}.",
        "Too big a piece, and no fit for the {a}.",
        "{A}? Not with this one.",
        "For the {a}, choose another version.",
        "We would not put {it} in the {a}.",
    ),
    "of": (
        "Not made of {a}.",
        "No {a} in this one.",
        "{A}? Not this version.",
        "Has the look of it, but is not {a}.",
        "For {a}, choose another version.",
        "Made without {a}.",
    ),
    "fits": (
        "Does not fit {a}.",
        "Not compatible with {a}.",
        "Will not work with {a}.",
        "For {a}, choose another version.",
        "{A} owners: this is not for you.",
        "Too small for it, so no fit for {a}.",
    ),
}

_VARY = (
    "One of several versions: {list} vary from one to the next.",
    "This line comes in versions that differ in a few things: {list} depend on the version.",
    "Before you buy, read on, for versions vary: {list}.",
    "{brand} sells several versions, which differ ({list}).",
    "Check which version you have in front of you; {list} vary.",
)

_ELSEWHERE = (
    "Other choices of {n} have pages of their own: {v}.",
    "Not on this page, but in our shop, {n}: {v}.",
    "Looking for another {n}? Sold apart: {v}.",
    "Sold out here or listed apart, {n}: {v}.",
)


def shape_in(category: Category, fact: str, fitted: frozenset[str]) -> str:
    """How a fact joins a noun; `fits` for what a product goes with.

    Args:
        category: Of the family.
        fact: What is stated.
        fitted: The facts that are devices and the like.
    """
    return "fits" if fact in fitted else category.shape(fact)


def state_facts(
    draft: Draft, facts: tuple[str, ...], fitted: frozenset[str], draw: Draw
) -> dict[str, tuple[list[str], list[str]]]:
    """For each fact the lines by which versions list it, and those by which they deny it.

    A line is kept only where a reader takes it as it is meant, and where it says nothing of the other facts.

    Args:
        draft: What the versions share.
        facts: What they differ in.
        fitted: Those of them that are devices and the like.
        draw: Where chance comes from.
    """
    stated = {}
    for fact in facts:
        shape = shape_in(draft.category, fact, fitted)
        own = () if shape == "fits" else draft.category.sentences(fact)
        slots = {**draft.slots, "a": fact, "A": headline(fact), "an": "an" if fact[0] in "aeio" else "a"}
        holds = [_with_name(fact, render(line, slots, draw)) for line in (*own, *_HOLDS[shape])]
        denies = [render(line, slots, draw) for line in _HOLDS_NOT[shape]]
        others = [other for other in facts if other != fact]
        holds = [line for line in holds if read_line(line, fact) is True and _silent(line, others)]
        denies = [line for line in denies if read_line(line, fact) is False and _silent(line, others)]
        stated[fact] = (draw.sample(holds, LINES[0]), draw.sample(denies, LINES[1]))
    return stated


def _silent(line: str, facts: list[str]) -> bool:
    return all(read_line(line, fact) is None for fact in facts)


def _with_name(fact: str, line: str) -> str:
    """The line, under its fact as a heading where it does not say it word for word."""
    return line if fact in line.lower() else f"{headline(fact)}: {line}"


def vary_line(draft: Draft, facts: tuple[str, ...], draw: Draw) -> str:
    """The line, the same for all versions, that says what they differ in.

    Args:
        draft: What the versions share.
        facts: What they differ in.
        draw: Where chance comes from.
    """
    listed = ", ".join(draw.sample(facts, len(facts)))
    return draw.pick(_VARY).format(list=listed, brand=draft.brand)


def elsewhere_line(name: str, draw: Draw) -> str:
    """A template with a place `{v}` for the values of an option that another version offers.

    Args:
        name: Of the option.
        draw: Where chance comes from.
    """
    return draw.pick(_ELSEWHERE).format(n=name, v="{v}")
