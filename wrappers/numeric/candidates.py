"""Actions by number where nobody can list them: a model proposes a few, and a policy chooses among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, cast

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from agentgym.core import Cassette, ConfigError, Message, Reply, TextModel, fingerprint
from agentgym.core.checks import check_whole
from agentgym.core.errors import named_function
from agentgym.core.rng import stream
from agentgym.wrappers.numeric.actions import IndexedActions

MOST = 64  # candidates
ASK = "Answer with one action and nothing else."
OTHERS = "These have been named already, so name another one that you find good: {}"


def distinct(proposed: Iterable[str], most: int) -> list[str]:
    """The first proposals that differ by more than case and spaces, at most so many.

    Args:
        proposed: In order.
        most: How many are wanted.
    """
    found: dict[str, str] = {}
    for action in proposed:
        if len(found) == most:
            break
        found.setdefault(" ".join(action.casefold().split()), action)
    return list(found.values())


def question(manual: str, observation: str, named: Sequence[str]) -> list[Message]:
    """What a model is asked for one more candidate.

    Args:
        manual: Rules and actions.
        observation: What is seen.
        named: Candidates so far, which it is told, since models repeat themselves.
    """
    told = [observation, *([OTHERS.format("; ".join(named))] if named else []), ASK]
    return [{"role": "system", "content": manual}, {"role": "user", "content": "\n\n".join(told)}]


class CandidateSelect(IndexedActions, RecordConstructorArgs):
    """Candidates by number: each turn a model proposes actions, and index i plays the i-th of them.

    A learned policy over the candidates takes out what a language model is biased to, and needs none of its weights.
    The action space is `Discrete(candidates + 1)`; the mask leaves out places that no candidate fills, and the last
    index is the no-op of `SlotActions`. Those candidates count that the world reads and that differ from each other;
    if it reads none, the first answer stands there as it was said. `ReadableActions` shows the policy what each says.

    The model is asked with seeds made of the task, the turn and the number of the try, so that a seeded or recorded one
    proposes the same again. Without a model the world's own `sample_action` proposes.

    `info["candidates"]` (list of str) holds them, `info["proposals"]` (dict of float: `asked`, `tokens` and `cost` in
    US dollars) what this turn's took.

    Args:
        env: A world whose actions are text.
        candidates: Most that are proposed, 2 to 64.
        tries: Times the model is asked at most; None for twice as many as candidates.
        model: `module:function` of a function that makes an `agentgym.core.TextModel`; None for no model.
        arguments: Keyword arguments for that function, JSON-safe.
        cassette: Path of a cassette that replays recorded answers; with `record` it also takes down new ones.
        record: Whether the model may be asked for what the cassette lacks.
        max_tokens: Most tokens of an answer.

    Raises:
        ConfigError: if an argument is out of range or the model cannot be found.

    Source: Xu et al. 2023, Language Agents with Reinforcement Learning for Strategic Play in the Werewolf Game
    (arXiv:2310.18940), whose policy chooses among candidates that a language model proposes.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import CandidateSelect
    >>> env = CandidateSelect(gym.make("AgentGym/TextCraft-v1"), candidates=3)
    >>> text, info = env.reset(seed=0)
    >>> env.action_space, len(info["candidates"]), info["action_mask"].tolist()
    (Discrete(4), 3, [True, True, True, False])
    """

    names_files: ClassVar[frozenset[str]] = frozenset({"cassette"})

    def __init__(
        self,
        env: gym.Env[Any, str],
        candidates: int = 5,
        tries: int | None = None,
        model: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        cassette: str | None = None,
        record: bool = False,
        max_tokens: int = 64,
    ):
        given = dict(arguments or {})
        RecordConstructorArgs.__init__(
            self, candidates=candidates, tries=tries, model=model, arguments=given, cassette=cassette, record=record,
            max_tokens=max_tokens,
        )  # fmt: skip
        candidates = check_whole("candidates", candidates, 2, MOST)
        tries = 2 * candidates if tries is None else tries
        tries = check_whole("tries", tries, candidates, 100 * MOST)
        max_tokens = check_whole("max_tokens", max_tokens, 1, 100_000)
        super().__init__(env, candidates)
        self.tries, self.max_tokens = tries, max_tokens
        self._model = _proposer(model, given, cassette, record)
        self._shown, self._task, self._turn = "", "", 0
        self._spent = {"asked": 0.0, "tokens": 0.0, "cost": 0.0}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the world's, with the candidates for the first turn.

        Args:
            seed: Seed of the world's generator; None goes on with the one it has.
            options: Reset options of the world.
        """
        self._turn = 0
        observation, info = self.env.reset(seed=seed, options=options)
        self._shown, self._task = str(observation), str(info["task_id"])
        return observation, self._refreshed(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the candidate of an index, and have new ones proposed unless that ended the episode."""
        text = self._texts[self._index(action)]
        observation, reward, terminated, truncated, info = self.env.step(text)
        self._turn, self._shown = self._turn + 1, "" if terminated or truncated else str(observation)
        return observation, float(reward), terminated, truncated, self._refreshed(info)

    def get_state(self) -> Mapping[str, Any]:
        """What changes while an episode is played."""
        own = {"shown": self._shown, "task": self._task, "turn": self._turn, "spent": dict(self._spent)}
        return {**super().get_state(), **own}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take back what `get_state` gave."""
        super().set_state(state)
        self._shown, self._task, self._turn = state["shown"], state["task"], state["turn"]
        self._spent = dict(state["spent"])

    def _refreshed(self, info: dict[str, Any]) -> dict[str, Any]:
        found = super()._refreshed(info)
        return {**found, "candidates": [text for text in self._texts if text], "proposals": dict(self._spent)}

    def _list(self) -> None:
        self._spent = dict.fromkeys(self._spent, 0.0)
        actions = self._candidates() if self._shown else []
        self._texts = [*actions, *[""] * (self.size + 1 - len(actions))]
        self._mask[: len(actions)], self._mask[len(actions) :] = True, False

    def _candidates(self) -> list[str]:
        read = self.env.get_wrapper_attr("parse")
        found: list[str] = []
        first = ""
        for number in range(self.tries):
            if len(found) == self.size:
                break
            said = self._proposed(number, found)
            first = first or said
            if said and not hasattr(read(said), "reason"):
                found = distinct([*found, said], self.size)
        return found or ([first] if first else [])

    def _proposed(self, number: int, named: Sequence[str]) -> str:
        """One proposal; "" for an empty answer."""
        seed = int(fingerprint([self._task, self._turn, number])[:8], 16) % 2**31
        if self._model is None:
            rng = stream("wrappers.candidates", seed)
            return str(self.env.get_wrapper_attr("sample_action")(rng))
        asked = question(str(self.env.get_wrapper_attr("manual")), self._shown, named)
        reply: Reply = self._model.complete(asked, seed=seed, max_tokens=self.max_tokens)
        self._spent["asked"] += 1
        self._spent["tokens"] += reply.prompt_tokens + reply.completion_tokens
        self._spent["cost"] += reply.cost
        return reply.text.strip()


def _proposer(model: str | None, arguments: dict[str, Any], cassette: str | None, record: bool) -> TextModel | None:
    """Who proposes; None for the world's random player."""
    if record and cassette is None:
        raise ConfigError("record=True needs the path of a cassette to record into")
    if model is None:
        if arguments or record:
            raise ConfigError("arguments and record have no effect without a model; name one as 'module:function'")
        return None if cassette is None else Cassette(cassette)
    replays = cassette is not None and not record
    made = None if replays else cast(TextModel, named_function(model, "the model")(**arguments))
    return made if cassette is None else Cassette(cassette, made)
