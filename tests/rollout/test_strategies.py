"""Branches are copies of what was before them, cost no steps of the world twice, and fill the group's budget."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

from agentgym.agents import Prompt
from agentgym.core import ConfigError, EngineFailure, Snapshot, SnapshotError, restore
from agentgym.rollout import (
    STRATEGIES,
    Attempts,
    Branching,
    Context,
    EntropyBranching,
    EnvPool,
    Episode,
    EpisodeSpec,
    Growing,
    GuidedAttempts,
    Independent,
    Parent,
    Role,
    Segment,
    SingleTurn,
    Strategy,
    Tree,
    Window,
    collect,
)
from agentgym.rollout.strategies import Point
from agentgym.rollout.wrapping import named_wrapper
from tests.rollout.players import Scripted, echo
from tests.rollout.worlds import ID, TURNS, WORDS

LAKE = {"size": 4, "slippery": True}


def guess(prompt: str, rng: np.random.Generator) -> str:
    return WORDS[int(rng.integers(4))]


def wander(prompt: str, rng: np.random.Generator) -> str:
    return ("left", "down", "right", "up")[int(rng.integers(4))]


def starts(groups: int, size: int, first: int = 0) -> list[EpisodeSpec]:
    return [
        EpisodeSpec(group, group, group, (4, group, member))
        for group in range(first, first + groups)
        for member in range(size)
    ]


def test_half_of_a_group_branches_from_the_other() -> None:
    done: list[int] = []
    episodes = collect(
        EnvPool(ID), Scripted(guess), starts(3, 4), strategy=Branching(turns=(1,)), on_episode=done.append, digests=True
    )
    assert sum(done) == len(episodes) == 12
    assert [episode.number for episode in episodes] == list(range(12))
    assert [episode.group for episode in episodes] == [0] * 4 + [1] * 4 + [2] * 4
    branches = [episode for episode in episodes if episode.parent]
    assert [episode.number for episode in branches] == [2, 3, 6, 7, 10, 11]
    for branch in branches:
        assert branch.parent is not None
        assert (branch.parent.turn, branch.parent.kind) == (1, "branch")
        parent = episodes[branch.parent.episode]
        assert branch.turns[:1] == parent.turns[:1]
        assert branch.turns[1].digest != ""
        assert branch.turns[1].observation == parent.turns[1].observation
        assert branch.turns[0].annotations is not parent.turns[0].annotations
        assert prefix(branch, 1) == prefix(parent, 1)
    assert {episode.stop for episode in episodes} == {"terminated"}


def prefix(episode: Episode, turn: int) -> tuple[list[int], list[int]]:
    """The tokens before what a turn said."""
    segment = episode.segments[0]
    end = next(span.start for span in segment.spans if span.turn == turn)
    return segment.token_ids[:end], segment.sampled_mask[:end]


@pytest.mark.parametrize("context", [Growing(), Window(1), SingleTurn()])
def test_a_branch_replays_identically(context: Context) -> None:
    """A world without dice, played again from the beginning with a branch's own actions, shows what the branch saw."""
    world = EnvPool("FrozenLake-v0", size=4, slippery=False)
    episodes = collect(
        world,
        Scripted(wander, 10**6, Prompt(context=context)),
        starts(4, 6),
        strategy=Branching(every=2),
        keys=True,
    )
    branches = [episode for episode in episodes if episode.parent]
    assert branches
    env = gym.make("AgentGym/FrozenLake-v0", size=4, slippery=False)
    for episode in branches:
        observation, _ = env.reset(seed=episode.seed, options={"task": episode.task_id})
        for turn in episode.turns:
            assert observation == turn.observation
            assert env.unwrapped.state_key() == turn.state_key  # type: ignore[attr-defined]
            observation, reward, *_ = env.step(turn.action)
            assert reward == turn.reward
        assert observation == episode.final


