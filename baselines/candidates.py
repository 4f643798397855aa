"""Werewolf with candidates: actions are proposed, and a policy learned by self-play chooses among them.

    python -m agentgym.baselines.candidates --games 3000 --seed 0 --out FOLDER
    agentgym tournament AgentGym/Werewolf-v1 --deals 50 \\
        --agents agentgym.baselines.candidates:chosen,agentgym.baselines.candidates:unchosen,simple
    agentgym tournament AgentGym/Werewolf-v1 --deals 5 --model smollm2 \\
        --agents agentgym.baselines.candidates:chosen,agentgym.baselines.candidates:unchosen

Who proposes is a language model (`--model`) or, without one, the world's random player. What is learned reads each
candidate in words: its verb under the role that it is for, and what stood around the player it names in all that its
player has seen. It scores them linearly, and policy gradients with a mean for each side as baseline (REINFORCE) train
it. The learner is one whole side of a game, village or wolves; the other is drawn from a pool of scripted players,
candidates that nobody chooses among, and earlier selves. A single environment is `CandidateSelect` of
`agentgym.wrappers`, which Stable-Baselines3 takes.

Source: Xu et al. 2023 (arXiv:2310.18940), who train a policy over candidates of a language model in a population.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import agentgym
from agentgym.agents import ActionPolicy, View
from agentgym.core.rng import stream
from agentgym.wrappers.numeric.candidates import distinct, question

GAME = "AgentGym/Werewolf-v1"
CANDIDATES, DIM, AROUND, RATE, MIXED, PAST_EVERY, PAST = 5, 4096, 4, 0.05, 0.01, 100, 4
WEIGHTS = "werewolf.json"
NAME, WORD = re.compile(r"player_\d"), re.compile(r"[a-z_0-9]+")
ROLE = re.compile(r"You are player_\d, (\w+)")
Vector = NDArray[np.float64]
Features = NDArray[np.int64]


def features(candidate: str, seen: Sequence[str]) -> Features:
    """What the policy sees of a candidate: places in a vector of `DIM` zeros that are ones.

    Args:
        candidate: An action.
        seen: All that its player has seen, the newest last.
    """
    found = ROLE.findall(seen[-1])
    role = found[-1] if found else ""
    named = NAME.findall(candidate)
    verb = " ".join(WORD.findall(NAME.sub("_", candidate.lower())))[:60]
    keys = [f"{role}|{verb}"]
    for name in named[:1]:
        around: Counter[str] = Counter()
        for text in seen:
            around.update(_around(text, name))
        keys += [f"{role}|{verb}|{word}|{min(count, 3)}" for word, count in around.items()]
    return np.unique([zlib.crc32(key.encode()) % DIM for key in keys])


@lru_cache(8_192)
def _around(text: str, name: str) -> tuple[str, ...]:
    """Words near each mention of a player, with the side on which they stand; other players are one word."""
    found = []
    for line in text.split("\n"):
        if name not in line:
            continue
        words = WORD.findall(line.lower())
        for place, word in enumerate(words):
            if word == name:
                before, after = words[max(0, place - AROUND) : place], words[place + 1 : place + 1 + AROUND]
                found += [f"<{NAME.sub('_', each)}" for each in before] + [f">{NAME.sub('_', each)}" for each in after]
    return tuple(found)


@dataclass
class Chooser:
    """A linear score of candidates.

    Attributes:
        weights: Shape (DIM,).
    """

    weights: Vector = field(default_factory=lambda: np.zeros(DIM))

    def chances(self, options: Sequence[Features]) -> Vector:
        """How likely each candidate is to be chosen."""
        scores = np.array([self.weights[places].sum() for places in options])
        raised = np.exp(scores - scores.max())
        return np.asarray(raised / raised.sum())

    def learn(self, options: Sequence[Features], chosen: int, advantage: float) -> None:
        """One step up the policy gradient, with a small bonus for entropy.

        Args:
            options: Features of the candidates.
            chosen: Which one was played.
            advantage: Of the game.
        """
        chances = self.chances(options)
        logs = np.log(chances + 1e-12)
        slope = -chances * advantage - MIXED * chances * (logs - chances @ logs)
        slope[chosen] += advantage
        for places, step in zip(options, slope, strict=True):
            self.weights[places] += RATE * step


class CandidatePolicy(ActionPolicy):
    """Proposes candidates and lets a chooser play one of them; without a chooser it plays the first.

    Args:
        chooser: Who chooses; None for nobody.
        proposer: A `TextModel` that proposes; None for the world's random player.
        count: Most candidates.
        greedy: Whether the best is played, and none drawn.
    """

    def __init__(self, chooser: Chooser | None, proposer: Any = None, count: int = CANDIDATES, greedy: bool = True):
        self.chooser, self.proposer, self.count, self.greedy = chooser, proposer, count, greedy
        self.played: list[tuple[list[Features], int]] = []

    def act(self, view: View, rng: np.random.Generator) -> str:
        """One of the candidates.

        Args:
            view: What the proposer is told, and what the chooser compares candidates with.
            rng: Draws what a random proposer says, and the candidate unless the best is played.

        Returns:
            The action; "" if nothing was proposed.
        """
        wanted = self.count if self.chooser is not None else 1
        named: list[str] = []
        for _ in range(2 * wanted):
            if len(named) == wanted:
                break
            named = distinct([*named, *filter(None, [self._propose(view, named, rng)])], wanted)
        if self.chooser is None or len(named) < 2:
            return named[0] if named else ""
        options = [features(candidate, view.seen) for candidate in named]
        chances = self.chooser.chances(options)
        chosen = int(chances.argmax()) if self.greedy else int(rng.choice(len(named), p=chances))
        if not self.greedy:
            self.played.append((options, chosen))
        return named[chosen]

    def _propose(self, view: View, named: Sequence[str], rng: np.random.Generator) -> str:
        if self.proposer is None:
            return str(view.ask("sample_action", rng))
        asked = question(view.manual, view.observation, named)
        said = self.proposer.complete(asked, seed=int(rng.integers(2**31)), max_tokens=48).text.strip()
        return "" if hasattr(view.ask("parse", said), "reason") else said


def chosen(*, weights: str | None = None, model: str | None = None, candidates: int = CANDIDATES) -> CandidatePolicy:
    """The agent that learned to choose.

    Args:
        weights: What `main` wrote; None for what came with AgentGym.
        model: Who proposes, such as `smollm2`; None for the world's random player.
        candidates: Most candidates.
    """
    text = (
        Path(weights).read_text(encoding="utf8")
        if weights is not None
        else resources.files("agentgym.baselines").joinpath("results", "candidates", WEIGHTS).read_text(encoding="utf8")
    )
    learned = np.zeros(DIM)
    for place, value in json.loads(text)["weights"].items():
        learned[int(place)] = value
    return CandidatePolicy(Chooser(learned), _proposer(model), candidates)


def unchosen(*, model: str | None = None) -> CandidatePolicy:
    """The agent that plays the first candidate.

    Args:
        model: Who proposes; None for the world's random player.
    """
    return CandidatePolicy(None, _proposer(model))


def _proposer(model: str | None) -> Any:
    if model is None:
        return None
    from agentgym.agents.local_text_model import local_text_model

    return local_text_model(model=model)


@dataclass
class Table:
    """Games of one side against another, played with what each player sees.

    Attributes:
        game: The game.
    """

    game: Any = field(default_factory=lambda: agentgym.make(GAME, split="train"))

    def play(self, task: Any, seed: int, wolves: ActionPolicy, village: ActionPolicy) -> dict[str, float]:
        """One game; what each side earned.

        Args:
            task: Of the game.
            seed: Of the game and of all that is drawn.
            wolves, village: Who plays each side.
        """
        game = self.game
        game.reset(seed=seed, options={"task": task})
        sides = {who: game.unwrapped.team(who) for who in game.possible_agents}
        rngs = {who: stream("candidates.play", seed, who) for who in sides}
        seen: dict[str, list[str]] = {who: [] for who in sides}
        earned = dict.fromkeys(("wolves", "village"), 0.0)
        for who in game.agent_iter():
            observation, reward, terminated, truncated, info = game.last()
            if terminated or truncated:
                earned[sides[who]] = reward
                game.step(None)
                continue
            seen[who].append(observation["text"])
            policy = wolves if sides[who] == "wolves" else village
            game.step(policy.act(self._view(who, seen[who], info), rngs[who]))
        return earned

    def _view(self, who: str, seen: list[str], info: Mapping[str, Any]) -> View:
        world = self.game.unwrapped

        def ask(method: str, *given: Any) -> Any:
            return world.parse(*given, who) if method == "parse" else getattr(world, method)(who, *given)

        return View(GAME, who, seen[-1], info, world.player_manual(who), (), seen, (), ask)


class Scripted(ActionPolicy):
    """A scripted player of the game.

    Args:
        level: Its name.
    """

    def __init__(self, level: str):
        self.level = level

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next action of this level in the game of `view`, with the random draws of `rng`."""
        return str(view.ask("opponent_action", self.level, rng))


