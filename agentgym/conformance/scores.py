"""Checks of scores: oracle, expert, random and do-nothing agents against the card, and agents that exploit.

Where the card names a rival, an agent plays from each place in turn against that scripted opponent. Otherwise it plays
all players: success and return are those of the first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentgym.conformance.env_under_test import EnvUnderTest, open_env
from agentgym.conformance.errors import NotApplicable, Violation
from agentgym.conformance.play import Play, episode
from agentgym.conformance.players import LEVEL, SHORTCUT
from agentgym.core import Driver, Score
from agentgym.core.scores import FILE

FIRST_SEED = 1_000_000  # far from the generator seeds of tasks, in case a world makes them from the bare seed
AGENTS = ("random", "nothing", "expert", "oracle")
EXPLOITS = ("repeat", "oscillate", "spam")
DOUBT = 1e-4  # chance that a true card fails an interval
EXACT = 0.005  # what rounding allows where a whole panel was played, as for the card
LARGE, SPREAD = 1_000, 64  # of more tasks than that whose steps another program answers, so many are played
EPSILON = 0.05  # by how much an exploit may beat random actions, and doing nothing may beat 0


@dataclass(frozen=True, slots=True)
class Measured:
    """Episodes of one agent on one split.

    Attributes:
        wins: Whether each was a success.
        returns: Sum of rewards of each.
        whole: Whether they are all tasks of a finite split.
        failed: Indices of tasks without success.
    """

    wins: list[bool]
    returns: list[float]
    whole: bool
    failed: list[int]

    @property
    def score(self) -> Score:
        """Mean results, rounded to four digits."""
        count = len(self.wins)
        return Score(round(sum(self.wins) / count, 4), round(math.fsum(self.returns) / count, 4))


def measure(env: EnvUnderTest, split: str, agent: str, wanted: int | None, limit: int | None = None) -> Measured:
    """Play one agent on tasks spread evenly over a split, each with a seed of its place.

    Equal places give equal episodes, so a sample is part of the whole panel's measurement.

    Args:
        env: The environment under test.
        split: A split of its card.
        agent: Who plays, as in `Play`.
        wanted: How many tasks; None for all, or 64 of more than a thousand whose steps another program answers.
        limit: Steps after which an episode is given up.
    """
    size = env.card.splits[split]
    if wanted is None and env.card.program and (size or 0) > LARGE:
        wanted = SPREAD
    places = env.places(split, wanted)
    driver = env.drive(split=split)
    wins, returns, failed = [], [], []
    for place in places:
        player = driver.players[0]
        held: dict[str, str] = {}
        if env.card.rival:
            player = driver.players[place % len(driver.players)]
            held = {each: agent if each == player else f"{LEVEL}{env.card.rival}" for each in driver.players}
        earned, won = play_out(driver, Play(agent, FIRST_SEED + place, task=place, limit=limit), held)
        wins.append(won[player])
        returns.append(earned[player])
        if not won[player]:
            failed.append(place)
    driver.close()
    return Measured(wins, returns, size is not None and len(places) == size, failed)


def play_out(driver: Driver, play: Play, held: Mapping[str, str]) -> tuple[dict[str, float], dict[str, bool]]:
    """Returns and successes of all players over a whole episode.

    Args:
        driver: The environment.
        play: Who plays.
        held: Agents of single players in place of the play's.

    Raises:
        Violation: if the engine fails.
    """
    earned = dict.fromkeys(driver.players, 0.0)
    won = dict.fromkeys(driver.players, False)
    for step in episode(driver, play, held):
        for player, result in step.results.items():
            earned[player] += float(result.reward)
            won[player] = result.info["success"]
            if result.info["failure"]:
                raise Violation(f"task {play.task}: the engine failed: {result.info['failure']}.", "mend the engine.")
    return earned, won


def measure_scores(
    env_id: str, split: str, episodes: int | None = None, agents: Sequence[str] = ()
) -> dict[str, Score]:
    """What stands in a card: success rate and mean return of random, do-nothing, expert, oracle and the shortcuts.

    Args:
        env_id: An id, with its module prefix if it is a third party's.
        split: A split of its card.
        episodes: Tasks spread evenly over the split; None for all (of an endless one, a fixed 200).
        agents: Further ones, such as an exploit that the world means to pay.
    """
    with open_env(env_id, full=True) as env:
        own = [name for name in AGENTS if name in ("random", "nothing") or env.has(f"_{name}")]
        own += [f"{SHORTCUT}{name}" for name in env.card.shortcuts]
        return {agent: measure(env, split, agent, episodes).score for agent in dict.fromkeys((*own, *agents))}


def oracle(env: EnvUnderTest) -> str:
    """O1: the oracle solves every task it plays where the card says 1.0, and its stated share elsewhere; so too in the
    splits that the card calls `published`.

    Among several players even an oracle may lose: there it succeeds as often as the card says.
    """
    card = env.card
    if not env.has("_oracle"):
        if card.oracle_success == 0.0 and env.alone:
            raise NotApplicable("the world has no oracle, and its card claims none")
        raise Violation(
            f"the card claims oracle_success {card.oracle_success} without an oracle.", "implement _oracle."
        )
    if not env.alone:
        return _stated(env, "oracle", env.size.tasks)
    told = []
    for split in card.splits:
        found = measure(env, split, "oracle", env.size.tasks)
        stated = card.published.get(split, card.oracle_success)
        if stated == 1.0 and found.failed:
            raise Violation(
                f"the oracle fails {len(found.failed)} of {len(found.wins)} of {split!r}, first {found.failed[0]}.",
                "drop unsolvable tasks from the generator, or mend the oracle.",
            )
        low, high = wilson(sum(found.wins), len(found.wins))
        if ((stated != 1.0 and split == "test") or split in card.published) and not low <= stated <= high:
            raise Violation(
                f"the oracle succeeds in {sum(found.wins)} of {len(found.wins)} tasks of {split!r}, "
                f"so in {low:.3f} to {high:.3f}; the card says {stated}.",
                f"measure it on {split!r}.",
            )
        _agrees(env, split, "oracle", found)
        told.append(f"{split} {sum(found.wins)}/{len(found.wins)}")
    return ", ".join(told)


def expert(env: EnvUnderTest) -> str:
    """O2: the expert reaches what the card says."""
    if not env.has("_expert"):
        raise NotApplicable("the world has no expert")
    return _stated(env, "expert", env.size.tasks)


def random_agent(env: EnvUnderTest) -> str:
    """O2: random actions score what the card says."""
    return _stated(env, "random", env.size.episodes)


def nothing(env: EnvUnderTest) -> str:
    """O2: an agent that says the empty string every turn scores what the card says; alone it never succeeds."""
    for split in env.card.splits if env.alone else ():
        found = measure(env, split, "nothing", min(4, env.size.episodes))
        if any(found.wins) or found.score.score > EPSILON:
            raise Violation(
                f"doing nothing on {split!r} succeeds in {sum(found.wins)} of {len(found.wins)} tasks "
                f"and returns {found.score.score}.",
                "begin no task solved, and pay nothing for a refused action.",
            )
    return _stated(env, "nothing", env.size.episodes)


def exploits(env: EnvUnderTest) -> str:
    """O6: repeating one action, swinging between two, and rattling off the examples do not beat random actions."""
    card = env.card
    split = next((split for split in ("test", "val") if split in card.splits), next(iter(card.splits)))
    known = card.scores.get(split, {})
    baseline = known["random"].success if "random" in known else measure(env, split, "random", 50).score.success
    told = []
    for agent in EXPLOITS:
        found = measure(env, split, agent, env.size.episodes)
        allowed = known[agent].success if agent in known else baseline + EPSILON
        if wilson(sum(found.wins), len(found.wins))[0] > allowed:
            raise Violation(
                f"the agent {agent!r} succeeds in {sum(found.wins)} of {len(found.wins)} tasks of {split!r}; "
                f"random actions in {baseline:.3f}.",
                f"mend the reward, or state the score of {agent!r} in {FILE} if the world is meant so.",
            )
        told.append(f"{agent} {sum(found.wins)}/{len(found.wins)}")
    return f"{split}: {', '.join(told)}; random {baseline:.3f}"


def shortcuts(env: EnvUnderTest) -> str:
    """O6: the players that do not do the task score what the card says, and on `test` no more than its bound."""
    card = env.card
    if not card.shortcuts:
        raise NotApplicable("the card names no shortcuts")
    told = []
    for name in card.shortcuts:
        told.append(f"{name}: {_stated(env, f'{SHORTCUT}{name}', env.size.tasks)}")
        known = card.scores.get("test", {}).get(f"{SHORTCUT}{name}")
        if known is not None and card.shortcut_bound is not None and known.success > card.shortcut_bound:
            raise Violation(
                f"the shortcut {name!r} wins {known.success:.3f} of 'test'; the card allows {card.shortcut_bound}.",
                "mend the tasks so that they take the work they are meant to take.",
            )
    return "; ".join(told)


def _stated(env: EnvUnderTest, agent: str, wanted: int | None) -> str:
    """Measure an agent on every split with stated scores and compare."""
    card = env.card
    if card.requires:
        raise NotApplicable("the card's figures are of the original data; here the fixture's data are played")
    needed = [split for split in ("val", "test") if split in card.splits and env.ours]
    lacking = [split for split in needed if agent not in card.scores.get(split, {})]
    if lacking:
        raise Violation(
            f"the card states no score of the agent {agent!r} on {lacking[0]!r}.",
            f"run  agentgym golden --update {env.name}.",
        )
    told = []
    for split, stated in card.scores.items():
        if agent in stated:
            found = measure(env, split, agent, wanted)
            _agrees(env, split, agent, found)
            told.append(
                f"{split} {found.score.success:.3f}, return {found.score.score:.3f} ({len(found.wins)} episodes)"
            )
    if not told:
        raise NotApplicable(f"the card states no score of the agent {agent!r}")
    return "; ".join(told)


def _agrees(env: EnvUnderTest, split: str, agent: str, found: Measured) -> None:
    """Compare a measurement with the card: exactly on a whole panel, within an interval on a sample."""
    stated = env.card.scores.get(split, {}).get(agent)
    if stated is None or env.card.requires:  # stated figures are of the original data, not of a fixture
        return
    count = len(found.wins)
    if found.whole:
        agrees = max(abs(stated.success - found.score.success), abs(stated.score - found.score.score)) <= EXACT
        margin = f"{EXACT} (the whole panel was played)"
    else:
        from scipy.stats import binomtest  # half a second, so only where it is asked for

        wins, mean = sum(found.wins), stated.score
        low, high = wilson(wins, count)
        likely = low <= stated.success <= high or binomtest(wins, count, stated.success).pvalue >= DOUBT
        shown = [
            *found.returns,
            *(2 * mean - value for value in found.returns),
        ]  # returns lie on both sides of their mean
        radius = max(1.0, max(shown) - min(shown)) * math.sqrt(math.log(2 / DOUBT) / (2 * count))
        agrees = likely and abs(mean - found.score.score) <= radius
        size = env.card.splits[split]
        if size is not None:  # the card holds the whole panel, of which these episodes are a part
            slack = 0.5 + EXACT * size
            agrees = (
                agrees and wins <= stated.success * size + slack and count - wins <= (1 - stated.success) * size + slack
            )
        margin = f"{low:.3f} to {high:.3f} and {radius:.3f} of the return ({count} episodes)"
    if not agrees:
        raise Violation(
            f"the agent {agent!r} on {split!r} reaches {tuple(found.score)}, the card says {tuple(stated)}; "
            f"allowed: {margin}.",
            f"mend the world, or run  agentgym golden --update {env.name}.",
        )


def wilson(wins: int, count: int) -> tuple[float, float]:
    """Wilson's score interval of a success rate (Wilson 1927), with a doubt of 1e-4.

    Args:
        wins: Successes.
        count: Trials, at least 1.
    """
    from scipy import stats  # half a second, so only where an interval is asked for

    low, high = stats.binomtest(wins, count).proportion_ci(confidence_level=1 - DOUBT, method="wilson")
    return float(low), float(high)