def test_a_branch_throws_its_own_dice() -> None:
    """On slippery ice, equal actions after a branching point lead to different places."""
    world = EnvPool("FrozenLake-v0", **LAKE)
    episodes = collect(
        world,
        Scripted(lambda prompt, rng: "down", 10**6),
        starts(8, 4),
        strategy=Branching(turns=(0,), share=0.25, width=4),
    )
    assert all((episode.parent is None) == (episode.number % 4 == 0) for episode in episodes)
    ways = [tuple(turn.observation for turn in episode.turns) for episode in episodes]
    assert sum(len(set(ways[group * 4 : group * 4 + 4])) > 1 for group in range(8)) >= 4


def test_branching_saves_steps_of_the_world() -> None:
    def steps(strategy: Strategy) -> int:
        world = EnvPool(ID)
        count = 0
        act = world._backend.act

        def counted(moves: list[tuple[int, str]], wants: object) -> object:
            nonlocal count
            count += len(moves)
            return act(moves, wants)  # type: ignore[arg-type]

        world._backend.act = counted  # type: ignore[method-assign, assignment]
        collect(world, Scripted(guess), starts(2, 4), strategy=strategy)
        return count

    assert steps(Independent()) == 2 * 4 * TURNS
    assert steps(Branching(turns=(2,))) == 2 * (2 * TURNS + 2 * (TURNS - 2))
    assert steps(Tree((1, 2))) == 2 * (1 + 2 + 4)


