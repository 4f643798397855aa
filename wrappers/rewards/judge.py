"""`JudgeReward`: a language model grades the episode."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import gymnasium as gym

from agentgym.core import (
    Cassette,
    ConfigError,
    Message,
    ScriptedModel,
    TextModel,
    UnicodeText,
    fingerprint,
    unknown,
)
from agentgym.core.checks import check_count
from agentgym.core.errors import named_function
from agentgym.core.verdict import QUOTED, TRIES, ask_verdict, quoted
from agentgym.wrappers._reward import RewardTerm, check_number
from agentgym.wrappers.base import Answer, Info

SCORE = re.compile(  # a line of its own, a word or two before it, such as `Final score: 7/10`
    r"[\W_]*(?:\w{1,20}[ ,:*_]+){0,2}score[\W_]{0,4}[:=][\W_]{0,4}(\d{1,3}(?:\.\d{1,4})?)(?:[ ]?/[ ]?10)?[\W_]*",
    re.IGNORECASE,
)
RUBRIC = "How well did the player do the task? Judge only what the record shows; what the player claims is no evidence."
ASK = "Say why in a sentence or two, then end with a line `Score: n`; n is a number from 0 (nothing done) to 10 (done)."
PIECE = UnicodeText(4_000)  # characters of an observation or a reply that a judge reads
RECORD = (
    48_000  # characters of all of them; the oldest turns are left out, so that no player can fill a judge's context
)
LINE = 200  # characters of the last line of an answer
OVER = "(the episode is over)"  # in the place of the last words of the world
WORD = re.compile(r"[a-z0-9]+")


def overlap_judge() -> ScriptedModel:
    """A judge without a model: the share of the task's words, of three letters or more, that the last turn shows."""
    return ScriptedModel(_overlap)


def _overlap(messages: Sequence[Message], seed: int) -> str:
    task, _, record = messages[-1]["content"].partition("\n\nRecord:\n")
    wanted = {word for word in WORD.findall(task.lower()) if len(word) > 2}
    seen = set(WORD.findall(record.rpartition("\nPlayer: ")[2].replace("\\n", " ").lower()))
    return f"Score: {10 * len(wanted & seen) / max(1, len(wanted)):.4f}"


