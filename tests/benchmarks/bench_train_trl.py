"""The trainer beside TRL's GRPO trainer, in one run: equal model, world, prompts, episodes, token caps and updates.

    python tests/benchmarks/bench_train_trl.py [--updates 2] [--rounds 1] [--slippery] [--json FILE]

TRL plays through its environment factory (`agentgym.baselines.bridges.trl_grpo`) and generates with Transformers. A
tiny Qwen3 is first taught both sides' one format: a tool call a turn in the template that TRL has for Qwen3, and the
word "done" after the end, for TRL stops asking only when no tool is called. Prompts agree token by token, which is
asserted. Both take one policy-gradient step a batch, group-normalised, without clipping in effect, reference model or
gradient checkpointing. The trainers take turns, each in every round with a fresh copy of the taught weights; the first
update of each is not counted. Tokens read and sampled are counted on both sides, for a run that samples fewer would
look faster.
"""

from __future__ import annotations

import argparse
import copy
import importlib.util
import json
import os
import platform
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch

from agentgym.agents.chat_format import SEEN, ChatFormat
from agentgym.rollout import EnvPool, EpisodeSpec, Segment, collect, demonstrate
from agentgym.train import CloneConfig, HuggingFaceEngine, Trainer, clone, read_recipe, train_tokenizer

NAME = "FrozenLake-v0"
GROUPS, GROUP_SIZE = 8, 8
ANSWER, CONTEXT = 16, 2048  # most tokens of an answer, and of a conversation
RATE = 1e-4
SHAPE = {"hidden_size": 128, "intermediate_size": 384, "num_hidden_layers": 2, "num_attention_heads": 4}
CALL = '<tool_call>\n{{"name": "act", "arguments": {{"action": "{}"}}}}\n</tool_call>'
OPEN, CLOSE = CALL.split("{}")[0].replace("{{", "{"), CALL.split("{}")[1].replace("}}", "}")


class Calls(gym.Wrapper[str, str, str, str]):
    """Actions are calls of the tool `act`, and what the world answers is the tool's response, as in TRL's template."""

    def step(self, action: str) -> Any:
        """Play what the call says; anything else is heard as it is, and refused by the world."""
        called = action.startswith(OPEN) and action.endswith(CLOSE)
        seen, *rest = self.env.step(action[len(OPEN) : -len(CLOSE)] if called else action)
        return f"<tool_response>\n{seen}\n</tool_response>", *rest

    def expert_action(self) -> str:
        """The expert's action as a call."""
        return CALL.format(self.env.get_wrapper_attr("expert_action")())

    def sample_action(self, rng: Any) -> str:
        """A random action as a call."""
        return CALL.format(self.env.get_wrapper_attr("sample_action")(rng))