def test_a_tree_divides_at_its_depths() -> None:
    episodes = collect(EnvPool(ID), Scripted(guess), starts(1, 8), strategy=Tree((1, 2)))
    ways = [(episode.parent.episode, episode.parent.turn) if episode.parent else None for episode in episodes]
    assert ways == [None, None, (0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (3, 2)]
    for episode in episodes:
        if episode.parent:
            twin = episodes[episode.parent.episode]
            assert episode.turns[: episode.parent.turn] == twin.turns[: episode.parent.turn]


def test_starts_without_a_place_to_branch_begin_at_the_beginning() -> None:
    episodes = collect(EnvPool(ID), Scripted(guess), starts(2, 4), strategy=Branching(turns=(9,)))
    assert [episode.parent for episode in episodes] == [None] * 8
    alone = collect(EnvPool(ID), Scripted(guess), starts(2, 4))
    assert episodes == alone


def test_entropy_says_where_to_branch() -> None:
    player = Scripted(guess)
    player.entropy = lambda prompt: 2.0 if prompt.startswith("<pink") else 0.5
    words = [WORDS[(27 // 4**turn) % 4] for turn in range(TURNS)]
    assert words == ["pink", "blue", "green"]
    task = 4 * 3  # red, pink, red
    begins = [EpisodeSpec(task, 0, 0, (5, member)) for member in range(4)]
    episodes = collect(EnvPool(ID), player, begins, strategy=Branching(rise=1.0))
    assert [episode.parent.turn for episode in episodes if episode.parent] == [1, 1]
    flat = collect(EnvPool(ID), player, begins, strategy=Branching(rise=1.6))
    assert all(episode.parent is None for episode in flat)
    assert episodes[0].turns[1].entropy == 2.0
    with pytest.raises(ConfigError, match="entropies"):
        collect(EnvPool(ID), Scripted(guess), begins, strategy=Branching(rise=1.0))


class Sparing(Strategy):
    """Branches while at least half of the group's starts are left, and keeps what it was told."""

    def __init__(self) -> None:
        self.points: list[Point] = []

    def initial(self, budget: int) -> int:
        return 1

    def copies(self, point: Point) -> int:
        self.points.append(point)
        return 2 if 2 * point.spare >= point.budget else 0


def test_a_strategy_sees_what_is_left_of_its_groups_budget() -> None:
    player = Scripted(guess)
    player.entropy = lambda prompt: 0.5
    strategy = Sparing()
    episodes = collect(EnvPool(ID), player, starts(2, 8), strategy=strategy)
    first = [point for point in strategy.points if point.turn == 0]
    assert [(point.budget, point.spare, point.entropy) for point in first] == [(8, 7, 0.5)] * 2
    # 7 are left, then 5, then 3, which is less than half: nobody branches any more, and they begin at the beginning
    assert [sum(point.spare == left for point in strategy.points) for left in (7, 5, 3)] == [2, 2, 14]
    branches = [episode for episode in episodes if episode.parent]
    assert len(branches) == 2 * 4
    assert strategy.take_counts() == {"branches": 8}


def test_who_else_is_in_the_batch_changes_nothing() -> None:
    def segments(groups: list[EpisodeSpec], live: int) -> dict[tuple[str, int], list[Segment]]:
        episodes = collect(EnvPool(ID), Scripted(guess), groups, strategy=Branching(every=1), max_concurrent=live)
        order: dict[str, int] = {}
        found = {}
        for episode in episodes:
            place = order[episode.task_id] = order.get(episode.task_id, -1) + 1
            found[episode.task_id, place] = episode.segments
        return found

    together = segments(starts(5, 4), 128)
    assert segments(starts(5, 4), 4) == together
    alone = segments(starts(1, 4, first=3), 128)
    assert alone == {key: value for key, value in together.items() if key[0] == "3"}


def test_a_group_must_be_under_way_together_and_the_world_copyable() -> None:
    with pytest.raises(ConfigError, match="max_concurrent is 3"):
        collect(EnvPool(ID), Scripted(guess), starts(1, 4), strategy=Branching(every=1), max_concurrent=3)
    world = EnvPool(ID)
    kind = type(world.driver().env.unwrapped)
    card = kind.card  # type: ignore[attr-defined]
    try:
        kind.card = replace(card, snapshot="none")  # type: ignore[attr-defined]
        with pytest.raises(SnapshotError, match="cannot be copied"):
            collect(world, Scripted(guess), starts(1, 4), strategy=Branching(every=1))
    finally:
        kind.card = card  # type: ignore[attr-defined]


def test_a_branch_whose_engine_fails_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a world that replays does, when its engine breaks while the episode is played again."""
    calls: list[object] = []

    def fragile(env: gym.Env[str, str], saved: Snapshot) -> None:
        calls.append(saved)
        if len(calls) == 1:
            raise SnapshotError("the engine failed while the episode was replayed: gone") from EngineFailure("gone")
        restore(env, saved)

    monkeypatch.setattr("agentgym.core.driver.states.restore", fragile)
    done: list[int] = []
    episodes = collect(
        EnvPool(ID), Scripted(guess), starts(1, 4), strategy=Branching(turns=(1,)), on_episode=done.append
    )
    assert [episode.stop for episode in episodes] == ["terminated", "terminated", "failure", "terminated"]
    assert episodes[2].failure.endswith("gone")
    assert (len(episodes[2].turns), sum(done)) == (1, 4)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Branching(), "exactly one"),
        (lambda: Branching(every=1, turns=(1,)), "exactly one"),
        (lambda: Branching(every=0), "every"),
        (lambda: Branching(turns=(-1,)), "counted from 0"),
        (lambda: Branching(every=1, share=1.0), "share"),
        (lambda: Branching(every=1, width=1), "nothing branches"),
        (lambda: Tree(()), "ascending"),
        (lambda: Tree((2, 1)), "ascending"),
        (lambda: Tree((1,), width=1), "nothing divides"),
        (lambda: Tree((1,), width=3).initial(8), "multiple"),
    ],
)
def test_strategies_without_sense_are_refused(make: Callable[[], Strategy], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make()


def test_shares_round_up_and_everyone_has_a_name() -> None:
    assert [Branching(every=1).initial(size) for size in (1, 2, 3, 8)] == [1, 1, 2, 4]
    assert Independent().copies(Point(0, None, None)) == 0
    assert set(STRATEGIES.values()) == {Independent, Branching, EntropyBranching, Tree, Attempts, GuidedAttempts}


def test_who_fails_tries_again_and_is_told_how_it_went() -> None:
    player = Scripted(lambda prompt, rng: "red")
    begins = [EpisodeSpec(5, 5, 0, (1, member)) for member in range(3)]  # green green red: one right at first
    first, other, again = collect(EnvPool(ID), player, begins, strategy=Attempts(2))
    assert first.parent is None
    assert other.parent is None
    assert not first.success
    assert again.parent == Parent(first.number, len(first.turns), "trial")
    told = "Attempt 1 of 2 ended without success. You said: red; red; red. At the end: over\n"
    assert f"<{told}{first.turns[0].observation}>" in player.read
    assert again.turns[0].observation == first.turns[0].observation
    assert (again.task_id, again.seed, again.group) == (first.task_id, first.seed, first.group)
    segment = again.segments[0]
    assert "".join(map(chr, segment.token_ids)).startswith(f"<{told}green")
    assert sum(segment.sampled_mask) == sum(span.end - span.start for span in segment.spans)


def test_who_failed_is_helped_in_the_next_attempt_and_fewer_groups_are_dead() -> None:
    pool = EnvPool(ID, wrappers=(named_wrapper({"name": "Hints", "fraction": 0.0}),))

    def heeds(prompt: str, rng: np.random.Generator) -> str:
        return re.findall(r"Hint: (\w+)", prompt)[-1] if "Hint: " in prompt else "pink"

    def dead(strategy: Strategy, plain: bool = False) -> tuple[int, list[Episode]]:
        episodes = collect(pool, Role(Scripted(heeds), plain=plain), starts(6, 2), strategy=strategy)
        earned = [{each.total_return for each in episodes[at : at + 2]} for at in range(0, 12, 2)]
        return sum(len(each) == 1 for each in earned), episodes

    alone, _ = dead(Attempts(2))
    guided, episodes = dead(GuidedAttempts(2, fraction=1.0))
    assert (alone, guided) == (6, 0)
    for first, again in zip(episodes[::2], episodes[1::2], strict=True):
        assert not any("Hint" in turn.observation for turn in first.turns)
        assert all("Hint" in turn.observation for turn in again.turns)
        assert again.success
        assert again.parent == Parent(first.number, len(first.turns), "trial")
    for each in dead(GuidedAttempts(2, fraction=1.0), plain=True)[1]:
        assert "Hint" not in "".join(map(chr, each.segments[0].token_ids))
        assert all(turn.off_policy == ("Hint" in turn.observation) for turn in each.turns)


def test_who_succeeds_does_not_try_again_and_the_group_is_filled_from_the_beginning() -> None:
    episodes = collect(EnvPool(ID), Scripted(echo), starts(2, 4), strategy=Attempts(4))
    assert len(episodes) == 8
    assert all(episode.success and episode.parent is None for episode in episodes)


def test_later_attempts_are_told_of_all_before_and_one_that_does_not_fit_ends() -> None:
    player = Scripted(guess)
    chain = collect(EnvPool(ID), player, starts(1, 3), strategy=Attempts(3))
    assert [episode.parent and episode.parent.episode for episode in chain] == [None, 0, 1]
    assert any(text.count("Attempt 1 of 3") == text.count("Attempt 2 of 3") == 1 for text in player.read)
    short = collect(EnvPool(ID), Scripted(guess, context_limit=100), starts(1, 2), strategy=Attempts(2))
    assert [episode.stop for episode in short] == ["terminated", "context"]
    assert short[1].segments == []


def test_a_window_still_shows_what_earlier_attempts_did() -> None:
    player = Scripted(guess, prompt=Prompt(context=Window(1)))
    collect(EnvPool(ID), player, starts(1, 2), strategy=Attempts(2))
    late = [text for text in player.read if "left out here" in text and "Attempt 1 of 2" in text]
    assert late


def test_proposals_are_branches_that_are_cut_off() -> None:
    episodes = collect(
        EnvPool(ID), Scripted(guess), starts(2, 4), strategy=Branching(turns=(0,), width=4, share=0.25, reach=1)
    )
    for group in range(2):
        whole, *proposals = episodes[4 * group : 4 * group + 4]
        assert whole.parent is None
        assert len(whole.turns) == TURNS
        for proposal in proposals:
            assert proposal.parent == Parent(whole.number, 0, "proposal")
            assert (len(proposal.turns), proposal.stop, proposal.turns[-1].stop) == (1, "truncated", "truncated")
    later = collect(EnvPool(ID), Scripted(guess), starts(1, 2), strategy=Branching(turns=(1,), reach=1))
    assert [len(episode.turns) for episode in later] == [3, 2]
    assert later[1].turns[0] == later[0].turns[0]


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Attempts(1), "at least 2"),
        (lambda: Attempts(4).initial(3), "no room for 4 attempts"),
        (lambda: GuidedAttempts(2, fraction=0.0), "use attempts for 0"),
        (lambda: Branching(every=1, reach=0), "reach must be at least 1"),
    ],
)
def test_attempts_and_proposals_without_effect_are_refused(make: Callable[[], object], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make()


# By the entropy of the first tokens

SURE, UNSURE = (0.1, 0.1, 9.0), (2.0, 2.0, 0.0)


def test_the_rule_of_arpo_by_hand() -> None:
    """clip(u - 0.2 (H - H_0), 0, 1) <= 0.5, of the first two tokens, in shares of ln 10 and at most 1."""
    rule = EntropyBranching(tokens=2)
    rise = 0.2 * (2.0 - 0.1) / np.log(10)

    def copies(draw: float, said: tuple[float, ...], first: tuple[float, ...], turn: int = 1) -> int:
        return rule.copies(Point(turn, 0.0, 0.0, said, first, draw))

    assert [copies(draw, SURE, SURE) for draw in (0.0, 0.5, 0.51)] == [1, 1, 0]
    assert [copies(0.5 + rise + more, UNSURE, SURE) for more in (-1e-9, 1e-9)] == [1, 0]
    assert [copies(0.5 - rise + more, SURE, UNSURE) for more in (-1e-9, 1e-9)] == [1, 0]
    assert [copies(0.6, many, (0.0,)) for many in ((5.0, 5.0), (2.3, 2.3))] == [1, 1]
    assert [copies(0.71, many, (0.0,)) for many in ((5.0, 5.0), (2.3, 2.3))] == [0, 0]
    assert copies(0.0, UNSURE, SURE, turn=0) == 0
    assert EntropyBranching(width=4).copies(Point(1, 0.0, 0.0, SURE, SURE, 0.0)) == 3
    assert EntropyBranching().initial(16) == 8
    with pytest.raises(ConfigError, match="entropies"):
        rule.copies(Point(1, None, None))


def test_more_branches_leave_where_the_first_tokens_are_unsure() -> None:
    """The same draws, and a rise of the entropy after the first turn, a fall, or neither."""

    def branches(rise: float, weight: float = 0.2) -> int:
        player = Scripted(guess)
        player.entropy = lambda prompt: 1.2 if "Actions" in prompt else 1.2 + rise
        rule = EntropyBranching(threshold=0.2, weight=weight)
        episodes = collect(EnvPool(ID), player, starts(24, 4), strategy=rule)
        assert episodes == collect(EnvPool(ID), player, starts(24, 4), strategy=rule)
        assert len(episodes) == 96
        assert all(each.parent.turn > 0 for each in episodes if each.parent is not None)
        return sum(each.parent is not None for each in episodes)

    assert 0 < branches(-1.2) < branches(0.0) < branches(1.2) <= 48
    assert branches(1.2, weight=0.0) == branches(0.0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tokens": 0}, "tokens must be"),
        ({"weight": -0.1}, "weight must be"),
        ({"threshold": 1.1}, "threshold from 0 to 1"),
        ({"share": 1.0}, "share must lie"),
        ({"width": 1}, "width must be"),
    ],
)
def test_impossible_rules_of_entropy_are_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        EntropyBranching(**wrong)  # type: ignore[arg-type]
