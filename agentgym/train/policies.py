"""The policies of a run: engines by name, and for each that learns its optimizer and what is fitted beside it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from agentgym.agents import make_agent
from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.policy import Policy
from agentgym.agents.pretrained import load_pretrained
from agentgym.agents.prompt import Prompt
from agentgym.agents.remote_policy import RemotePolicy
from agentgym.core import require
from agentgym.core.rng import stream_seed
from agentgym.rollout import EnvPool, Episode, Role, Segment
from agentgym.train.adapters import FIRST, SharedBase
from agentgym.train.batch import PROXIMAL, REFERENCE, Sample, micro_batches
from agentgym.train.config import UpdateConfig
from agentgym.train.evaluation import make_world
from agentgym.train.optimizer import MasterAdamW
from agentgym.train.packing import check_packing
from agentgym.train.players import MAIN, DelegatePart, PlayerPart, PlayerParts, PolicyConfig
from agentgym.train.recipe import Recipe
from agentgym.train.reference import Reference
from agentgym.train.schedules import Schedule, at
from agentgym.train.token_logprobs import recompute_blocks, token_logprobs


class LearningPolicy:
    """A policy that learns, with all that is its own.

    Args:
        name: Its name in `[policies]`.
        engine: Its model is changed.
        recipe: What is fitted beside it, and how its weights are moved.
        learning_rate: Of its optimizer.

    Attributes:
        params: The weights that are moved.
        regularizers: Its own copies, for some remember what they saw; these are `memories`.
        reference: Its model as it was, where the recipe asks for one.
        learners: What is fitted beside it.
    """

    def __init__(self, name: str, engine: HuggingFaceEngine, recipe: Recipe, learning_rate: float | Schedule):
        self.name, self.engine, self.learning_rate = name, engine, learning_rate
        if recipe.update.packing:
            check_packing(engine.model)
        self.params = [weight for weight in engine.model.parameters() if weight.requires_grad]
        self.optimizer = MasterAdamW(self.params, at(learning_rate, 0), recipe.update.betas)
        self.regularizers = copy.deepcopy(recipe.regularizers)
        self.memories = [part for part in self.regularizers if part.remembers]
        self.reference = Reference(engine.model) if recipe.needs_reference else None
        self.learners = [part.build(engine, recipe.seed) for part in recipe.learners]

    def set_rate(self, update: int) -> None:
        """Give its optimizer the learning rate of an update."""
        for group in self.optimizer.param_groups:
            group["lr"] = at(self.learning_rate, update)

    def annotate_logprobs(self, episodes: Sequence[Episode], update: UpdateConfig) -> None:
        """Write on every token its log-probability under the reference model and under this one, as is asked for.

        Args:
            episodes: Those it learns from.
            update: Whether its own are asked for, and how many tokens are read at once, in which way.
        """
        segments = [segment for episode in episodes for segment in episode.segments if any(segment.sampled_mask)]
        if self.reference is not None:
            with self.reference.model() as model:
                self._annotate(REFERENCE, segments, model, update)
        if update.recompute_logprobs:
            self._annotate(PROXIMAL, segments, self.engine.model, update)

    @torch.no_grad()
    def _annotate(self, name: str, segments: Sequence[Segment], model: Any, update: UpdateConfig) -> None:
        """Write on every token its log-probability under a model."""
        samples = [Sample(segment, episode=number) for number, segment in enumerate(segments)]
        device = self.engine.model.device
        for batch in micro_batches(samples, update.micro_tokens, device, packing=update.packing):
            logprobs_BT = token_logprobs(model, batch, self.engine.temperature)[0].cpu().numpy()
            for row, number in zip(logprobs_BT, batch.episode_B.tolist(), strict=True):
                segments[number].annotations[name] = row[: len(segments[number])].tolist()

    def end_update(self, update: int, ref_sync_every: int) -> None:
        """Count an update; what remembers takes it in, and the reference follows if it is its turn.

        Args:
            update: Updates done, this one included.
            ref_sync_every: Of the recipe.
        """
        for part in self.memories:
            part.end_update()
        self.engine.version += 1
        if ref_sync_every and update % ref_sync_every == 0:
            self.reference = Reference(self.engine.model)


class Policies:
    """Everybody who plays in a run.

    Args:
        recipe: Who they are.
        engine: The policy of `[model]`, as cloning left it; its model is changed.

    Attributes:
        engines: The local models by name, frozen ones included.
        learning: Those that learn, by name, in the order of the recipe.
        served: What plays in place of the one policy, where `rollout.engine` names who samples; None elsewhere.
    """

    def __init__(self, recipe: Recipe, engine: HuggingFaceEngine):
        self._recipe = recipe
        self._configs = recipe.policies or {MAIN: PolicyConfig()}
        self._frozen: Any = None  # the one model of all frozen policies of [model]
        self._taken = False  # whether a policy that learns has the model itself
        self._worlds: dict[int, EnvPool] = {}  # of delegates, by the number of their part
        self._base: SharedBase | None = None
        if recipe.policies and recipe.model.lora:
            self._base = SharedBase(engine.model)
        engine.prompt = recipe.prompt
        self.all: dict[str, Policy] = {}
        self.engines: dict[str, HuggingFaceEngine] = {}
        for name, config in self._configs.items():
            if config.agent:
                self.all[name] = make_agent(config.agent, **config.options)
            else:
                self.all[name] = self.engines[name] = self._engine(name, config, engine)
        if self._base is not None and not self._taken:
            self._base.freeze(FIRST)
        self.served: RemotePolicy | None = None
        if (config := recipe.rollout.engine) is not None:
            self.served = self.all[MAIN] = config.policy(engine)
        self.learning = {
            name: LearningPolicy(name, self.engines[name], recipe, config.learning_rate or recipe.update.learning_rate)
            for name, config in self._configs.items()
            if config.learns and (recipe.loss is not None or recipe.artifact is None)
        }

    @property
    def first(self) -> LearningPolicy:
        """The first that learns: the only one of a recipe without `[policies]`."""
        return next(iter(self.learning.values()))

    def __iter__(self) -> Iterator[LearningPolicy]:
        """Those that learn."""
        return iter(self.learning.values())

    def set_temperature(self, temperature: float) -> None:
        """Let every local model sample at a temperature."""
        for engine in self.engines.values():
            engine.temperature = temperature

    def assign_policies(self, players: Mapping[str, PlayerParts], text: str = "") -> Any:
        """Who plays, as `agentgym.rollout.collect` takes it.

        Args:
            players: The recipe's `[players]`; without any, the one policy plays.
            text: Of the artifact, which is given to those who read it.
        """
        if not players:
            return self._role(PlayerPart(next(iter(self._configs))), text)
        return {
            name: {role: self._role(part, text) for role, part in parts.items()}
            if isinstance(parts, dict)
            else self._role(parts, text)
            for name, parts in players.items()
        }

    @property
    def pools(self) -> tuple[EnvPool, ...]:
        """The worlds of their own that delegates have answered in."""
        return tuple(self._worlds.values())

    def own(self, policy: LearningPolicy, episodes: Sequence[Episode]) -> list[Episode]:
        """The episodes that a policy spoke in, in their order.

        Args:
            policy: Which one.
            episodes: With turns; every one of an episode was said by one policy.
        """
        if not self._recipe.policies:
            return list(episodes)
        return [episode for episode in episodes if episode.turns[0].policy == policy.name]

    def _role(self, part: PlayerPart, text: str) -> Role | str:
        if part.policy not in self.all:
            return part.policy  # a scripted opponent of the game
        artifact = self._recipe.artifact
        reads = artifact is not None and (not artifact.policies or part.policy in artifact.policies)
        learns = part.policy in self.learning
        delegate = part.delegate
        delegation = None
        if delegate is not None:
            answers = self._role(delegate, text)
            assert isinstance(answers, Role), "a delegate is no scripted opponent"
            delegation = delegate.delegation(answers, self._world_of(delegate))
        return Role(
            self.all[part.policy],
            learns,
            instruction=part.instruction,
            guidance="\n".join(filter(None, (part.guidance, text if reads else ""))),
            plain=learns and (part.plain or (artifact is not None and reads and artifact.plain)),
            speaker=part.policy if self._recipe.policies else "",
            delegation=delegation,
            every=part.every,
            call="" if isinstance(part, DelegatePart) else part.call,
        )

    def _world_of(self, part: DelegatePart) -> EnvPool | None:
        """The world of its own that a delegate answers in, if it has one."""
        if part.world in (None, "same"):
            return None
        if id(part) not in self._worlds:
            self._worlds[id(part)] = make_world(part.world, part.world.split, self._recipe.rollout.workers)
        return self._worlds[id(part)]

    def _engine(self, name: str, config: PolicyConfig, engine: HuggingFaceEngine) -> HuggingFaceEngine:
        """The engine of a policy with its own prompt, on the model that it is to have."""
        if not self._recipe.policies:
            return engine
        prompt = policy_prompt(self._recipe, config)
        most = config.max_new_tokens or self._recipe.model.max_new_tokens
        if config.model is not None:
            own = self._load(config, prompt, most)
        else:
            own = copy.copy(engine) if self._shares(config) else engine
            own.model = self._model(name, config, engine.model)
            self._taken = self._taken or own is engine
        own.prompt, own.max_new_tokens = prompt, most
        return own

    def _shares(self, config: PolicyConfig) -> bool:
        """Whether a policy of [model] is not the one that has the model itself."""
        return self._taken or not config.learns or config.adapter is not None

    def _model(self, name: str, config: PolicyConfig, model: Any) -> Any:
        """The model itself, adapters of its own on it, or a copy."""
        shares = self._shares(config)
        if self._base is not None:
            if not shares:
                return self._base.first()
            return self._base.add(name, trainable=config.learns, folder=config.adapter)
        if not shares:
            return model
        if config.learns:
            return copy.deepcopy(model)
        if self._frozen is None:
            self._frozen = copy.deepcopy(model).eval().requires_grad_(False)
        return self._frozen

    def _load(self, config: PolicyConfig, prompt: Prompt, most: int) -> HuggingFaceEngine:
        dtype = torch.bfloat16 if self._recipe.model.bf16 else torch.float32
        own = load_pretrained(str(config.model), most, dtype, device=self._recipe.model.device, prompt=prompt)
        if not config.learns:
            own.model.requires_grad_(False)
            return own
        return trainable(own, self._recipe)


def policy_prompt(recipe: Recipe, config: PolicyConfig) -> Prompt:
    """How the world is put into words for one of several policies.

    Args:
        recipe: Whose prompt counts where the policy has no settings of its own.
        config: The policy.
    """
    base = recipe.prompt
    manual = base.manual if config.manual is None else config.manual
    return Prompt(manual, config.answer or base.answer, config.context or base.context, config.system)


def trainable(engine: HuggingFaceEngine, recipe: Recipe) -> HuggingFaceEngine:
    """The engine with low-rank adapters, if the recipe asks for them: they alone learn (Hu et al. 2021).

    Args:
        engine: The policy; its model is wrapped.
        recipe: Its `model.lora` is the rank of the adapters; 0 trains all weights. Its `model.gradient_checkpointing`
            says what gradient steps keep.
    """
    if recipe.model.lora:
        peft = require("peft", extra="train", purpose="model.lora")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(stream_seed("train.lora", recipe.seed))
            config = peft.LoraConfig(r=recipe.model.lora, lora_alpha=2 * recipe.model.lora, target_modules="all-linear")
            engine.model = peft.get_peft_model(engine.model, config).eval()
    if recipe.model.gradient_checkpointing:
        recompute_blocks(engine.model)
    return engine
