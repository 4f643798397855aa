"""How a world is put into words for a policy: one object, used when it is trained and when it is evaluated.

A policy owns its prompt, and a run saves it beside the weights, so whoever plays the policy shows it the same tokens
and reads its answers in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from agentgym.agents.context import CONTEXTS, WHOLE, Context
from agentgym.agents.shots import Shots, shots_from_record, shots_record
from agentgym.agents.template import used_variables
from agentgym.core import ConfigError, unknown
from agentgym.core.call_forms import has_native_call
from agentgym.core.prose import ANY_TEXT, NONE, FirstWords, extract, without_thinking
from agentgym.core.tool_grammar import last_calls

Answer = Literal["whole", "last_line"]
HOW_TO_ANSWER = (
    "You may think before you act. The last line of your answer is your action, and nothing else stands on that line."
)
HOW_TO_CALL_NATIVELY = (
    "You may think before you act. Call one tool a turn through the interface for tool calls; do not write the call as "
    "text."
)
HOW_TO_CALL = "You may think before you act. The last JSON object of your answer is your action."


@dataclass(frozen=True)
class Prompt:
    """What a policy is shown beside observations, and which part of its answer the world hears.

    Attributes:
        manual: Whether a system message holds the world's manual, and how to answer where `answer` is `last_line`.
        answer: `whole`: the whole answer is the action; `last_line`: the part that `extract_action` finds, or what a
            wrapper reads that is there to read answers.
        context: How much of the conversation is shown.
        system: Words with which the system message begins; all of it where there is a template.
        template: A Jinja template of the one message that is shown in each turn, in place of a conversation; see
            `agentgym.agents.template`. "" for a conversation.
        shots: Examples by player, shown before the task; a template shows them itself.
        most_tokens: Most tokens of what is shown; the oldest turns are left out first. Never left out are the system
            message, the examples, the task and the newest observation. None for no limit but the model's own.
        guidance: What was learned in words, said before the task; see `agentgym.train.artifacts`.
    """

    manual: bool = False
    answer: Answer = "whole"
    context: Context = WHOLE
    system: str = ""
    template: str = ""
    shots: Shots = field(default_factory=dict)
    most_tokens: int | None = None
    guidance: str = ""

    def __post_init__(self) -> None:
        if self.answer not in get_args(Answer):
            raise unknown("prompt.answer", self.answer, get_args(Answer))
        if self.most_tokens is not None and self.most_tokens < 1:
            raise ConfigError(f"a prompt has at least 1 token, got {self.most_tokens}")
        takes_shots = bool(self.template) and "shots" in used_variables(self.template)
        if self.template and self.shots and not takes_shots:
            raise ConfigError("the prompt shows no examples; let it take {{ shots }}, or leave out shots")

    def system_message(self, manual: str, *, calls: bool, native: bool = False, reads_replies: str = "") -> str:
        """The system message in a world.

        Args:
            manual: The world's manual, as the player is told it.
            calls: Whether actions are JSON tool calls.
            native: Whether the policy makes them through an interface of its own.
            reads_replies: What wrappers read of an answer; see `Briefing`.

        Returns:
            The message; "" for none.
        """
        parts = [self.system]
        if self.manual and not self.template:
            parts += [manual, self.how_to_answer(calls=calls, native=native, reads_replies=reads_replies)]
        return "\n\n".join(filter(None, parts))

    def how_to_answer(self, *, calls: bool, native: bool = False, reads_replies: str = "") -> str:
        """How an answer is written; "" where the manual says it all.

        Args:
            calls: Whether actions are JSON tool calls.
            native: Whether the policy makes them through an interface of its own.
            reads_replies: What wrappers read of an answer; see `Briefing`.
        """
        if native:
            return HOW_TO_CALL_NATIVELY
        if self.answer == "whole" or reads_replies:
            return ""
        return HOW_TO_CALL if calls else HOW_TO_ANSWER

    def action(self, said: str, *, calls: bool, reads_replies: str = "", first_words: FirstWords | None = NONE) -> str:
        """The action in an answer.

        Args:
            said: The answer, without special tokens.
            calls: Whether actions are JSON tool calls.
            reads_replies: What wrappers read of an answer; see `Briefing`.
            first_words: How commands begin; see `Briefing`.

        Returns:
            What the world hears; it may well be invalid.
        """
        if self.answer == "whole" or reads_replies == "whole":
            return said
        if reads_replies:
            return without_thinking(said)
        return extract_action(said, calls=calls, first_words=first_words)

    def record(self) -> dict[str, Any]:
        """The prompt as JSON-safe data, for `from_record`.

        Raises:
            ConfigError: if a rule of its context is a function without a name.
        """
        names = {kind: name for name, kind in CONTEXTS.items()}
        context = {"name": names[type(self.context)], **asdict(self.context)}  # type: ignore[call-overload]
        rule = context.get("rule")
        if callable(rule):
            context["rule"] = f"{rule.__module__}:{rule.__qualname__}"
            if "<" in context["rule"]:
                raise ConfigError(f"the context's rule {context['rule']} cannot be saved; give it as module:function")
        own = {"system": self.system, "template": self.template, "most_tokens": self.most_tokens}
        own |= {"guidance": self.guidance} if self.guidance else {}
        shots = shots_record(self.shots)
        return {"manual": self.manual, "answer": self.answer, "context": context, **own, "shots": shots}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Prompt:
        """The prompt that `record` describes.

        Args:
            record: What the method of that name gave.

        Raises:
            KeyError, TypeError: if it is no such record.
        """
        context = dict(record["context"])
        return cls(
            record["manual"],
            record["answer"],
            CONTEXTS[context.pop("name")](**context),
            record["system"],
            record["template"],
            shots_from_record(record["shots"]),
            record["most_tokens"],
            record.get("guidance", ""),
        )


BARE = Prompt()
CHAT = Prompt(manual=True, answer="last_line")


def extract_action(said: str, *, calls: bool = False, first_words: FirstWords | None = NONE) -> str:
    """The action in a model's answer, by the rule of `agentgym.core.prose`, which the world reads it by as well.

    In a world of words it is what the last mark holds (`Action: ...`, `<answer>`, a TeX box), otherwise the last line,
    or talk to its end; back-ticks and asterisks around it are removed. In a world of tool calls (`calls`) it is the
    last JSON object, with a call right before it if there is one, as the world refuses both; without one, or where a
    call has a form of its own (`agentgym.core.call_forms`), the answer as it stands.

    Args:
        said: The answer.
        calls: Whether actions are JSON tool calls.
        first_words: How the world's commands begin; without them talk ends with its line.

    Returns:
        The action, which may well be invalid: that is for the world to say.
    """
    if calls:
        answer = without_thinking(said)
        return answer.strip() if has_native_call(answer) else ", ".join(last_calls(answer)) or answer.strip()
    action = extract(said, first_words)
    return action if first_words is ANY_TEXT else action.strip("`*").strip() or action
