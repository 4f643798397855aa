"""verl: an agent loop that plays worlds, and the data set that calls it.

    python -m agentgym.baselines.bridges.verl_loop --world TextCraft-v1 --count 256 --out runs/verl/train.parquet

writes the rows. Training is verl's own command, told to import this module and to read the rows:

    python -m verl.trainer.main_ppo data.train_files=runs/verl/train.parquet data.return_raw_chat=True \\
        actor_rollout_ref.rollout.agent.agent_loop_config_path=agentgym_loop.yaml ...

with `agentgym_loop.yaml` holding `- {name: agentgym, _target_: agentgym.baselines.bridges.verl_loop.WorldAgentLoop}`.

The tokens of what the model said have mask 1, those of what the world answered 0; the return of the episode is the
score of the trajectory, so that no reward function is asked. Written to the protocol of verl 0.9.1 (`AgentLoopBase`
with its `ct_` methods, which keep the model's tokens as they were sampled); other releases name these differently. It
wants an environment of its own: verl holds back transformers and tensordict.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from rich.console import Console
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput, register

from agentgym.baselines.bridges.chat import begun, from_row, rows
from agentgym.core import ConfigError

NAME = "agentgym"


@register(NAME)
class WorldAgentLoop(AgentLoopBase):  # type: ignore[misc]
    """Plays the world of a row to its end, to the limit of turns, or until the response is full."""

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> AgentLoopOutput:
        """One episode.

        Args:
            sampling_params: Passed on to the server of the model.
            kwargs: The columns of the row; `extra_info` holds what `chat.from_row` wants.

        Raises:
            ConfigError: if the world does not show what the row's prompt says.
        """
        row, limit = kwargs["extra_info"], self.rollout_config.response_length
        env, most = from_row(row), self.rollout_config.multi_turn.max_assistant_turns
        messages = [dict(message) for message in kwargs["raw_prompt"]]
        if messages[-1]["content"] != begun(env, int(row["seed"])):
            raise ConfigError(
                f"{row['world']} no longer shows what the prompt of row {row['seed']} says; write the rows anew"
            )
        tokens = await self.ct_build_initial_tokens(messages)
        mask: list[int] = []
        logprobs: list[float] = []
        asked: dict[str, Any] = {}
        request, total, turns, info = uuid4().hex, 0.0, 0, {"success": False, "progress": 0.0}
        while True:
            output = await self.server_manager.generate(
                request_id=request, prompt_ids=tokens, sampling_params=sampling_params
            )
            asked = asked or dict(output.extra_fields)
            given = output.log_probs or None
            merged, mask, noted = await self.ct_merge_assistant_token(
                tokens, output.token_ids, mask, logprobs if given else None, assistant_logprobs=given
            )
            tokens, logprobs, turns = merged.token_ids, noted or [], turns + 1
            reply = self.tokenizer.decode(output.token_ids, skip_special_tokens=True)
            seen, reward, terminated, truncated, info = await self.loop.run_in_executor(None, env.step, reply)
            total += float(reward)
            if terminated or truncated or len(mask) >= limit or (most and turns >= most):
                break
            before = [*messages, {"role": "assistant", "content": reply}]
            messages = [*before, {"role": "user", "content": str(seen)}]
            merged, wider, noted = await self.ct_merge_context_msg(before, messages, tokens, mask, logprobs or None)
            if len(wider) >= limit:
                break
            tokens, mask, logprobs = merged.token_ids, wider, noted or []
        return AgentLoopOutput(
            prompt_ids=tokens[: len(tokens) - len(mask)],
            response_ids=tokens[len(tokens) - len(mask) :][:limit],
            response_mask=mask[:limit],
            response_logprobs=logprobs[:limit] if logprobs else None,
            reward_score=total,
            num_turns=2 * turns,
            metrics=AgentLoopMetrics(),
            extra_fields={
                **asked,
                "success": bool(info["success"]),
                "progress": float(info["progress"]),
                "turn_scores": [],
                "tool_rewards": [],
            },
        )


def dataset(world: str, split: str, count: int, **arguments: Any) -> list[dict[str, Any]]:
    """Rows of verl's data set: prompt, the name of the loop, and under `extra_info` what begins the episode.

    Args:
        world: An id.
        split: Where tasks come from.
        count: How many.
        arguments: Other constructor arguments.
    """
    made = []
    for row in rows(world, split, count, **arguments):
        rest = {"index": row["seed"], **{key: row[key] for key in ("world", "split", "arguments", "seed")}}
        made.append(
            {
                "data_source": f"agentgym/{world}",
                "agent_name": NAME,
                "prompt": row["prompt"],
                "reward_model": {"style": "rule", "ground_truth": ""},
                "extra_info": rest,
            }
        )
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the rows of a world."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="TextCraft-v1", help="the world (%(default)s)")
    parser.add_argument("--split", default="train", help="its split (%(default)s)")
    parser.add_argument("--count", type=int, default=256, help="tasks (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("runs/verl/train.parquet"), help="the file (%(default)s)")
    given = parser.parse_args(arguments)
    from datasets import Dataset  # comes with verl; nothing else here needs it

    given.out.parent.mkdir(parents=True, exist_ok=True)
    Dataset.from_list(dataset(given.world, given.split, given.count)).to_parquet(str(given.out))
    Console().print(f"{given.count} tasks of {given.world}: {given.out}", highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