def train(chooser: Chooser, games: int, seed: int, table: Table) -> list[float]:
    """Let it learn; the share of games that its side won in each tenth.

    Args:
        chooser: Is changed.
        games: How many.
        seed: Of tasks and draws.
        table: Where.
    """
    pool: list[ActionPolicy] = [Scripted("random"), Scripted("simple"), CandidatePolicy(None)]
    fixed, usual = len(pool), {"wolves": 0.0, "village": 0.0}
    draws, won = stream("candidates.games", seed), []
    for number in range(games):
        side = ("wolves", "village")[number % 2]
        other = pool[int(draws.integers(len(pool)))]
        learner = CandidatePolicy(chooser, greedy=False)
        both = (learner, other) if side == "wolves" else (other, learner)
        earned = table.play(int(draws.integers(2**31)), int(draws.integers(2**31)), *both)[side]
        won.append(float(earned > 0))
        advantage = earned - usual[side]
        usual[side] += 0.05 * advantage
        for options, chosen_one in learner.played:
            chooser.learn(options, chosen_one, advantage)
        if (number + 1) % PAST_EVERY == 0:
            pool[fixed:] = [*pool[fixed:], CandidatePolicy(Chooser(chooser.weights.copy()), greedy=True)][-PAST:]
    part = max(1, games // 10)
    return [round(sum(won[at : at + part]) / len(won[at : at + part]), 3) for at in range(0, games, part)]


def measured(one: ActionPolicy, other: ActionPolicy, games: int, table: Table) -> dict[str, float]:
    """Share of games that one wins as each side, on the first tasks of `test`.

    Args:
        one, other: Who plays.
        games: As each side.
        table: Where.
    """
    found = {}
    for side in ("wolves", "village"):
        both = (one, other) if side == "wolves" else (other, one)
        results = [table.play(task, task, *both)[side] for task in range(games)]
        found[side] = round(sum(result > 0 for result in results) / games, 3)
    return found


def run(games: int = 3000, seed: int = 0, tests: int = 100) -> tuple[dict[str, Any], Chooser]:
    """Train, and play what was learned and what was not against the same rivals.

    Args:
        games: Of training.
        seed: Of all random draws.
        tests: Games as each side against each rival.

    Returns:
        The figures, and what was learned.
    """
    chooser, table = Chooser(), Table()
    curve = train(chooser, games, seed, table)
    test, best, plain = Table(agentgym.make(GAME, split="test")), CandidatePolicy(chooser), CandidatePolicy(None)
    figures = {
        "game": GAME, "version": agentgym.__version__, "seed": seed, "games": games, "tests": tests, "curve": curve,
        "chosen against unchosen": measured(best, plain, tests, test),
        "unchosen against unchosen": measured(plain, plain, tests, test),
        "chosen against simple": measured(best, Scripted("simple"), tests, test),
        "unchosen against simple": measured(plain, Scripted("simple"), tests, test),
    }  # fmt: skip
    return figures, chooser


def main(arguments: Sequence[str]) -> int:
    """Run, print the figures as JSON and write the weights; 1 unless choosing is better for both sides."""
    parser = argparse.ArgumentParser(prog="agentgym.baselines.candidates", description="Learn to choose candidates.")
    parser.add_argument("--games", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", type=int, default=100)
    parser.add_argument("--out", type=Path, help="folder of the weights")
    given = vars(parser.parse_args(arguments))
    out = given.pop("out")
    figures, chooser = run(**given)
    sys.stdout.write(json.dumps(figures) + "\n")
    if out is not None:
        learned = {str(place): round(float(chooser.weights[place]), 4) for place in np.flatnonzero(chooser.weights)}
        out.mkdir(parents=True, exist_ok=True)
        (out / WEIGHTS).write_text(json.dumps({**figures, "weights": learned}) + "\n", encoding="utf8")
    both, plain = figures["chosen against unchosen"], figures["unchosen against unchosen"]
    return 0 if all(both[side] > plain[side] for side in both) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
