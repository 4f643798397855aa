"""Temporal logic on finite traces: progression against the textbook's definition, the parser, and the wrapper."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import agentgym
from agentgym import wrappers
from agentgym.core import AgentGymError, GrammarError
from agentgym.core.rng import stream
from agentgym.wrappers import _logic as logic

Trace = list[frozenset[str]]
NAMES = ("a", "b", "c")


def meant(formula: Any, trace: Trace, at: int) -> bool:
    """The semantics of De Giacomo and Vardi, word for word, over formulas as they are written."""
    kind, *parts = formula
    last = len(trace) - 1
    if kind == "atom":
        return parts[0] in trace[at]
    if kind == "true":
        return True
    if kind == "!":
        return not meant(parts[0], trace, at)
    if kind == "&":
        return meant(parts[0], trace, at) and meant(parts[1], trace, at)
    if kind == "|":
        return meant(parts[0], trace, at) or meant(parts[1], trace, at)
    if kind == "->":
        return not meant(parts[0], trace, at) or meant(parts[1], trace, at)
    if kind == "X":
        return at < last and meant(parts[0], trace, at + 1)
    if kind == "N":
        return at == last or meant(parts[0], trace, at + 1)
    if kind == "F":
        return any(meant(parts[0], trace, later) for later in range(at, last + 1))
    if kind == "G":
        return all(meant(parts[0], trace, later) for later in range(at, last + 1))
    first, second = parts
    until = any(
        meant(second, trace, end) and all(meant(first, trace, before) for before in range(at, end))
        for end in range(at, last + 1)
    )
    if kind == "U":
        return until
    if kind == "W":
        return until or all(meant(first, trace, later) for later in range(at, last + 1))
    return all(  # R
        meant(second, trace, end) or any(meant(first, trace, before) for before in range(at, end))
        for end in range(at, last + 1)
    )


def written(formula: Any) -> str:
    kind, *parts = formula
    if kind == "atom":
        return str(parts[0])
    if kind == "true":
        return "true"
    if len(parts) == 1:
        return f"{kind} ({written(parts[0])})"
    return f"({written(parts[0])}) {kind} ({written(parts[1])})"


ATOMS = st.sampled_from([("atom", name) for name in NAMES] + [("true",)])
FORMULAS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("!XNFG"), inner),
        st.tuples(st.sampled_from(["&", "|", "->", "U", "R", "W"]), inner, inner),
    ),
    max_leaves=6,
)
TRACES = st.lists(st.frozensets(st.sampled_from(NAMES)), min_size=1, max_size=5)


@given(FORMULAS, TRACES)
@example(("G", ("->", ("atom", "a"), ("X", ("atom", "b")))), [frozenset("a")])
def test_progression_means_what_the_definition_says(formula: Any, trace: Trace) -> None:
    left = logic.parse(written(formula))
    for step in trace:
        left = logic.progress(left, lambda name, fields, step=step: name in step)
    assert logic.empty(left) == meant(formula, trace, 0)


@given(FORMULAS, TRACES, TRACES)
def test_verdicts_are_final(formula: Any, begun: Trace, rest: Trace) -> None:
    """What is decided early is what every longer trace would say."""
    left = logic.parse(written(formula))
    for step in begun:
        left = logic.progress(left, lambda name, fields, step=step: name in step)
    if left in (logic.TRUE, logic.FALSE):
        for trace in (begun, begun + rest):
            assert meant(formula, trace, 0) == (left == logic.TRUE)


@given(FORMULAS, TRACES)
def test_negation(formula: Any, trace: Trace) -> None:
    left = logic.negate(logic.parse(written(formula)))
    for step in trace:
        left = logic.progress(left, lambda name, fields, step=step: name in step)
    assert logic.empty(left) != meant(formula, trace, 0)


def test_binding_and_fields() -> None:
    assert logic.parse("a & b | c") == logic.parse("(a & b) | c")
    assert logic.parse("a -> b -> c") == logic.parse("a -> (b -> c)")
    assert logic.parse("a U b U c") == logic.parse("a U (b U c)")
    assert logic.parse("!a U b") == logic.parse("(!a) U b")
    assert logic.parse("G a & b") == logic.parse("(G a) & b")
    assert logic.parse("!(a U b)") == logic.parse("!a R !b")
    assert logic.parse("!F a") == logic.parse("G !a")
    (atom,) = logic.atoms(logic.parse('F craft(number=4, item="oak log", done=true)'))
    assert atom == ("atom", "craft", (("done", True), ("item", "oak log"), ("number", 4)))
    event = {"type": "craft", "number": 4, "item": "oak log", "done": 1}
    assert not logic.matches([event], atom[1], atom[2])  # 1 is not true
    assert logic.matches([{**event, "done": True}], atom[1], atom[2])


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "needs an event at character 1"),
        ("a &", "needs an event at character 4"),
        ("(a", "needs ')' at character 3"),
        ("a b", "needs the end at character 3"),
        ("a(x)", "needs '=' at character 4"),
        ("a(x=)", "needs a value"),
        ("a(1=2)", "needs the name of a field"),
        ("a ? b", "cannot be read at"),
        ("U a", "needs an event at character 1"),
        ("(" * 41 + "a" + ")" * 41, "nested more than 40 deep"),
        ("!" * 3_000, "at most 2000 characters"),
        ("a->" * 60 + "a", "nested more than 40 deep"),
    ],
)
def test_what_is_no_rule_says_where(text: str, place: str) -> None:
    with pytest.raises(GrammarError) as caught:
        logic.parse(text)
    assert place in str(caught.value)
    assert "\n" not in str(caught.value)


def read(text: str) -> tuple[Any, str]:
    """The formula of a text, or why it is none."""
    try:
        return logic.parse(text), ""
    except GrammarError as error:
        return None, str(error)


@given(st.text(max_size=40) | st.text("ab!&|()->XFGUW ", max_size=12))
def test_any_text_is_read_or_refused_in_a_line(text: str) -> None:
    formula, reason = read(text)
    assert (formula is None) == bool(reason)
    assert "\n" not in reason
    assert formula is None or logic.negate(logic.negate(formula)) == formula


def test_rules_are_kept_broken_and_decided_at_the_end() -> None:
    rules = {"log first": "!craft W get", "some get": "F get", "never": "G !craft", "two": "get & X get"}
    env = wrappers.LTLMonitor(agentgym.make("TextCraft-v1", max_turns=3), rules=rules, penalty=0.25)
    text, info = env.reset(seed=0)
    assert "log first: !craft W get; some get: F get" in text
    assert info["rules"] == dict.fromkeys(rules, "open")
    assert info["forbidden"] == ["craft"]  # each of them that begins with crafting
    text, reward, _, _, info = env.step("inventory")
    assert info["rules"] == {"log first": "open", "some get": "open", "never": "open", "two": "broken"}
    assert (reward, info["violations"]) == (-0.25, 1)
    assert text.endswith("Broken: two.")
    info = env.step("get 1 stone")[4]
    assert info["rules"] == {"log first": "kept", "some get": "kept", "never": "open", "two": "broken"}
    _, reward, _, truncated, info = env.step("inventory")
    assert truncated
    assert info["rules"]["never"] == "kept"
    assert (reward, info["forbidden"]) == (0.0, [])


def test_a_broken_rule_can_end_the_episode() -> None:
    env = wrappers.LTLMonitor(agentgym.make("TextCraft-v1"), rules={"obey": "G valid"}, end=True)
    env.reset(seed=0)
    assert not env.step("inventory")[2]
    text, _, terminated, truncated, info = env.step("fly")
    assert (terminated, truncated, info["success"], env.ended) == (True, False, False, True)
    assert text.endswith("Broken: obey. The episode is over.")
    assert env.step("inventory")[0].startswith("The episode is over")
    assert not env.reset(seed=0)[1]["violations"]


def test_success_can_be_asked_for() -> None:
    env = wrappers.LTLMonitor(agentgym.make("TextCraft-v1"), rules={"win": "F success"})
    env.reset(seed=0)
    while not env.ended:
        info = env.step(env.expert_action())[4]
    assert info["rules"] == {"win": "kept"}
    env = wrappers.LTLMonitor(agentgym.make("TextCraft-v1", max_turns=1), rules={"win": "F success"})
    env.reset(seed=0)
    assert env.step("inventory")[4]["rules"] == {"win": "broken"}


CONFIRM = {"confirm before buy": '!purchase W navigate(page="description")'}
BUYS = {"purchase": {"command": "click", "button": "Buy  now"}}


def played(mask: Any, episodes: int, *, listed: bool) -> tuple[int, int]:
    """Violations and purchases of a random player in the shop under the rule."""
    env = wrappers.LTLMonitor(agentgym.make("WebShop-v1", split="test"), rules=CONFIRM, mask=mask)
    violations = purchases = 0
    for episode in range(episodes):
        env.reset(seed=episode, options={"task": episode})
        rng = stream("tests.monitor", episode)
        while not env.ended:
            actions = env.admissible_actions()
            assert actions
            action = actions[int(rng.integers(len(actions)))] if listed else env.sample_action(rng)
            info = env.step(action)[4]
            kinds = [event["type"] for event in info["events"]]
            violations, purchases = violations + kinds.count("violation"), purchases + kinds.count("purchase")
            assert info["violations"] >= kinds.count("violation")
    return violations, purchases


@pytest.mark.parametrize("episodes", [60, pytest.param(500, marks=pytest.mark.full)])
def test_a_mask_keeps_a_random_player_from_breaking_the_rule_in_the_shop(episodes: int) -> None:
    """In none of 500 episodes, where a player without the mask breaks it."""
    assert played(None, episodes, listed=False)[0] > 0
    for listed in (False, True):
        violations, purchases = played(BUYS, episodes, listed=listed)
        assert violations == 0
        assert purchases > 0, "what is confirmed may be bought"


def test_what_is_masked_is_refused_if_said_all_the_same() -> None:
    env = wrappers.LTLMonitor(agentgym.make("WebShop-v1", split="test"), rules=CONFIRM, mask=BUYS)
    env.reset(seed=0)
    env.step("search[shirt]")
    env.step(next(action for action in env.admissible_actions() or () if action.startswith("click[b0")))
    assert "click[buy now]" not in (env.admissible_actions() or ())
    text, reward, terminated, _, info = env.step(" CLICK[ buy now ]")
    assert (reward, terminated, info["action_valid"], info["violations"]) == (0.0, False, False, 0)
    assert info["error"] == "A rule forbids purchase now: confirm before buy"
    assert info["error"] in text
    assert info["forbidden"] == ["purchase"]
    assert env.step("click[description]")[4]["forbidden"] == []
    env.step("click[< prev]")
    assert "click[buy now]" in (env.admissible_actions() or ())
    info = env.step("click[buy now]")[4]
    assert (info["rules"], [event["type"] for event in info["events"]]) == (
        {"confirm before buy": "kept"},
        ["purchase"],
    )


@pytest.mark.parametrize(
    ("mask", "complaint"),
    [
        ({"buy": {"command": "click"}}, "buy"),
        ({"purchase": {"button": "buy now"}}, "must say which command"),
        ({"purchase": "click"}, "must say which command"),
    ],
)
def test_a_mask_that_says_nothing_is_refused(mask: Any, complaint: str) -> None:
    with pytest.raises(AgentGymError, match=complaint):
        wrappers.LTLMonitor(agentgym.make("WebShop-v1"), rules=CONFIRM, mask=mask)
