"""Planning: the planner against plain search, grounding against plain sets, words, PDDL in and out, evolution."""

import re
from itertools import pairwise

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games._planning import pddl, search
from agentgym.envs.games._planning.fields import FIELDS
from agentgym.envs.games._planning.strips import fill, ground

CARD = agentgym.card("Planning-v0")
PILE = {  # b on a; wanted a on b
    "domain": "blocks",
    "problem": """(define (problem two) (:domain blocks) (:objects red-block blue-block - block)
      (:init (on-table red-block) (on blue-block red-block) (clear blue-block) (hand-empty))
      (:goal (and (on red-block blue-block))))""",
}
SWITCH = """
(define (domain lamps) ; two switches
  (:requirements :strips :typing)
  (:types lamp - thing)
  (:constants hall - lamp)
  (:predicates (lit ?l - lamp) (dark ?l - lamp))
  (:action press :parameters (?l - lamp) :precondition (dark ?l) :effect (and (lit ?l) (not (dark ?l)))))
"""
LAMPS = "(define (problem one) (:domain lamps) (:objects den - lamp) (:init (dark hall) (dark den)) (:goal (lit hall)))"


def make(**kwargs):
    return gym.make("AgentGym/Planning-v0", **kwargs).unwrapped


def play(env, actions, spec=PILE):
    env.reset(seed=0, options={"task": spec})
    return [env.step(action) for action in actions]


def holds_after(spec, plan):
    """Whether a plan of (action object ...) texts reaches the goal, by sets of atoms and the PDDL alone."""
    domain = FIELDS[spec["domain"]].domain
    problem = pddl.read_problem(spec["problem"], domain)
    facts = set(problem.init)
    for text in plan:
        name, *objects = text.strip("()").split()
        schema = domain.actions[name]
        bound = schema.bind(tuple(objects))
        assert {fill(atom, bound) for atom in schema.needs} <= facts
        facts = facts - {fill(atom, bound) for atom in schema.deletes} | {fill(atom, bound) for atom in schema.adds}
    return set(problem.goal) <= facts


@pytest.mark.parametrize("name", FIELDS)
def test_plans_are_valid_and_nearly_as_short_as_the_shortest(name):
    found = least = 0
    env = make(level="easy", domains=(name,), view="pddl")
    for seed in range(5):
        env.reset(options={"task": seed})
        plan = env.reference()
        assert holds_after(env.task.spec, plan)
        best = search.shortest(env._ground, env._ground.start, 20_000)
        if best is not None:
            found, least = found + len(plan), least + best
            assert len(plan) <= 1.25 * best
    assert found <= 1.05 * least


@pytest.mark.parametrize("name", FIELDS)
def test_every_domain_is_solved_in_words_within_half_the_turns_and_after_a_wrong_start(name):
    env = make(domains=(name,))
    rng = np.random.default_rng(3)
    told = set()
    for seed in range(4):
        env.reset(options={"task": seed})
        told.add(env.task.spec["wording"])
        for _ in range(12):  # nothing that is done here cannot be undone
            env.step(env.sample_action(rng))
        while not env.ended:
            text, reward, *_, info = env.step(env.oracle_action())
            assert info["action_valid"]
        assert (info["success"], reward) == (True, 1.0)
        assert " The goal is reached." in text
        assert len(env.reference()) * 1.6 < env.max_turns <= 250
    assert told == {0, 1}


@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_levels_of_the_panels_are_solved(level):
    env = make(level=level, split="val")
    lengths = []
    for place in range(6):
        env.reset(options={"task": place})
        lengths.append(len(env.reference()))
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"]
    assert np.mean(lengths) > {"easy": 4, "medium": 8, "hard": 14}[level]


@pytest.mark.parametrize("name", FIELDS)
def test_every_form_of_an_action_means_the_same(name):
    field = FIELDS[name]
    for number, wording in enumerate(field.wordings):
        assert set(wording.actions) == set(field.domain.actions)
        assert set(wording.facts) == set(field.domain.predicates)
        env = make(domains=(name,), level="easy")
        seed = 0
        while env.reset(options={"task": seed})[0] and env.task.spec["wording"] != number:
            seed += 1
        teller = env._teller
        for operator in env._ground.operators:
            schema = field.domain.actions[operator.name[0]]
            assert teller.understand(pddl.show(operator.name)) is operator
            for form in wording.actions[schema.name]:
                said = form
                for (variable, _), thing in zip(schema.parameters, operator.name[1:], strict=True):
                    said = said.replace(f"<{variable[1:]}>", f"The {thing.replace('-', ' ')}")
                assert "<" not in said
                assert teller.understand(said) is operator, said


