"""Several policies share the work of a turn; each has its own episode, its own context, and only some learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from agentgym.agents import EndpointPolicy, Prompt
from agentgym.core import ConfigError, EndpointError, Message, ScriptedModel, TaskError
from agentgym.rollout import (
    Branching,
    EnvPool,
    EpisodeSpec,
    Parent,
    Role,
    SingleTurn,
    Window,
    collect,
)
from tests.rollout.players import Scripted, echo
from tests.rollout.worlds import ID, TURNS, WORDS


def advise(prompt: str, rng: np.random.Generator) -> str:
    """What a planner tells: the word that is shown, which stands last where the task is repeated before it."""
    words = prompt.strip("<>\x00").removeprefix("plan\n").split()
    return f"say {words[-1] if words[0] == 'Say' else words[0]}"


def obey(prompt: str, rng: np.random.Generator) -> str:
    """What an actor does: the last word that the planner said."""
    return prompt.strip("<>\x00").rpartition("planner: say ")[2]


def starts(count: int) -> list[EpisodeSpec]:
    return [EpisodeSpec(place, place, place, (1, place)) for place in range(count)]


def test_the_last_role_acts_on_what_it_hears() -> None:
    planner, actor = Scripted(advise), Scripted(obey)
    planner.max_new_tokens = 12
    cast = {"planner": Role(planner, prompt=Prompt(context=SingleTurn()), instruction="plan"), "actor": Role(actor)}
    episodes = collect(EnvPool(ID), cast, starts(3))
    acting, planning = episodes[:3], episodes[3:]
    assert all(episode.success for episode in episodes)
    assert [episode.role for episode in episodes] == ["actor"] * 3 + ["planner"] * 3
    assert [episode.number for episode in episodes] == list(range(6))
    assert [episode.parent for episode in planning] == [Parent(number, 0, "child") for number in range(3)]
    assert all(episode.parent is None for episode in acting)
    for actor_episode, planner_episode in zip(acting, planning, strict=True):
        assert actor_episode.group == planner_episode.group
        assert actor_episode.total_return == planner_episode.total_return == pytest.approx(1.0)
        assert (len(actor_episode.segments), len(planner_episode.segments)) == (1, TURNS)
        for turn, plan in zip(actor_episode.turns, planner_episode.turns, strict=True):
            assert plan.action == f"say {turn.action}"
            assert turn.observation == f"{plan.observation}\nplanner: {plan.action}"
            assert (turn.policy, plan.policy) == ("actor", "planner")
    assert all(read.startswith("<plan\n") for read in planner.read)
    assert not any("plan\n" in read for read in actor.read)


def test_roles_draw_from_generators_of_their_own() -> None:
    def first(prompt: str, rng: np.random.Generator) -> str:
        return WORDS[int(rng.integers(4))]

    (alone,) = collect(EnvPool(ID), Scripted(first), starts(1))
    acting, child = collect(EnvPool(ID), {"a": Role(Scripted(first)), "b": Role(Scripted(first))}, starts(1))
    assert [turn.action for turn in acting.turns] == [turn.action for turn in alone.turns]
    assert [turn.action for turn in child.turns] != [turn.action for turn in acting.turns]


def test_frozen_roles_leave_nothing_to_learn_from() -> None:
    planner = Scripted(advise)
    planner.max_new_tokens = 12
    cast = {"planner": Role(planner, trainable=False), "actor": Role(Scripted(obey))}
    acting, planning = collect(EnvPool(ID), cast, starts(1))
    assert (len(acting.segments), planning.segments) == (1, [])
    assert len(planning.turns) == TURNS


def test_all_roles_branch_together() -> None:
    planner = Scripted(lambda prompt, rng: f"say {WORDS[int(rng.integers(4))]}")
    planner.max_new_tokens = 12
    cast = {"planner": Role(planner), "actor": Role(Scripted(obey, context_limit=10**5))}
    begins = [EpisodeSpec(3, 1, 0, (1, member)) for member in range(4)]
    episodes = collect(EnvPool(ID), cast, begins, strategy=Branching(turns=(1,)))
    acting, planning = episodes[:4], episodes[4:]
    for number in (2, 3):
        parent = acting[number].parent
        assert parent == Parent(number - 2, 1, "branch")
        assert planning[number].parent == Parent(number, 0, "child")
        for role in (acting, planning):
            assert role[number].turns[0] == role[parent.episode].turns[0]
    for episode in episodes:
        (segment,) = episode.segments
        assert [span.turn for span in segment.spans] == list(range(TURNS))
    assert len({planning[number].turns[1].action for number in range(4)}) > 1


def test_a_role_whose_context_is_full_ends_the_episode_for_all() -> None:
    planner = Scripted(advise, context_limit=60)
    planner.max_new_tokens = 12
    episodes = collect(EnvPool(ID), {"planner": Role(planner), "actor": Role(Scripted(obey))}, starts(1))
    assert {episode.stop for episode in episodes} == {"context"}
    assert len({len(episode.turns) for episode in episodes}) == 1


def test_an_endpoint_reads_messages_and_leaves_no_tokens() -> None:
    heard: list[list[Message]] = []

    def answer(messages: Sequence[Message], seed: int) -> str:
        heard.append(list(messages))
        return f"I see it.\nAction: {messages[-1]['content'].split()[0]}"

    world = EnvPool(ID)
    episodes = collect(world, EndpointPolicy(ScriptedModel(answer)), starts(4))
    assert all(episode.success for episode in episodes)
    assert all(episode.segments == [] and len(episode.turns) == TURNS for episode in episodes)
    assert {turn.version for episode in episodes for turn in episode.turns} == {None}
    assert heard[0][0]["role"] == "system"
    assert world.manual in heard[0][0]["content"]
    longest = max(heard, key=len)
    assert [message["role"] for message in longest] == ["system", *["user", "assistant"] * (TURNS - 1), "user"]
    windowed = Prompt(manual=True, answer="last_line", context=Window(1))
    collect(world, EndpointPolicy(ScriptedModel(answer), prompt=windowed), starts(1))
    assert [message["role"] for message in heard[-1]] == ["system", "user", "assistant", "user"]


def test_equal_seeds_ask_equal_questions_whoever_is_in_the_batch() -> None:
    def answer(messages: Sequence[Message], seed: int) -> str:
        return WORDS[seed % 4]

    def said(live: int) -> list[list[str]]:
        episodes = collect(EnvPool(ID), EndpointPolicy(ScriptedModel(answer)), starts(6), max_concurrent=live)
        return [[turn.action for turn in episode.turns] for episode in episodes]

    assert said(6) == said(2)


def test_an_endpoint_that_advises_passes_its_whole_answer_on() -> None:
    def answer(messages: Sequence[Message], seed: int) -> str:
        return f"well\nsay {messages[-1]['content'].split()[0]}"

    advisor = EndpointPolicy(ScriptedModel(answer), prompt=Prompt(manual=True))
    actor = Scripted(lambda prompt, rng: prompt.strip("<>\0").split()[-1])
    cast = {"planner": Role(advisor, trainable=False), "actor": Role(actor)}
    acting, planning = collect(EnvPool(ID), cast, starts(1))
    assert acting.success
    assert planning.turns[0].action.startswith("well\nsay ")


def test_an_endpoint_that_does_not_answer_is_one_clear_error() -> None:
    def answer(messages: Sequence[Message], seed: int) -> str:
        raise EndpointError("the server is gone")

    with pytest.raises(EndpointError, match="the server is gone"):
        collect(EnvPool(ID), EndpointPolicy(ScriptedModel(answer)), starts(2))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Role(EndpointPolicy(ScriptedModel(lambda m, s: ""))), "cannot be trained"),
        (lambda: collect(EnvPool(ID), {}, starts(1)), "no role"),
        (lambda: collect(EnvPool(ID), {"a": Scripted(echo)}, starts(1)), "write Role"),
        (lambda: EndpointPolicy(ScriptedModel(lambda m, s: ""), parallel=0), "at least 1"),
        (lambda: collect(EnvPool(ID), Scripted(echo), starts(1), max_concurrent=0), "max_concurrent"),
    ],
)
def test_casts_without_sense_are_refused(make: Callable[[], Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make()


def test_a_key_function_makes_the_groups() -> None:
    begins = [EpisodeSpec(place // 2, 7, place, (1, place)) for place in range(4)]
    episodes = collect(EnvPool(ID), Scripted(echo), begins, group_by=lambda start: (start.task, start.seed))
    assert [episode.group for episode in episodes] == [0, 0, 1, 1]
    with pytest.raises(TaskError, match="group 0"):
        collect(EnvPool(ID), Scripted(echo), begins, group_by=lambda start: start.seed)


def calling(prompt: str, rng: np.random.Generator) -> str:
    """An actor that does what was planned for this word, and has another plan made where none was."""
    shown = prompt.strip("<>\x00").split("\n")
    word = next(line for line in shown if line in WORDS)
    plan = next(line for line in shown if line.startswith("planner: "))
    return word if word in plan else "again please"


def spoken(episode: Any) -> list[tuple[str, str]]:
    return [(turn.action, turn.caller) for turn in episode.turns]


def planner_of(*plans: str, **settings: Any) -> Role:
    said = iter(plans)
    policy = Scripted(lambda prompt, rng: next(said))
    policy.max_new_tokens = 40
    return Role(policy, prompt=Prompt(context=SingleTurn()), instruction="plan", **settings)


def actor_of(answer: Callable[[str, np.random.Generator], str]) -> Role:
    policy = Scripted(answer, prompt=Prompt(context=SingleTurn()))
    policy.max_new_tokens = 20
    return Role(policy)


PLACE = 36  # red, green, blue


def test_what_a_role_said_stands_until_it_speaks_again_and_is_paid_for_all_that_came_of_it() -> None:
    cast = {"planner": planner_of("red green", "blue", every=2), "actor": actor_of(calling)}
    acting, planning = collect(EnvPool(ID), cast, [EpisodeSpec(PLACE, 0, 0, (1,))])
    assert acting.success
    assert spoken(planning) == [("red green", ""), ("blue", "")]
    assert [turn.observation.partition("\n")[0] for turn in planning.turns] == ["red", "blue"]
    shown = [turn.observation.split("\n") for turn in acting.turns]
    assert [(lines[0], lines[-1]) for lines in shown] == [
        ("red", "planner: red green"), ("green", "planner: red green"), ("blue", "planner: blue"),
    ]  # fmt: skip
    assert [turn.reward for turn in planning.turns] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    assert planning.total_return == pytest.approx(acting.total_return)
    assert [turn.stop for turn in planning.turns] == ["", "terminated"]
    once = {"planner": planner_of("red green blue", every=0), "actor": actor_of(calling)}
    acting, planning = collect(EnvPool(ID), once, [EpisodeSpec(PLACE, 0, 0, (1,))])
    assert acting.success
    assert [(turn.action, turn.stop) for turn in planning.turns] == [("red green blue", "terminated")]
    assert planning.total_return == pytest.approx(1.0)


def test_a_later_role_calls_an_earlier_one_within_the_turn() -> None:
    cast = {"planner": planner_of("red", "green blue", every=0, call="again"), "actor": actor_of(calling)}
    acting, planning = collect(EnvPool(ID), cast, [EpisodeSpec(PLACE, 0, 0, (1,))], horizon=9)
    assert acting.success, "the call is no move of the world"
    assert spoken(planning) == [("red", ""), ("green blue", "actor")]
    assert planning.turns[1].observation == "green\nactor: again please"
    assert spoken(acting) == [("red", ""), ("again please", ""), ("green", ""), ("blue", "")]
    assert [turn.reward for turn in acting.turns] == [
        pytest.approx(1 / 3),
        0.0,
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
    ]
    assert acting.turns[2].observation == "green\nplanner: green blue"
    assert cast["actor"].policy.read[0].startswith("<To have planner speak again, say: again\n")  # type: ignore[attr-defined]
    assert [len(segment) for segment in acting.segments], "what was called is learned from as well"
    assert len(acting.segments) == len(acting.turns)


def test_a_call_that_leaves_no_turn_or_is_repeated_is_heard_as_what_it_is() -> None:
    role = planner_of("blue", "pink", every=0, call="again")
    acting, planning = collect(
        EnvPool(ID), {"planner": role, "actor": actor_of(calling)}, [EpisodeSpec(PLACE, 0, 0, (1,))]
    )
    assert spoken(planning) == [("blue", ""), ("pink", "actor")], "a role is not called where it has just spoken"
    assert [turn.valid for turn in acting.turns] == [False, True, False]  # the second is a call, and no move
    role = planner_of("red", every=0, call="again")
    cast = {"planner": role, "actor": actor_of(calling)}
    acting, planning = collect(EnvPool(ID), cast, [EpisodeSpec(PLACE, 0, 0, (1,))], horizon=2)
    assert (len(planning.turns), acting.stop) == (1, "truncated")
    assert [(turn.action, turn.valid) for turn in acting.turns] == [("red", True), ("again please", False)]


def test_episodes_with_calls_of_their_own_share_a_batch() -> None:
    def plan(prompt: str, rng: np.random.Generator) -> str:
        shown = prompt.strip("<>\x00").split("\n")
        return next(line for line in shown if line in WORDS)

    def policy() -> Scripted:
        made = Scripted(plan)
        made.max_new_tokens = 40
        return made

    def cast() -> dict[str, Role]:
        return {
            "planner": Role(policy(), prompt=Prompt(context=SingleTurn()), every=0, call="again"),
            "actor": actor_of(calling),
        }

    together = collect(EnvPool(ID), cast(), starts(8), horizon=9)
    assert all(episode.success for episode in together)
    for number in range(8):
        alone = collect(EnvPool(ID), cast(), starts(8)[number : number + 1], horizon=9)
        assert [spoken(episode) for episode in alone] == [spoken(together[number]), spoken(together[8 + number])]
        words = together[number].turns[0].observation.split("\n")[0]
        assert together[8 + number].turns[0].action == words


def test_when_a_role_speaks_is_refused_where_it_has_no_effect() -> None:
    pool = EnvPool(ID)
    with pytest.raises(ConfigError, match="every of a role must be at least 0 turns, got -1"):
        Role(Scripted(echo), every=-1)
    with pytest.raises(ConfigError, match="without space around them, got ' again'"):
        Role(Scripted(echo), call=" again")
    for cast in ({"a": Role(Scripted(echo)), "b": Role(Scripted(echo), call="again")}, Role(Scripted(echo), every=2)):
        with pytest.raises(ConfigError, match=r"every and call have no effect on '.*', which acts in each turn"):
            collect(pool, cast, starts(1))
    cast = {"a": Role(Scripted(echo), every=2), "b": Role(Scripted(echo))}
    begins = [EpisodeSpec(3, 1, 0, (1, member)) for member in range(4)]
    with pytest.raises(ConfigError, match="Branching copies turns in which all speak; leave out every and call"):
        collect(pool, cast, begins, strategy=Branching(turns=(1,)))
