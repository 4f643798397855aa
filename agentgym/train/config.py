"""The tables of a recipe that are no parts: where to play, who plays, how, and how often the weights are moved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from agentgym.agents.context import CONTEXTS
from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.prompt import Answer
from agentgym.agents.ray_policy import RayPolicy
from agentgym.agents.served import ServedPolicy
from agentgym.agents.vllm import VLLMServer, open_server
from agentgym.core import ConfigError, full_id, unknown
from agentgym.rollout.strategies import STRATEGIES
from agentgym.rollout.workers import Workers
from agentgym.rollout.wrapping import named_wrapper
from agentgym.train.batch import MASKED_TURNS
from agentgym.train.config_parser import pick
from agentgym.train.losses import LOSS_AGGREGATIONS, LossAggregation
from agentgym.train.opponents import opponent_of
from agentgym.train.plans import PlanConfig
from agentgym.train.schedules import Schedule, extremes
from agentgym.train.tasks import TASKS
from agentgym.train.tiny import TinyConfig
from agentgym.vector.ray_workers import connected

BETAS = (0.9, 0.95)  # of AdamW


@dataclass(frozen=True)
class WorldConfig:
    """Where to play.

    Attributes:
        id: An id of the catalog.
        env_kwargs: Constructor arguments.
        split: The split to train on.
        wrappers: Tables of a wrapper of `agentgym.wrappers` by `name`, with its arguments; the first is innermost.
    """

    id: str
    env_kwargs: dict[str, Any] = field(default_factory=dict)
    split: str = "train"
    wrappers: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        full_id(self.id)
        if self.split.startswith(("test", "val")):
            raise ConfigError(f"world.split {self.split!r} is for evaluation; train on 'train'")
        if "split" in self.env_kwargs:
            raise ConfigError("world.env_kwargs holds 'split'; write world.split")
        object.__setattr__(self, "wrappers", tuple(named_wrapper(table) for table in self.wrappers))


@dataclass(frozen=True)
class ModelConfig:
    """Who plays.

    Attributes:
        name: Pretrained weights: `smollm2`, a folder, a GGUF file or a hub id; None for a tiny model of shape `tiny`.
        adapter: A folder with low-rank adapters that are added into the pretrained weights first; None for none.
        tiny: Shape of a model whose tokenizer is trained on the demonstrations of `[clone]`.
        max_new_tokens: Most tokens of one answer.
        manual, answer: What it is shown beside observations and how its answers are read; see
            `agentgym.agents.prompt.Prompt`.
        lora: Rank of the low-rank adapters that are trained in place of all weights (needs `peft`); 0 trains all.
        bf16: Whether weights are loaded in bfloat16; steps are then added up in float32 copies of them.
        gradient_checkpointing: Whether gradient steps keep the inputs of the model's blocks alone and compute the rest
            of them again (Chen et al. 2016, arXiv:1604.06174): a third more computation, for many more `micro_tokens`.
        device: Where it computes, such as `cpu` or `cuda:1`; None takes CUDA if there is any, and in each process of
            `torchrun` a device of its own.
        shard: Whether the processes of `torchrun` divide the model between them; see `agentgym.train.distributed`.
    """

    name: str | None = None
    adapter: str | None = None
    tiny: TinyConfig | None = None
    max_new_tokens: int = 8
    manual: bool = False
    answer: Answer = "whole"
    lora: int = 0
    bf16: bool = False
    gradient_checkpointing: bool = False
    device: str | None = None
    shard: bool = False

    def __post_init__(self) -> None:
        if (self.name is None) == (self.tiny is None):
            raise ConfigError("model needs either name (pretrained weights) or tiny (a shape), and not both")
        if self.adapter is not None and self.name is None:
            raise ConfigError("model.adapter has no effect on a tiny model; leave it out, or give model.name")
        if self.max_new_tokens < 1 or self.lora < 0:
            raise ConfigError("model.max_new_tokens must be at least 1 and model.lora at least 0")
        if self.lora and self.tiny is not None:
            raise ConfigError("model.lora adapts pretrained weights; a tiny model has none yet, so leave it out")
        if self.lora and self.adapter is not None:
            raise ConfigError(
                "model.lora would be saved without model.adapter, on which it stands; merge that adapter into a folder "
                "of weights and give the folder as model.name"
            )
        if self.bf16 and self.tiny is not None:
            raise ConfigError("model.bf16 has no effect on a tiny model, which is built in float32; leave it out")


@dataclass(frozen=True)
class CloneConfig:
    """What the policy learns from a teacher before it plays.

    Attributes:
        episodes: Demonstrations, in each world of a mixture; of each record, at most so many.
        transcripts: Where they are on record, one folder or a list of them, such as that of `agentgym play --out` or of
            a training, of which the newest successes are taken; None lets the teacher play.
        runs: By name, runs that come first: this recipe without them, each with settings of its own over it. Their
            newest successes are cloned in place of what a teacher shows, which teaches them. So specialists are
            distilled into a generalist (SEAgent, Sun et al. 2025, arXiv:2508.04700).
        imported: Whether the record was made by `agentgym import` of trajectories that others have published. Nothing
            of it can be played here, so it is cloned as it stands: whole answers, after what was shown before them,
            and no manual of the recipe's world.
        noise: Probability that a turn of the teacher is a random action.
        teacher: The world's `expert`, or its `oracle` where there is none or gold solutions are wanted; in a game of
            several players, one of its scripted opponents as well.
        epochs: Times every demonstration is seen.
        batch: Segments of one gradient step.
        learning_rate: Peak: linear warm-up over 5 % of the steps, then a cosine to 0.
        plans: Who reads plans off successful demonstrations, so that of two roles in `[players]` the first is taught
            to plan and the second to act on it; None teaches to act alone. See `agentgym.train.plans`.
    """

    episodes: int
    transcripts: str | tuple[str, ...] | None = None
    runs: dict[str, Any] = field(default_factory=dict)
    imported: bool = False
    noise: float = 0.0
    teacher: str = "expert"
    epochs: int = 1
    batch: int = 32
    learning_rate: float = 3e-3
    plans: PlanConfig | None = None

    def __post_init__(self) -> None:
        positive(self, "clone", "episodes", "epochs", "batch", "learning_rate")
        if not 0 <= self.noise <= 1:
            raise ConfigError(f"clone.noise must be a probability from 0 to 1, got {self.noise}")
        if self.transcripts is not None and self.runs:
            raise ConfigError("clone.transcripts and clone.runs both say what is cloned; leave one of them out")
        for name, settings in self.runs.items():
            if not re.fullmatch(r"[\w-]+", name) or not isinstance(settings, Mapping):
                raise ConfigError(
                    f"clone.runs.{name} must be a table of settings, by a name of letters, digits, _ and -"
                )
        if isinstance(self.transcripts, str):
            object.__setattr__(self, "transcripts", (self.transcripts,))
        if self.transcripts is not None and (self.noise or self.teacher != "expert"):
            raise ConfigError("clone.noise and clone.teacher have no effect on clone.transcripts; leave them out")
        if self.imported and self.transcripts is None:
            raise ConfigError(
                "clone.imported says what clone.transcripts holds; name the folder that was imported into"
            )


@dataclass(frozen=True)
class VLLMConfig:
    """A vLLM server that samples what the policy says, apart from the trainer; see `agentgym.agents.served`.

    Attributes:
        base_url: Where it is, such as `http://localhost:8000/v1`.
        folder: Where weights are left for it after every update; it sees it under the same path.
        model: The name under which it serves the model; "" for the one that it names first.
        api_key_env: Environment variable with its key; "" for none.
        shares_device: Whether the trainer computes on the same device: then the server sleeps while gradient steps are
            taken.
        concurrency: Answers under way at once.
        timeout: Seconds from a question to the last byte of its answer.
        retries: Tries after the first.
    """

    base_url: str
    folder: str
    model: str = ""
    api_key_env: str = ""
    shares_device: bool = False
    concurrency: int = 128
    timeout: float = 300.0
    retries: int = 5

    def open(self) -> VLLMServer:
        """The server; nothing is asked of it yet.

        Raises:
            ConfigError: if an option is out of range, or the variable is not set.
        """
        return open_server(self.base_url, self.model, self.api_key_env, self.timeout, self.retries, self.concurrency)

    def check(self) -> None:
        """See that the server is there, before anything that takes long.

        Raises:
            ConfigError, EndpointError: in one line, if it is not.
        """
        self.open().describe()

    def policy(self, engine: HuggingFaceEngine) -> ServedPolicy:
        """The engine's policy, sampled by the server.

        Raises:
            ConfigError, EndpointError: as `open` and `ServedPolicy` do.
        """
        return ServedPolicy(engine, self.open(), self.folder, self.shares_device)


@dataclass(frozen=True)
class RayConfig:
    """Actors of Ray that sample what the policy says, on any machine; see `agentgym.agents.ray_policy`.

    Attributes:
        actors: How many.
        gpus: Graphics processors of each, whole or in part; 0 lets it compute on one CPU.
        batch: Most conversations that one answers at once.
    """

    actors: int = 1
    gpus: float = 0.0
    batch: int = 64

    def check(self) -> None:
        """See that a cluster is there, or can be started on this machine.

        Raises:
            MissingExtra, ConfigError: in one line, if it is not.
        """
        connected()

    def policy(self, engine: HuggingFaceEngine) -> RayPolicy:
        """The engine's policy, sampled by the actors.

        Raises:
            MissingExtra, ConfigError: as `RayPolicy` does.
        """
        return RayPolicy(engine, self.actors, self.gpus, self.batch)


ENGINES = {"vllm": VLLMConfig, "ray": RayConfig}


@dataclass(frozen=True)
class RolloutConfig:
    """How the episodes of a round are played.

    Attributes:
        groups: Tasks of a round.
        group_size: Episodes of a task.
        strategy: Independent episodes, or branches of one another.
        context: What of the conversation the policy reads.
        horizon: Turn limit, at most the world's own; None leaves the world's.
        temperature: Of sampling.
        refill: Times that groups which a filter emptied are replaced by new ones (dynamic sampling).
        tasks: Which tasks are played.
        max_concurrent: Most episodes under way at once.
        workers: Processes that environments run in, with time and memory limits; None plays in this one.
        max_staleness: Collect asynchronously: episodes go on while the weights are moved, and of a group that is
            learned from no token is older than so many updates. None collects each round after the update before; see
            `agentgym.train.asynchronous`.
        engine: Who samples what the policy says, a server or actors of Ray; None lets the trainer's own model speak.
        opponent: In a game of several players: `self_play`, where all learn (so it is where None is given, and no
            `[players]`); `policy_pool`, where the policy takes
            each place in turn, update by update, and an earlier self holds the others; or a level of the game's
            scripted opponents, which then hold them. See `agentgym.train.opponents`.
    """

    groups: int = 16
    group_size: int = 8
    strategy: Any = "independent"
    context: Any = "growing"
    horizon: float | Schedule | None = None
    temperature: float | Schedule = 1.0
    refill: int = 0
    tasks: Any = "uniform"
    max_concurrent: int = 128
    workers: Workers | None = None
    max_staleness: int | None = None
    engine: Any = None
    opponent: Any = None

    def __post_init__(self) -> None:
        positive(self, "rollout", "groups", "group_size", "max_concurrent")
        for name, parts in (("strategy", STRATEGIES), ("context", CONTEXTS), ("tasks", TASKS)):
            object.__setattr__(self, name, pick(parts, getattr(self, name), f"rollout.{name}"))
        object.__setattr__(self, "engine", pick(ENGINES, self.engine, "rollout.engine") if self.engine else None)
        object.__setattr__(self, "opponent", opponent_of(self.opponent) if self.opponent else None)
        if self.refill < 0:
            raise ConfigError(f"rollout.refill must be at least 0, got {self.refill}")
        if self.max_staleness is not None and self.max_staleness < 0:
            raise ConfigError(f"rollout.max_staleness must be at least 0 updates, got {self.max_staleness}")
        if not extremes(self.temperature)[0] > 0:
            raise ConfigError(f"rollout.temperature must stay above 0, got {self.temperature}")
        if self.horizon is not None and any(turns < 1 or turns != int(turns) for turns in extremes(self.horizon)):
            raise ConfigError(f"rollout.horizon must be a whole number of turns from 1, got {self.horizon}")


@dataclass(frozen=True)
class RecordsConfig:
    """Where the sessions of agent programs come from that are learned from in place of episodes; see `records`.

    Attributes:
        folder: What `agentgym record` wrote; None for an endpoint of the run's own.
        host, port: Where that listens; beyond this machine it needs `tokens`.
        tokens: File with a token a line, one for each client.
        world: Address of the server of worlds, which rewards are asked of; "" for none.
        world_token_env: Environment variable with the token for that server.
    """

    folder: str | None = None
    host: str = "127.0.0.1"
    port: int = 8001
    tokens: str | None = None
    world: str = ""
    world_token_env: str = ""

    def __post_init__(self) -> None:
        own = [each.name for each in fields(self) if each.name != "folder" and getattr(self, each.name) != each.default]
        if self.folder is not None and own:
            raise ConfigError(f"records.{own[0]} has no effect with records.folder: nobody is answered; leave one out")
        if not 0 <= self.port < 65536:
            raise ConfigError(f"records.port must be from 0 to 65535, got {self.port}")


@dataclass(frozen=True)
class UpdateConfig:
    """Gradient steps.

    Attributes:
        updates: Rounds of playing and learning.
        steps: Gradient steps of a pass over a round's episodes, each on its own share.
        epochs: Passes over a round's episodes.
        learning_rate: Of the optimizer (AdamW without decay).
        betas: Its decay rates, of the mean gradient and of the mean square. The first is momentum, which keeps policies
            that answer each other going in circles: 0 suits self-play (Gidel et al. 2019, arXiv:1807.04740).
        loss_aggregation: Which mean over tokens the loss is; see `agentgym.train.losses.loss_scales`.
        micro_tokens: Most tokens, pads counted, that go through the model at once; changes memory, not results.
        packing: Whether several sequences share a row of what the model reads, in gradient steps, in cloning, and where
            log-probabilities are computed anew; changes how much of it is padding, not results. See
            `agentgym.train.packing`.
        max_grad_norm: The gradient is scaled down to this norm.
        ref_sync_every: Updates after which the reference model, which a regularizer pulls towards, becomes the policy
            as it is then, again and again; 0 keeps the policy of the beginning. Where a game has no best answer but a
            best mixture, a policy pulled towards a fixed model settles near it, and near an equilibrium when the model
            follows (Perolat et al. 2022, arXiv:2206.15378); elsewhere it lets a long run go on when the pull holds it
            back (ProRL, Liu et al. 2025, arXiv:2505.24864).
        masked: Turns whose tokens are not learned from, though they count where returns are compared: `off_policy`
            (said under a constraint, so that their log-probabilities are of another distribution), `cut` (the answer
            ended at the token limit), `refused` (the world refused the action, the void turns of SimpleTIR, Xue et al.
            2025, arXiv:2509.02479). None takes `off_policy` where the loss is meant for the model's own samples.
        recompute_logprobs: Whether ratios are taken over the log-probabilities of the model before the first gradient
            step, computed anew as the gradient steps do, in place of those noted while sampling (decoupled PPO, Hilton
            et al. 2022, arXiv:2110.00641). One more pass over a round's tokens.
        importance_cap: Then what the loss of each token is multiplied by at most: the ratio of the two, cut off here
            (truncated importance sampling, Ionides 2008; for two engines that should agree: Yao et al. 2025, "Your
            efficient RL framework secretly brings you off-policy RL training"). None multiplies by nothing.
    """

    updates: int
    steps: int = 1
    epochs: int = 1
    learning_rate: float | Schedule = 5e-4
    betas: tuple[float, float] = BETAS
    loss_aggregation: LossAggregation = "episode"
    micro_tokens: int = 4_096
    packing: bool = False
    max_grad_norm: float = 1.0
    ref_sync_every: int = 0
    masked: tuple[str, ...] | None = None
    recompute_logprobs: bool = False
    importance_cap: float | None = None

    def __post_init__(self) -> None:
        positive(self, "update", "steps", "epochs", "micro_tokens", "max_grad_norm")
        for name in ("updates", "ref_sync_every"):
            if getattr(self, name) < 0:
                raise ConfigError(f"update.{name} must be at least 0, got {getattr(self, name)}")
        if extremes(self.learning_rate)[0] < 0 or not extremes(self.learning_rate)[1] > 0:
            raise ConfigError(f"update.learning_rate must be above 0, got {self.learning_rate}")
        if not all(0 <= beta < 1 for beta in self.betas):
            raise ConfigError(f"update.betas must be from 0 to below 1, got {self.betas}")
        if self.loss_aggregation not in LOSS_AGGREGATIONS:
            raise unknown("update.loss_aggregation", self.loss_aggregation, LOSS_AGGREGATIONS)
        for name in self.masked or ():
            if name not in MASKED_TURNS:
                raise unknown("update.masked", name, MASKED_TURNS)
        if self.importance_cap is not None and not self.importance_cap > 0:
            raise ConfigError(f"update.importance_cap must be above 0, got {self.importance_cap}")
        if self.importance_cap is not None and not self.recompute_logprobs:
            raise ConfigError("update.importance_cap has no effect without update.recompute_logprobs = true")


@dataclass(frozen=True)
class CheckpointConfig:
    """What a run keeps to go on from and to play with.

    Attributes:
        every: Updates between checkpoints; the last update always has one.
        keep: How many of the newest stay on disk. With 1 there is none to fall back on where a disk damages a file.
    """

    every: int = 10
    keep: int = 2

    def __post_init__(self) -> None:
        positive(self, "checkpoint", "every", "keep")


def positive(config: Any, where: str, *names: str) -> None:
    """Refuse settings that must be above 0 and are not.

    Args:
        config: Whose settings.
        where: Name of the table, for the message.
        names: The settings.
    """
    for name in names:
        if not getattr(config, name) > 0:
            raise ConfigError(f"{where}.{name} must be above 0, got {getattr(config, name)!r}")
