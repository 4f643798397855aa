"""`poact`: a chat model that plans, thinks or writes code, as a controller says, and is shown few tools at a time."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.agents.address import OPENAI
from agentgym.agents.budget import Budget
from agentgym.agents.endpoint import Endpoint, LimitName
from agentgym.agents.endpoint_agent import open_endpoint
from agentgym.agents.policy import FAILURES, Generation, Reads, View, _Stateless
from agentgym.agents.prompt import BARE, Prompt
from agentgym.core import ConfigError, Message, Reply
from agentgym.core.prose import without_thinking

PLAN, THINK, CODE = "PLAN", "THINK", "CODE"
STEPS = {  # what the controller chooses from, and what the model is then asked for
    PLAN: "Write a plan for what is left to do: numbered steps, one line each, with the functions that you will need.",
    THINK: "Think about what the last result means and what follows for the next step, in a few sentences. No code.",
    CODE: "Write the program that takes the next step: one block, ```python ... ```, and nothing else.",
}
CONTROL = (
    f"How should you go on? Answer with one word: {PLAN} (there is no plan yet, or it no longer fits), {THINK} (a "
    f"result has to be understood first) or {CODE} (it is clear what to do next)."
)
RULES = (
    "You solve a task by writing programs of Python that call functions. Each program is run, and you see what it "
    "prints; nothing is left of it afterwards, but what its calls have changed stays. You work in steps: a plan, a "
    "thought or a program. These functions fit the step best; there are {others} others, which you get to see when you "
    "name what you need:\n{shown}"
)
LABELS = {PLAN: "Plan", THINK: "Thought"}
WORD, CALLED, CHOSEN = re.compile(r"[a-z]+|[0-9]+"), re.compile(r"\b(\w+)\s*\("), re.compile("|".join(STEPS))
SATURATION, LENGTHS = 1.5, 0.75  # k1 and b of BM25
CONTROL_TOKENS = 16
Tool = Mapping[str, Any]


class PoActPolicy:
    """A chat model under two controllers: of the policy in which a step is reasoned, and of the actions it may choose.

    In each turn of the world a question to the model chooses the policy: planning, thinking or coding. What it plans or
    thinks is shown to it in the next question, until it writes a program, at the latest after `notes` of them. The
    reply holds plan and thoughts as text before the program, so that later turns show them too.

    In each question only those functions are described that fit it best: the first `shown` by BM25 over names and
    descriptions, against the task and the newest notes. Besides there are those that earlier programs called, those
    that the notes name, and the last one of the world, which ends a task.

    It is put around `CodeAction`, whose functions are the world's tools, and reads views of the world: what stands in
    the transcript is the reply alone, with the tokens of all questions that led to it.

    Args:
        endpoint: Answers questions.
        shown: Functions that are retrieved for a question.
        notes: Most plans and thoughts in a turn.
        max_tokens: Most tokens of an answer.

    Source: Yuan et al., PoAct: Policy and Action Dual-Control Agent for Generalized Applications, 2025,
    arXiv:2501.07054. Differences: the controller of policies is the model itself; the reviewer of actions, which scores
    several drafts, is left out; functions are retrieved by words.
    """

    reads: Reads = "view"
    prompt: Prompt = BARE
    version: int | None = None

    def __init__(self, endpoint: Endpoint, *, shown: int = 10, notes: int = 2, max_tokens: int = 1024):
        if shown < 1 or notes < 0 or max_tokens < 1:
            raise ConfigError(
                f"poact needs shown and max_tokens of at least 1 and notes of at least 0, got {shown}, {max_tokens}, "
                f"{notes}"
            )
        self._endpoint, self._shown, self._notes, self._max_tokens = endpoint, shown, notes, max_tokens

    @property
    def budget(self) -> Budget | None:
        """What may be spent; None if nobody counts."""
        return self._endpoint.budget

    def open(self, generators: Sequence[np.random.Generator]) -> PoActSession:
        """Begin a batch of conversations, one a generator."""
        return PoActSession(self, generators)

    def act(self, view: View, rng: np.random.Generator) -> Reply:
        """The reply of one turn, with what all its questions took.

        Args:
            view: What the player is given.
            rng: The conversation's own generator.

        Raises:
            ConfigError: if the world has no functions.
            FAILURES: if there is no answer.
        """
        if not view.tools or not view.info.get("instruction"):
            raise ConfigError(f"poact plays worlds of tools, through CodeAction; {view.env_id} has none")
        turn = _Turn(self, view, rng)
        while len(turn.notes) < self._notes:
            step = turn.choose()
            if step == CODE:
                break
            turn.note(step)
        return turn.code()

    def ask(self, messages: Sequence[Message], rng: np.random.Generator, most: int | None = None) -> Reply:
        """One question.

        Args:
            messages: From the system message on.
            rng: Gives the seed.
            most: Tokens of the answer; None for the usual number.
        """
        seed = int(rng.integers(2**31))
        return self._endpoint.complete(messages, seed=seed, max_tokens=most or self._max_tokens)


def poact_policy(
    *,
    model: str,
    base_url: str = OPENAI,
    api_key_env: str | None = None,
    temperature: float | None = None,
    top_p: float | None = None,
    extra_body: Mapping[str, Any] | None = None,
    drop: Sequence[str] = (),
    limit_name: LimitName | None = None,
    max_tokens: int = 1024,
    shown: int = 10,
    notes: int = 2,
    concurrency: int = 8,
    timeout: float = 300.0,
    retries: int = 5,
    price_in: float | None = None,
    price_out: float | None = None,
    prices: str | None = None,
    max_cost: float | None = None,
    max_total_tokens: int | None = None,
) -> PoActPolicy:
    """The agent `poact`, made of its options.

    Args:
        model, base_url, api_key_env, temperature, top_p, extra_body, drop, limit_name: As of `endpoint_policy`.
        max_tokens, shown, notes: See `PoActPolicy`.
        concurrency, timeout, retries, price_in, price_out, prices, max_cost, max_total_tokens: As of `endpoint_policy`.

    Raises:
        ConfigError: if a variable is named and not set, or an option is out of range.
    """
    endpoint = open_endpoint(
        model=model, base_url=base_url, api_key_env=api_key_env, temperature=temperature, top_p=top_p,
        extra_body=extra_body, drop=drop, limit_name=limit_name, concurrency=concurrency, timeout=timeout,
        retries=retries, price_in=price_in, price_out=price_out, prices=prices, max_cost=max_cost,
        max_total_tokens=max_total_tokens,
    )  # fmt: skip
    return PoActPolicy(endpoint, shown=shown, notes=notes, max_tokens=max_tokens)


class PoActSession(_Stateless):
    """Conversations of a `PoActPolicy`, several under way at once."""

    def __init__(self, policy: PoActPolicy, generators: Sequence[np.random.Generator]):
        super().__init__(generators)
        self._policy = policy

    def generate(self, inputs: Sequence[Any], rows: Sequence[int] | None = None) -> list[Generation]:
        """One reply a view, each asked for in a thread of its own; a row that cannot go on answers with its error.

        Args:
            inputs: `View`s, one a row that answers.
            rows: Which rows answer; None for all.
        """
        answering = [self._generators[row] for row in (range(len(self._generators)) if rows is None else rows)]
        if not answering:
            return []
        with ThreadPoolExecutor(len(answering)) as threads:
            return list(threads.map(self._answered, inputs, answering))

    def _answered(self, view: View, rng: np.random.Generator) -> Generation:
        try:
            reply = self._policy.act(view, rng)
        except FAILURES as error:
            return Generation("", error=error)
        return Generation(reply.text, reply=reply)


@dataclass
class _Turn:
    """One turn: the notes so far, and the answers that were given."""

    policy: PoActPolicy
    view: View
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.notes: list[str] = []
        self.answers: list[Reply] = []

    def choose(self) -> str:
        """The policy of the next step, as the controller says; code if it says none."""
        said = self._asked(CONTROL, CONTROL_TOKENS)
        found = CHOSEN.search(said.upper())
        return found[0] if found else CODE

    def note(self, step: str) -> None:
        """A plan or a thought; without a fence, for a program follows it."""
        self.notes.append(f"{LABELS[step]}: {self._asked(STEPS[step]).replace('```', '').strip()}")

    def code(self) -> Reply:
        """The reply, with the program at its end."""
        said = self._asked(STEPS[CODE])
        text = "\n\n".join([*self.notes, said])
        last = self.answers[-1]
        return Reply(
            text,
            prompt_tokens=sum(each.prompt_tokens for each in self.answers),
            completion_tokens=sum(each.completion_tokens for each in self.answers),
            cost=math.fsum(each.cost for each in self.answers),
            reasoning_tokens=sum(each.reasoning_tokens for each in self.answers),
            reasoning="\n\n".join(each.reasoning for each in self.answers if each.reasoning),
            finish_reason=last.finish_reason,
            refusal=last.refusal,
            seconds=math.fsum(each.seconds for each in self.answers),
            tries=1 + sum(each.tries - 1 for each in self.answers),  # what was asked again
        )

    def _asked(self, question: str, most: int | None = None) -> str:
        self.answers.append(self.policy.ask(self._messages(question), self.rng, most))
        return without_thinking(self.answers[-1].text)

    def _messages(self, question: str) -> list[Message]:
        """The conversation so far, in which the newest observation is followed by this turn's notes and a question."""
        view = self.view
        task = str(view.info["instruction"])
        newest = view.seen[-1:] if view.said else []
        words = "\n".join([task, *(self.notes or newest)])
        chosen = retrieved(view.tools, words, [*view.said, *self.notes], self.policy._shown)
        rules = RULES.format(others=len(view.tools) - len(chosen), shown="\n".join(map(described, chosen)))
        talk: list[Message] = [{"role": "system", "content": rules}]
        seen = [task, *view.seen[1:]]  # the first observation lists every function
        for before, said in zip(seen, view.said, strict=False):
            talk += [{"role": "user", "content": before}, {"role": "assistant", "content": said}]
        last = "\n\n".join([seen[-1], *self.notes, question])
        return [*talk, {"role": "user", "content": last}]


