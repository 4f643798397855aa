"""From episodes to better policies. Needs the extra `train` (torch, transformers)."""

from agentgym.core import require

require("torch", extra="train", purpose="agentgym.train")
require("transformers", extra="train", purpose="agentgym.train")

from agentgym.train.advantages import GroupAdvantages, group_relative  # noqa: E402
from agentgym.train.batch import tokenise  # noqa: E402
from agentgym.train.engine import HuggingFaceEngine  # noqa: E402
from agentgym.train.record import Run, load_engine, read_lines  # noqa: E402
from agentgym.train.tiny import TinyConfig, build_decoder, train_tokenizer, transcript_text  # noqa: E402
from agentgym.train.trainer import CloneConfig, GRPOConfig, clone, evaluate_policy, improve  # noqa: E402

__all__ = [
    "CloneConfig",
    "GRPOConfig",
    "GroupAdvantages",
    "HuggingFaceEngine",
    "Run",
    "TinyConfig",
    "build_decoder",
    "clone",
    "evaluate_policy",
    "group_relative",
    "improve",
    "load_engine",
    "read_lines",
    "tokenise",
    "train_tokenizer",
    "transcript_text",
]
