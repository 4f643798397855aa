"""From episodes to better policies. Needs the extra `train` (torch, transformers)."""

from agentgym.core import require

require("torch", extra="train", purpose="agentgym.train")
require("transformers", extra="train", purpose="agentgym.train")

from agentgym.agents.engine import HuggingFaceEngine  # noqa: E402
from agentgym.agents.pretrained import load_engine  # noqa: E402
from agentgym.train.asynchronous import AsyncTrainer  # noqa: E402
from agentgym.train.batch import tokenize  # noqa: E402
from agentgym.train.cloning import clone  # noqa: E402
from agentgym.train.config import CloneConfig  # noqa: E402
from agentgym.train.evaluation import evaluate_policy, evaluate_trained  # noqa: E402
from agentgym.train.recipe import Recipe, load_recipe, read_recipe  # noqa: E402
from agentgym.train.recipe_files import recipe_names, recipe_table  # noqa: E402
from agentgym.train.run import build_trainer, run_recipe  # noqa: E402
from agentgym.train.run_dir import Run, read_lines  # noqa: E402
from agentgym.train.served import ServedTrainer  # noqa: E402
from agentgym.train.tiny import TinyConfig, build_decoder, train_tokenizer, transcript_text  # noqa: E402
from agentgym.train.trainer import Trainer  # noqa: E402

__all__ = [
    "AsyncTrainer",
    "CloneConfig",
    "HuggingFaceEngine",
    "Recipe",
    "Run",
    "ServedTrainer",
    "TinyConfig",
    "Trainer",
    "build_decoder",
    "build_trainer",
    "clone",
    "evaluate_policy",
    "evaluate_trained",
    "load_engine",
    "load_recipe",
    "read_lines",
    "read_recipe",
    "recipe_names",
    "recipe_table",
    "run_recipe",
    "tokenize",
    "train_tokenizer",
    "transcript_text",
]