def described(tool: Tool) -> str:
    """A function in a few lines.

    Args:
        tool: In the form of chat APIs.
    """
    about = tool["function"]
    slots = about["parameters"].get("properties", {})
    needed = about["parameters"].get("required", ())
    names = ", ".join(name if name in needed else f"{name}=None" for name in slots)
    lines = [f"- {about['name']}({names}): {about['description']}"]
    for name, schema in slots.items():
        said = [schema.get("description", ""), *([f"one of {json.dumps(schema['enum'])}"] if "enum" in schema else ())]
        if any(said):
            lines.append(f"    {name}: {' '.join(filter(None, said))}")
    return "\n".join(lines)


def retrieved(tools: Sequence[Tool], words: str, said: Sequence[str], count: int) -> list[Tool]:
    """The functions that a question describes, in the order of the world.

    Args:
        tools: All there are.
        words: What they are to fit.
        said: Earlier replies and notes; functions that they call, or name, are kept.
        count: How many are kept that fit best.
    """
    names = [tool["function"]["name"] for tool in tools]
    spoken = set(re.findall(r"\w+", " ".join(said)))
    scores = bm25([f"{name.replace('_', ' ')} {tool['function']['description']}"
                   for name, tool in zip(names, tools, strict=True)], words)  # fmt: skip
    best = sorted(range(len(tools)), key=lambda place: (-scores[place], place))[:count]
    return [
        tool
        for place, (name, tool) in enumerate(zip(names, tools, strict=True))
        if place in best or name in spoken or place == len(tools) - 1
    ]


def bm25(texts: Sequence[str], words: str) -> list[float]:
    """How well each text fits some words (Robertson and Zaragoza 2009), plurals as singulars.

    Args:
        texts: At least one.
        words: What is looked for; a word counts once.
    """
    counts = [Counter(_words(text)) for text in texts]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths)
    scores = [0.0] * len(texts)
    for word in sorted(set(_words(words))):  # sums of floats depend on their order
        holding = sum(word in count for count in counts)
        if holding:
            rarity = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
            for place, count in enumerate(counts):
                long = SATURATION * (1 - LENGTHS + LENGTHS * lengths[place] / mean)
                scores[place] += rarity * count[word] * (SATURATION + 1) / (count[word] + long)
    return scores


def _words(text: str) -> list[str]:
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in WORD.findall(text.lower())]