class Bench:
    """The world in both forms, the tokenizers, and a taught model.

    Attributes:
        horizon: Turns of an episode.
    """

    def __init__(self, slippery: bool):
        from trl.chat_template_utils import add_response_schema, qwen3_chat_template

        from agentgym.baselines.bridges import trl_grpo

        self.env_kwargs: dict[str, Any] = {"size": 4, "slippery": slippery, "frozen": 0.8}
        self.world = EnvPool(NAME, wrappers=(Calls,), **self.env_kwargs)
        self.horizon = 16
        self.lake = type("Lake", (trl_grpo.EnvPool,), {"name": NAME, "arguments": self.env_kwargs})
        self.rows = trl_grpo.rows
        shown = demonstrate(self.world, range(400), noise=0.3, seed=0)
        words = [text for episode in shown for turn in episode.turns for text in (turn.observation, turn.action)]
        self.tokenizer = train_tokenizer([self.world.manual, *words], 600)
        marks = ["<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
        from tokenizers import AddedToken

        self.tokenizer.add_tokens([AddedToken(mark, special=mark.startswith("<|")) for mark in marks])
        self.tokenizer.eos_token = "<|im_end|>"
        self.tokenizer.chat_template = qwen3_chat_template
        add_response_schema(self.tokenizer)
        self.ours = copy.deepcopy(self.tokenizer)
        self.ours.chat_template = self._fixed_system() + (
            "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
            "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
        )
        self.model = self._taught(shown)

    def engine(self) -> HuggingFaceEngine:
        """Our policy, with the taught weights."""
        return HuggingFaceEngine(copy.deepcopy(self.model), self.ours, max_new_tokens=ANSWER)

    def prompt(self, observation: str) -> list[dict[str, str]]:
        """What TRL renders at the beginning."""
        system, user = self.rows(self.lake, 1)[0]["prompt"]
        return [system, {**user, "content": observation}]

    def _fixed_system(self) -> str:
        """TRL's system message with manual and tool, as a piece of a template that takes no tools."""
        from transformers.utils import get_json_schema

        self.tools = [get_json_schema(self.lake().act)]
        text = self.tokenizer.apply_chat_template(self.prompt(SEEN), tools=self.tools, tokenize=False)
        head = text[: text.index("<|im_start|>user")]
        return "{{ " + json.dumps(head, ensure_ascii=False) + " }}"

    def _taught(self, shown: list[Any]) -> Any:
        from transformers import Qwen3Config, Qwen3ForCausalLM

        torch.manual_seed(0)
        shape = Qwen3Config(
            vocab_size=len(self.tokenizer), num_key_value_heads=4, head_dim=32, max_position_embeddings=CONTEXT,
            tie_word_embeddings=True, eos_token_id=self.tokenizer.eos_token_id,
            pad_token_id=self.tokenizer.pad_token_id, initializer_range=0.06, **SHAPE,
        )  # fmt: skip
        self.model = Qwen3ForCausalLM(shape).eval()
        engine, chat = HuggingFaceEngine(self.model, self.ours, max_new_tokens=ANSWER), ChatFormat(self.ours)
        segments = []
        for episode in shown:
            segment = Segment(logprobs=None)
            for number, turn in enumerate(episode.turns):
                segment.read(
                    chat.encode_next(turn.observation, closed=True) if number else chat.encode_first(turn.observation)
                )
                segment.say(number, chat.encode_action(turn.action), None)
            segment.read(chat.encode_next(episode.final, closed=True))
            segment.say(len(episode.turns), chat.encode_action("done"), None)
            segments.append(segment)
        clone(engine, segments, CloneConfig(len(segments), epochs=4, batch=16), micro_tokens=16_384)
        return self.model


def check_prompts(bench: Bench) -> None:
    """Both sides must read the same tokens."""
    theirs, chat = bench.tokenizer, ChatFormat(bench.ours)
    lake = bench.lake()
    first = lake.reset(task=3)
    asked = theirs.apply_chat_template(
        bench.prompt(first), tools=bench.tools, add_generation_prompt=True, return_dict=False
    )
    assert list(asked) == chat.encode_first(first), "the first prompts differ"
    answer = f"<tool_response>\n{lake.act('down')}\n</tool_response>"
    said = "<|im_end|>\n<|im_start|>user\n" + answer + "<|im_end|>\n<|im_start|>assistant\n"
    assert theirs.encode(said, add_special_tokens=False)[1:] == chat.encode_next(answer, closed=True)


def play_ours(bench: Bench, updates: int) -> Counter[str]:
    """Train with this package; figures of all updates but the first."""
    table = {
        "world": {"id": NAME},
        "model": {"name": "taught"},
        "rollout": {"groups": GROUPS, "group_size": GROUP_SIZE, "horizon": bench.horizon},
        "advantage": [{"name": "group_relative"}],
        "loss": {"name": "policy_gradient"},
        "update": {"updates": updates + 1, "learning_rate": RATE, "micro_tokens": 10**6},
    }
    clocks, found = Clocks(), Counter[str]()

    def on_update(metrics: dict[str, Any]) -> None:
        if clocks.tick():
            found.update({"episodes": metrics["episodes"], "tokens": metrics["tokens"]})
            found.update({"sampled": metrics["sampled_tokens"], "successes": metrics["success"] * metrics["episodes"]})

    trainer = Trainer(read_recipe(table), bench.engine(), bench.world, on_update=on_update)
    trainer.train()
    return found + clocks.spent


def play_trl(bench: Bench, updates: int) -> Counter[str]:
    """Train with TRL; figures of all updates but the first."""
    from transformers import TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    clocks, found = Clocks(), Counter[str]()
    batches: list[Counter[str]] = []

    class Counting(GRPOTrainer):
        def _generate_and_score_completions(self, inputs: Any) -> Any:
            made = super()._generate_and_score_completions(inputs)
            read = int(made["prompt_mask"].sum() + made["completion_mask"].sum())
            said = made["completion_mask"] * made["tool_mask"]
            won = sum(env._success for env in self.environments)
            batches.append(Counter(episodes=len(said), tokens=read, sampled=int(said.sum()), successes=won))
            return made

    class Ticking(TrainerCallback):
        def on_step_end(self, *_: Any, **__: Any) -> None:
            if clocks.tick():
                found.update(batches[-1])

    with tempfile.TemporaryDirectory() as out:
        config = GRPOConfig(
            output_dir=out, max_steps=updates + 1, num_generations=GROUP_SIZE, loss_type="grpo",
            per_device_train_batch_size=GROUPS * GROUP_SIZE, steps_per_generation=1, gradient_checkpointing=False,
            max_completion_length=CONTEXT - 700, generation_kwargs={"max_new_tokens": ANSWER}, temperature=1.0,
            top_k=0, top_p=1.0, beta=0.0, learning_rate=RATE, lr_scheduler_type="constant", max_grad_norm=1.0,
            max_tool_calling_iterations=bench.horizon, use_cpu=True, bf16=False, report_to="none",
            save_strategy="no", logging_strategy="no", disable_tqdm=True,
        )  # fmt: skip
        trainer = Counting(
            model=copy.deepcopy(bench.model), args=config, train_dataset=bench.rows(bench.lake, 512),
            processing_class=copy.deepcopy(bench.tokenizer), environment_factory=bench.lake, callbacks=[Ticking()],
        )  # fmt: skip
        trainer.train()
    return found + clocks.spent


class Clocks:
    """Seconds of clock and processor between ticks; what comes before the first is not counted."""

    def __init__(self) -> None:
        self.spent = Counter[str]()
        self._last: tuple[float, float] | None = None

    def tick(self) -> bool:
        """Whether an update has passed that counts."""
        now = time.perf_counter(), time.process_time()
        if self._last is not None:
            self.spent.update({"wall": now[0] - self._last[0], "processor": now[1] - self._last[1]})
        counted, self._last = self._last is not None, now
        return counted


def row(name: str, sums: Counter[str]) -> str:
    """A line of the table."""
    each = sums["episodes"]
    return (
        f"| {name:8} | {each / sums['processor']:8.1f} | {each / sums['wall']:8.1f} | {each:8,} | {sums['tokens']:9,} "
        f"| {sums['sampled']:8,} | {sums['tokens'] / each:6.0f} | {sums['sampled'] / each:6.1f} "
        f"| {sums['successes'] / each:5.0%} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=2, help="that count, of each trainer in each round")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--slippery", action="store_true", help="longer episodes")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if importlib.util.find_spec("trl") is None:
        print("The comparison with TRL is left out: TRL is not installed (pip install -c constraints.txt '.[trl]').")
        return
    warnings.filterwarnings("ignore")
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    bench = Bench(given.slippery)
    check_prompts(bench)
    probe = collect(bench.world, bench.engine(), [EpisodeSpec(task, task, task, (9, task)) for task in range(64)])
    turns = sum(len(episode.turns) for episode in probe) / len(probe)
    sides: dict[str, Callable[[Bench, int], Counter[str]]] = {"agentgym": play_ours, "TRL": play_trl}
    sums = {name: Counter[str]() for name in sides}
    for _ in range(given.rounds):
        for name, play in sides.items():
            sums[name] += play(bench, given.updates)
    trl, transformers = importlib.import_module("trl"), importlib.import_module("transformers")
    print(f"{platform.machine()}, {torch.get_num_threads()} threads, load {os.getloadavg()[0]:.1f}; torch "
          f"{torch.__version__}, transformers {transformers.__version__}, trl {trl.__version__}; "
          f"{GROUPS} groups of {GROUP_SIZE}, {turns:.1f} turns an episode")  # fmt: skip
    print(
        "| trainer  | ep/s cpu | ep/s     | episodes | tokens    | sampled  | tok/ep | say/ep | won   |\n"
        + "|---" * 9
        + "|"
    )
    for name, found in sums.items():
        print(row(name, found), flush=True)
    speed = {
        clock: sums["agentgym"]["episodes"] / sums["agentgym"][clock] * sums["TRL"][clock] / sums["TRL"]["episodes"]
        for clock in ("processor", "wall")
    }
    print(f"agentgym plays and learns from {speed['processor']:.2f} times the episodes a processor second, "
          f"{speed['wall']:.2f} times by the clock.")  # fmt: skip
    if given.json:
        given.json.write_text(json.dumps({"speed": speed, "sums": sums}, indent=1), encoding="utf8")


if __name__ == "__main__":
    sys.exit(main())
