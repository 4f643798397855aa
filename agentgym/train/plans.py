"""Demonstrations for two who share the work: one plans, the other one acts on the plan.

    [clone.plans]
    annotator = "actions"          # or `model`, or a function of your own, as module:function

    [players]
    plan = { policy = "planner", instruction = "Plan." }
    act = { policy = "executor", instruction = "Act." }

A teacher shows actions alone. An annotator reads off each successful demonstration which steps it was made of; the
demonstration is then played again by the roles of `[players]`, of whom the first says at each of its turns the steps
that are still to come. So both are taught on what they will be shown, in the turns in which they will speak. Where the
planner is called (`every = 0` and a `call`), demonstrations call it as soon as all steps that it named are done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.agents import ActionPolicy, View
from agentgym.core import AgentGymError, BudgetSpent, ConfigError, DataError, EndpointError, find_card
from agentgym.core.plans import PlanAnnotator, PlanStep
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, Role, collect
from agentgym.rollout.records import TaskName
from agentgym.train.annotators import ActionAnnotator, ModelAnnotator
from agentgym.train.named_models import NamedHelper

if TYPE_CHECKING:
    from agentgym.train.players import PlayerPart
    from agentgym.train.recipe import Recipe

FILE = "plans"
ANNOTATORS: dict[str, Callable[..., PlanAnnotator]] = {"actions": ActionAnnotator, "model": ModelAnnotator}
Note = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class PlanConfig:
    """Who reads plans off demonstrations, and how far they reach.

    Source: Erdogan et al. 2025, arXiv:2503.09572 (Plan-and-Act).

    Attributes:
        annotator: `actions`, which repeats what was done; `model`, which asks a language model; or `module:function` of
            a function that makes an `agentgym.core.plans.PlanAnnotator`.
        arguments: Keyword arguments for that function.
        model: `module:function` of a function that makes a text model, which the annotator is given as `model`; "" for
            none.
        model_arguments: Keyword arguments for that one.
        cassette: Path of a file in which the model's answers are kept.
        ahead: Steps that a plan names, from the one under way on; 0 for all that are left.
    """

    annotator: str
    arguments: dict[str, Any] = field(default_factory=dict)
    model: str = ""
    model_arguments: dict[str, Any] = field(default_factory=dict)
    cassette: str | None = None
    ahead: int = 0

    def __post_init__(self) -> None:
        if self.ahead < 0:
            raise ConfigError(f"clone.plans.ahead must be at least 0 steps, got {self.ahead}")
        self._helper()

    def _helper(self) -> NamedHelper:
        return NamedHelper(
            self.annotator, ANNOTATORS, "the annotator", "clone.plans", self.arguments, self.model,
            self.model_arguments, self.cassette,
        )  # fmt: skip

    def made(self) -> PlanAnnotator:
        """The annotator, with its model."""
        annotator: PlanAnnotator = self._helper().made()
        return annotator

    def check(self, recipe: Recipe) -> None:
        """Refuse a recipe in which nobody plans, or whose demonstrations cannot be played again."""
        if recipe.clone is not None and recipe.clone.imported:
            raise ConfigError("clone.plans plays demonstrations again, which clone.imported says nobody can do here")
        for plan in recipe.plans:
            known = find_card(plan.world.id)
            if known is not None and known.players > 1:
                raise ConfigError(f"clone.plans is for worlds of one player; {plan.world.id} has {known.players}")
            parts = [part for part in plan.players.values() if not isinstance(part, dict)]
            if len(plan.players) != 2 or len(parts) != 2 or any(part.delegate for part in parts):
                raise ConfigError(
                    "clone.plans needs two roles in [players] that delegate nothing: the first plans, the second acts; "
                    f"got {', '.join(plan.players) or 'none'}"
                )
            if self.ahead and parts[0].every == 0 and not parts[0].call:
                raise ConfigError(
                    f"clone.plans.ahead {self.ahead} leaves steps unplanned: the role {next(iter(plan.players))!r} "
                    "speaks once; give it a call, or every of at least 1"
                )


class AnnotatedPlan:
    """The plan of one demonstration.

    Args:
        steps: As the annotator gave them.
        turns: Of the demonstration.
        ahead: Steps that are named at once; 0 for all that are left.

    Raises:
        AgentGymError: if the steps do not divide the turns.
    """

    def __init__(self, steps: Sequence[PlanStep], turns: int, ahead: int):
        firsts = [step.first for step in steps]
        if not steps or firsts[0] != 0 or sorted(set(firsts)) != firsts or firsts[-1] >= turns:
            raise AgentGymError(
                f"the steps of a plan begin with turns in order, the first with turn 0 of {turns}; got {firsts}"
            )
        self.steps = [" ".join(step.words.split()) for step in steps]
        if not all(self.steps):
            raise AgentGymError("a step of a plan has words; one is empty")
        self._ends = [*firsts[1:], turns]
        self._ahead = ahead or len(steps)

    def at(self, turn: int) -> tuple[str, int]:
        """What is planned before a turn, and the turn for which no step is named any more.

        Args:
            turn: Its number, from 0.
        """
        here = next(place for place, end in enumerate(self._ends) if turn < end)
        last = min(here + self._ahead, len(self.steps))
        return "; ".join(self.steps[here:last]), self._ends[last - 1]


class _Script:
    """A demonstration under way, told by two who share it."""

    def __init__(self, plan: AnnotatedPlan, episode: Episode, call: str):
        self.plan, self.episode, self.call = plan, episode, call
        self.turn = self.until = 0


class _Planner(ActionPolicy):
    """Says what is planned."""

    def __init__(self, script: _Script):
        self._script = script

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The steps that are to come."""
        words, self._script.until = self._script.plan.at(self._script.turn)
        return words