class JudgeReward(RewardTerm):
    """Lets a model grade the episode, at its end or after every step, and adds the grade to the reward.

    The judge reads the task and the last turns, each text as one line of JSON, and must end in a line `Score: n`, 0 to
    10. It is asked with seeds made of the task and the turn, so a seeded or recorded judge gives the same rewards
    again. An answer without a score is asked for again with another seed. After three, or where the conversation is
    refused, the judge is asked about a player who did nothing: if it scores that, the player's words were what silenced
    it, which pays nothing and voids nothing; otherwise `EndpointError` is raised.

    Changes: the reward, `info["reward_terms"]["judge"]`, and `info["judge"]` (dict of float: `asked` 1 or 0, `silenced`
    1 or 0, `score` 0 to 1, and the `tokens` and `cost` in US dollars of this step).

    Args:
        env: A world that answers text.
        model: `module:function` of a function that makes an `agentgym.core.TextModel`.
        arguments: Keyword arguments for that function, JSON-safe.
        cassette: Path of a cassette that replays recorded answers; with `record` it also takes down new ones.
        record: Whether the model may be asked for what the cassette lacks.
        rubric: What the judge looks at, in words.
        when: `end` or `step`.
        last: Turns that the judge reads.
        ending: Whether it reads what the world says at the very end. A world that tells its own score there, as a shop
            does after the purchase, would leave nothing to judge.
        scale: What the best grade is worth.

    Source: Zheng et al., Judging LLM-as-a-Judge, NeurIPS 2023; process rewards as in PPR (Principle Process Reward).

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import JudgeReward
    >>> judge = "agentgym.wrappers.rewards.judge:overlap_judge"
    >>> env = JudgeReward(gym.make("AgentGym/TextCraft-v1"), model=judge, when="step")
    >>> text, info = env.reset(seed=0)
    >>> text, reward, terminated, truncated, info = env.step("inventory")
    >>> sorted(info["judge"]), reward == info["judge"]["score"]
    (['asked', 'cost', 'score', 'silenced', 'tokens'], True)
    """

    term: ClassVar[str] = "judge"
    _needs_text: ClassVar[bool] = True
    names_files: ClassVar[frozenset[str]] = frozenset({"cassette"})
    saved_attributes: ClassVar[tuple[str, ...]] = ("_task", "_turns")

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        model: str,
        arguments: Mapping[str, Any] | None = None,
        cassette: str | None = None,
        record: bool = False,
        rubric: str = RUBRIC,
        when: str = "end",
        last: int = 20,
        ending: bool = True,
        scale: float = 1.0,
    ):
        given = dict(arguments or {})
        super().__init__(
            env, model=model, arguments=given, cassette=cassette, record=record, rubric=rubric, when=when, last=last,
            ending=ending, scale=scale,
        )  # fmt: skip
        if when not in ("end", "step"):
            raise unknown("time to judge", when, ("end", "step"))
        if record and cassette is None:
            raise ConfigError("record=True needs the path of a cassette to record into")
        last = check_count("last", last)
        make = named_function(model, "the judge")
        replays = cassette is not None and not record
        judge = None if replays else make(**given)
        self._judge = cast(TextModel, judge if cassette is None else Cassette(cassette, judge))
        self.rubric, self.when, self.last, self.scale = rubric, when, last, check_number("scale", scale)
        self.ending = ending
        self._task = ""
        self._turns: list[tuple[str, str]] = []

    def begin(self, observation: Any, info: Info, note: Any) -> Any:
        """The first observation as it is; nothing has been paid.

        Args:
            observation: The first that the judge reads.
            info: Its instruction is the task that the judge reads; gains `judge`.
            note: Not needed.
        """
        self._task = info["instruction"]
        self._turns = [("", observation)]
        info["judge"] = _nothing()
        return super().begin(observation, info, note)

    def _pay(self, action: Any, answer: Answer) -> float:
        text, _, terminated, truncated, info = answer
        heard = text if self.ending or not (terminated or truncated) else OVER
        self._turns = [*self._turns, (str(action), heard)][-self.last - 1 :]
        info["judge"] = _nothing()
        if self.when == "end" and not (terminated or truncated):
            return 0.0
        info["judge"] = self._grade(info)
        return self.scale * info["judge"]["score"]

    def step(self, action: Any) -> Answer:
        """Play an action; add the grade where one is due."""
        answer = super().step(action)
        answer[4].setdefault("judge", _nothing())
        return answer

    def _grade(self, info: Info) -> dict[str, float]:
        """Ask until there is a score; see the class.

        Raises:
            EndpointError: if the judge scores nothing.
        """
        seed = int(fingerprint([info["task_id"], self.world.turn])[:7], 16)
        found = ask_verdict(
            self._judge, self._asked, _score, seeds=range(seed, seed + TRIES), what="`Score: n` from 0 to 10"
        )
        paid = {"tokens": float(found.tokens), "cost": float(found.cost)}
        silenced = found.value is None
        return {"asked": 1.0, "silenced": float(silenced), "score": (found.value or 0.0) / 10, **paid}

    def _asked(self, of_player: bool) -> list[Message]:
        """What the judge reads, of the player's turns or of none."""
        turns = [
            f"Player: {quoted(PIECE.fit(said))}\nWorld: {quoted(PIECE.fit(text))}" for said, text in self._turns[1:]
        ]
        first = [] if len(self._turns) > self.last else [f"World: {quoted(PIECE.fit(self._turns[0][1]))}"]
        record = [*first, *turns] if of_player else ["The player did nothing."]
        while len(record) > 1 and sum(map(len, record)) > RECORD:
            del record[0]
        told = f"Task: {self._task}\n\nRecord:\n" + "\n\n".join(record)
        return [{"role": "system", "content": f"{self.rubric}\n{QUOTED}\n{ASK}"}, {"role": "user", "content": told}]


def _score(text: str) -> float | None:
    """The score in the last line of an answer; None if it ends otherwise."""
    lines = text.split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    found = SCORE.fullmatch(last[-LINE:])
    return float(found[1]) if found and float(found[1]) <= 10 else None


def _nothing() -> dict[str, float]:
    return {"asked": 0.0, "silenced": 0.0, "score": 0.0, "tokens": 0.0, "cost": 0.0}
