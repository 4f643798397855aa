"""Who proposes edits of an artifact: a chat model that compares the episodes of a group, or a function of one's own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.agents import ChatPolicy, check_options, make_agent
from agentgym.agents.chat_tokens import ChatTokenPolicy
from agentgym.core import AgentGymError, ConfigError, Reply
from agentgym.core.errors import named_function
from agentgym.core.json_text import last_value
from agentgym.core.rng import stream
from agentgym.rollout import Episode
from agentgym.train.advantage_utils import SPREAD
from agentgym.train.interfaces import Part

OPS = ("add", "modify", "delete")
SHOWN = 1_200  # characters of an episode that an editor reads
ASKED = """You improve a list of short, general lessons for an agent. Below are the lessons and tries at the same tasks,
with what they earned. Compare the better tries of a task with the worse ones. Answer with a JSON list of at most {most}
edits and nothing else: {{"op": "add", "text": "..."}}, {{"op": "modify", "name": "e1", "text": "..."}} or
{{"op": "delete", "name": "e1"}}. An empty list changes nothing.

Lessons:
{lessons}

{tries}"""


@dataclass(frozen=True)
class Edit:
    """One change of an artifact.

    Attributes:
        op: `add`, `modify` or `delete`.
        name: Of the entry; "" lets a new one be named.
        text: What the entry says then; "" where it is deleted.
    """

    op: str
    name: str = ""
    text: str = ""


class Editor(Part):
    """Base of all."""

    @abstractmethod
    def propose(
        self, entries: Mapping[str, str], groups: Sequence[Sequence[Episode]], rng: np.random.Generator
    ) -> list[Edit]:
        """Edits of the entries, from what the episodes of the same groups did and earned.

        Args:
            entries: As they are.
            groups: Episodes that are compared: same task, same seed, same role.
            rng: For whatever is drawn.
        """


@dataclass(frozen=True)
class FunctionEditor(Editor):
    """A function of one's own, such as a rule that finds what winners did.

    Attributes:
        rule: As `module:function`; it takes what `Editor.propose` takes and returns edits.
    """

    rule: str
    _found: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._found.append(named_function(self.rule, "the rule of an editor"))

    def propose(
        self, entries: Mapping[str, str], groups: Sequence[Sequence[Episode]], rng: np.random.Generator
    ) -> list[Edit]:
        """What the rule says, as a list.

        Args:
            entries: As they are, by name.
            groups: Episodes that are compared: same task, same seed, same role.
            rng: For whatever the rule draws.
        """
        return list(self._found[0](entries, groups, rng))


@dataclass(frozen=True)
class ModelEditor(Editor):
    """A chat model reads the best and the worst try of each group and answers with edits as JSON.

    The semantic advantage of Training-Free GRPO (arXiv:2510.08191, section 3), in one question for all groups of a
    round; groups in which all earned the same are left out, as they are there. An answer that is no list of edits
    changes nothing, and is counted.

    Attributes:
        agent: Of `agentgym.agents.AGENTS`, such as `endpoint:MODEL` or `hf:MODEL`.
        options: Of that agent.
        most: Edits of an answer that are read.
        groups: Most groups of a question; fewer where a local model's context has no room for them.
    """

    agent: str
    options: dict[str, Any] = field(default_factory=dict)
    most: int = 4
    groups: int = 8
    _policy: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_options(self.agent, self.options)
        if self.most < 1 or self.groups < 1:
            raise ConfigError(f"most and groups of an editor must be at least 1, got {self.most} and {self.groups}")

    def propose(
        self, entries: Mapping[str, str], groups: Sequence[Sequence[Episode]], rng: np.random.Generator
    ) -> list[Edit]:
        """Ask the model about the first groups that earned differently; without any, nothing is asked or edited.

        Args:
            entries: As they are, by name; the model reads them.
            groups: Episodes that are compared: same task, same seed, same role.
            rng: What the seed of the answer is drawn from.

        Raises:
            ConfigError: if the agent is no chat model.
        """
        differ = [group for group in groups if np.std([each.total_return for each in group]) > SPREAD][: self.groups]
        if not differ:
            return []
        if not self._policy:
            self._policy.append(make_agent(self.agent, **self.options))
        policy, seed = self._policy[0], _seed(rng)
        if isinstance(policy, ChatPolicy):
            (reply,) = policy.answer([[{"role": "user", "content": self.question(entries, differ)}]], [seed])
            return self.read(reply)
        if not isinstance(policy, ChatTokenPolicy):
            raise ConfigError(
                f"artifact.editor needs a chat model, and {self.agent!r} is none; use endpoint:MODEL or hf:MODEL"
            )
        room = policy.context_limit - policy.max_new_tokens
        asked = policy.encode_first(self.question(entries, differ))
        while len(asked) > room and len(differ) > 1:
            differ = differ[:-1]
            asked = policy.encode_first(self.question(entries, differ))
        if len(asked) > room:
            self.count(questions_too_long=1)
            return []
        (said,) = policy.open([stream("train.editors.answer", seed)]).generate([asked])
        return self.read(Reply(said.text))

    def question(self, entries: Mapping[str, str], groups: Sequence[Sequence[Episode]]) -> str:
        """What the model is asked.

        Args:
            entries: The lessons as they are.
            groups: Those that it compares.
        """
        lessons = "\n".join(f"{name}: {text}" for name, text in entries.items()) or "(none)"
        tries = []
        for number, group in enumerate(groups, 1):
            ranked = sorted(group, key=lambda each: -each.total_return)
            tries += [
                f"Task {number}, earned {each.total_return:.3g}:\n{_told(each)}" for each in (ranked[0], ranked[-1])
            ]
        return ASKED.format(most=self.most, lessons=lessons, tries="\n\n".join(tries))

    def read(self, reply: Reply | AgentGymError) -> list[Edit]:
        """The edits of an answer: text from a model is data, and what is no edit is left out.

        Args:
            reply: The answer, or why there is none.
        """
        listed = last_value(reply.text, "[") if isinstance(reply, Reply) else None
        if not isinstance(listed, list):
            self.count(answers_unread=1)
            return []
        found = []
        for each in listed[: self.most]:
            texts = isinstance(each, dict) and all(isinstance(each.get(key, ""), str) for key in ("op", "name", "text"))
            if texts and each.get("op") in OPS:
                found.append(Edit(each["op"], each.get("name", ""), each.get("text", "")))
        return found


def _told(episode: Episode) -> str:
    text = "\n".join(f"saw: {turn.observation}\nsaid: {turn.action}" for turn in episode.turns)
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]}\n...\n{text[-SHOWN // 2 :]}"


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


EDITORS: dict[str, type[Editor]] = {"function": FunctionEditor, "model": ModelEditor}