class _Executor(ActionPolicy):
    """Does what was done, and has the planner speak where the plan is done."""

    def __init__(self, script: _Script):
        self._script = script

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next action, or the call.

        Raises:
            DataError: if the world answers otherwise than it did.
        """
        script = self._script
        if script.call and script.turn >= script.until:
            return script.call
        turns = script.episode.turns
        if script.turn == len(turns) or not view.observation.startswith(turns[script.turn].observation):
            raise DataError(
                f"the demonstration of task {script.episode.task_id} goes otherwise when it is played again, so no "
                "plan can be told with it; clone.plans is for worlds that answer equal actions alike"
            )
        script.turn += 1
        return turns[script.turn - 1].action


def annotated(
    pool: EnvPool,
    parts: Mapping[str, PlayerPart],
    shown: Sequence[tuple[TaskName, Episode]],
    config: PlanConfig,
    note: Note,
) -> dict[str, list[Episode]]:
    """Demonstrations as two who share the work are shown them.

    Args:
        pool: Where they were played.
        parts: Who plans and who acts, by the name of the role.
        shown: Demonstrations with their tasks; what did not succeed is left out.
        config: Who reads off plans.
        note: Told of each demonstration: its task, its plan, and why it was left out.

    Returns:
        By role, episodes in words, without segments.

    Raises:
        DataError: if none is left, or a world answers otherwise than before.
        EndpointError, BudgetSpent: if nobody answers for a model.
    """
    annotator, (planner, actor) = config.made(), parts
    room = None if pool.limit is None else 2 * pool.limit  # for an action in each turn, and a call before it
    found: dict[str, list[Episode]] = {planner: [], actor: []}
    for number, (task, episode) in enumerate(shown):
        refused = "it did not succeed"
        steps: list[str] = []
        if episode.success:
            trace = [(turn.observation, turn.action) for turn in episode.turns]
            try:
                plan = AnnotatedPlan(annotator.steps(episode.reminder, trace), len(trace), config.ahead)
                refused, steps = "", plan.steps
            except (EndpointError, BudgetSpent):
                raise
            except AgentGymError as error:
                refused = str(error)
        if not refused:
            script = _Script(plan, episode, parts[planner].call)
            cast = {planner: _role(parts[planner], _Planner(script)), actor: _role(parts[actor], _Executor(script))}
            spec = EpisodeSpec(task, episode.seed, number, ("planned", number))
            acting, planning = collect(pool, cast, [spec], horizon=room)
            found[actor].append(acting)
            found[planner].append(planning)
        note({"task_id": episode.task_id, "steps": steps, "refused": refused})
    if not found[actor]:
        raise DataError(
            f"no demonstration in {pool.id} has a plan; plans.jsonl of the run says why, the last: {refused}"
        )
    return found


def _role(part: PlayerPart, policy: ActionPolicy) -> Role:
    """A part as it is played in demonstrations."""
    return Role(
        policy, trainable=False, instruction=part.instruction, guidance=part.guidance, every=part.every, call=part.call
    )