def test_a_problem_in_words():
    env = make()
    text, info = env.reset(options={"task": PILE})
    assert text == (
        "Bring it about that the red block is on the blue block.\n"
        "You move blocks on a table with one hand. You can hold one block at a time, and only take a block that has "
        "nothing on it. There is room on the table for all of them.\n"
        "You can: pick up <block>, put down <block>, stack <block> on <other block>, unstack <block> from "
        "<other block>\n"
        "There are: block: red block, blue block\n"
        "The blue block is on the red block.\nThe red block is on the table.\nNothing is on the blue block.\n"
        "Your hand is empty.\nActions: one of the above, with names in place of <...>"
    )
    assert info["instruction"] in text
    assert env.max_turns == 10 + 4 * 3
    steps = play(env, ["Take the blue block off the red block", "put down blue block", "(pick-up RED-block)"])
    assert steps[0][0] == (
        "You unstack the blue block from the red block.\nThe red block is on the table.\nNothing is on the red block.\n"
        "You are holding the blue block."
    )
    assert all(step[4]["action_valid"] for step in steps)
    assert env.admissible_actions() == ["put down red block", "stack red block on blue block"]
    text, reward, terminated, _, info = env.step("put red block on blue block")
    assert (reward, terminated, info["success"], info["progress"]) == (1.0, True, True, 1.0)


def test_refusals_say_what_is_missing():
    for action, reason in (
        ("pick up red block", "You cannot pick up red block now: the red block is not free on top."),
        ("stack blue block on red block", "You cannot stack blue block on red block now: you are not holding the blue "
         "block, and the red block is not free on top."),
        ("pick up green block", "There is no 'green block' here. What can be named as block: red block, blue block."),
        ("fly away", "'fly away' is no action here. You can: pick up <block>, put down <block>, stack <block> on "
         "<other block>, unstack <block> from <other block>."),
    ):  # fmt: skip
        ((text, reward, _, _, info),) = play(make(), [action])
        assert (info["action_valid"], info["error"], reward) == (False, reason, 0.0)
        assert text.endswith("Your hand is empty.")
    env = make(domains=("gripper",), level="easy")
    env.reset(options={"task": 0})
    room = env._ground.start and next(fact[1] for fact in env._ground.true(env._ground.start) if fact[0] == "at")
    said = env._teller.wording.actions["move"][0].replace("<from>", room).replace("<to>", room)
    assert env.step(said)[4]["error"].endswith("now: it would change nothing.")
    thing = next(name for name, kind in env._ground.problem.objects.items() if kind == "thing")
    said = env._teller.wording.actions["move"][0].replace("<from>", thing).replace("<to>", room)
    assert " is no " in env.step(said)[4]["error"]


def test_doing_and_undoing_pays_nothing():
    env = make()
    env.reset(options={"task": PILE})
    total, shares = 0.0, set()
    for turn in range(env.max_turns):
        said = ("unstack blue block from red block", "stack blue block on red block")[turn % 2]
        _, reward, terminated, truncated, info = env.step(said)
        total, shares = total + reward, shares | {info["progress"]}
    assert (total, terminated, truncated, shares) == (0.0, False, True, {0.0})


def test_goals_met_on_the_way_and_lost_again_show_in_progress_but_pay_nothing():
    env = make(domains=("ferry",), level="easy")
    for seed in range(10):
        env.reset(options={"task": seed})
        seen, paid = [], 0.0
        while not env.ended:
            _, reward, *_, info = env.step(env.oracle_action())
            seen.append(info["progress"])
            paid += reward
        assert (max(seen[:-1]), seen[-1], paid) == (0.5, 1.0, 1.0)


def test_evolution_makes_the_task_of_a_seed_easier_and_harder():
    for name in FIELDS:
        goals, things, lengths = [], [], []
        for evolve in (-4, -1, 0, 1, 2):
            env = make(domains=(name,), evolve=evolve, level="easy")
            env.reset(options={"task": 5})
            goals.append(list(env._ground.problem.goal))
            things.append(set(env._ground.problem.objects))
            lengths.append(len(env.reference()))
        for fewer, more in pairwise(goals):
            assert more[: len(fewer)] == fewer
        assert len(goals[0]) < len(goals[2]) < len(goals[4])
        assert things[0] == things[1] == things[2] < things[4]
        assert lengths[0] < lengths[2] < lengths[4]


def test_problems_survive_being_written_and_read():
    for name, field in FIELDS.items():
        env = make(domains=(name,))
        env.reset(options={"task": 2})
        problem = pddl.read_problem(env.task.spec["problem"], field.domain)
        again = pddl.read_problem(pddl.write_problem(problem, field.domain), field.domain)
        assert (again.objects, again.init, again.goal) == (problem.objects, problem.init, problem.goal)
        assert ground(field.domain, again).start == env._ground.start


def test_pddl_in_and_out():
    env = make(view="pddl")
    text, _ = env.reset(options={"task": PILE})
    assert "(define (domain blocks)" in text
    assert PILE["problem"] in text
    assert text.endswith(
        "\nYou can: (pick-up <block>), (put-down <block>), (stack <block> <under>), (unstack <block> <under>)\n"
        "(on blue-block red-block)\n(on-table red-block)\n(clear blue-block)\n(hand-empty)\n" + env.grammar.line
    )
    assert env.step("pick up red block")[4]["error"].startswith(
        "'pick up red block' is no action here. You can: (pick-up"
    )
    error = env.step("(pick-up red-block)")[4]["error"]
    assert error == "You cannot (pick-up red-block) now: (not (clear red-block))."
    assert env.step("(unstack blue-block red-block)")[0].startswith("Done: (unstack blue-block red-block)\n")


def test_a_domain_of_ones_own():
    env = make()
    text, _ = env.reset(options={"task": {"domain": SWITCH, "problem": LAMPS}})
    assert "You can: (press <l>)\n(dark hall) (dark den)\n" in text
    assert env.admissible_actions() == ["(press den)", "(press hall)"]
    assert env.oracle_action() == "(press hall)"
    assert env.step("( PRESS den )")[0] == "Done: (press den)\n(lit den)\n(dark hall)"
    assert env.step("(press hall)")[4]["success"]


@pytest.mark.parametrize(
    ("domain", "problem", "wrong"),
    [
        (SWITCH, LAMPS.replace("(lit hall)))", "(lit hall))"), "each bracket closed"),
        (SWITCH, LAMPS + ")", "not opened"),
        (SWITCH, LAMPS.replace("(dark den)", "(dark attic)"), "nothing is called attic"),
        (SWITCH, LAMPS.replace("(dark den)", "(dim den)"), "fits no predicate"),
        (SWITCH, LAMPS.replace("(lit hall)", "(dark hall)"), "holds at the start"),
        (SWITCH, LAMPS.replace("(dark hall) ", ""), "no plan was found"),
        (SWITCH, LAMPS.replace("den - lamp", "den - door"), "no known type"),
        (SWITCH, LAMPS.replace("(:domain lamps)", "(:domain doors)"), "must be of"),
        (SWITCH, LAMPS.replace("(:goal (lit hall))", "(:goal (not (dark hall)))"), "must say what is true"),
        (SWITCH, LAMPS.replace("(:goal", "(:metric minimize (total-cost)) (:goal"), ":metric, which is not read"),
        (SWITCH.replace(":typing", ":adl"), LAMPS, "only :strips and :typing are read"),
        (SWITCH.replace("(dark ?l) :effect", "(not (dark ?l)) :effect"), LAMPS, "needs something to be false"),
        (SWITCH.replace("(?l - lamp) :pre", "(l - lamp) :pre"), LAMPS, "must begin with \\?"),
        (SWITCH.replace("lamp - thing", "lamp - thing thing - lamp"), LAMPS, "stands above itself"),
        (SWITCH.replace("(lit ?l - lamp)", "(lit ?l - door)"), LAMPS, "has no type 'door'"),
        ("(" * 50 + ")" * 50, LAMPS, "more than 20 brackets"),
        ("doors", LAMPS, "one expression in brackets"),
    ],
)  # fmt: skip
def test_what_is_no_pddl_is_refused(domain, problem, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"domain": domain, "problem": problem}})


@pytest.mark.parametrize("wrong", [{"size": 0}, {"size": 11}, {"evolve": 5}, {"evolve": True}, {"view": "prose"}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
    with pytest.raises(UnknownName, match="gripper"):
        make(domains=("griper",))
    with pytest.raises(ConfigError, match="each once"):
        make(domains=())


def test_tasks_come_in_many_wordings():
    env = make()
    told = set()
    for seed in range(120):
        _, info = env.reset(options={"task": seed})
        told.add((env.task.spec["domain"], env.task.spec["wording"]))
        assert not re.search(r"[{}]|\b(\w+) \1\b", info["instruction"])
        assert "<" not in env._view()
    assert len(told) == 16
