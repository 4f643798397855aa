"""A conversation in no world: who speaks is let go on until it says its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.core import StepResult
from agentgym.rollout.env_pool import EnvPool
from agentgym.rollout.guard import Guard
from agentgym.rollout.places import Briefing
from agentgym.rollout.records import WORDS, EpisodeSpec, GameStep, RecordOptions

PLAYER, ANSWER = "player_0", "answer:"
LINE = f"Say what you think, and in the end: {ANSWER} what you have found."
ON = f"Go on, or say: {ANSWER} what you have found."


class TalkPool(EnvPool):
    """Conversations of one player, which earn nothing; each ends when something is said that begins with `answer:`.

    What it is to be about stands in `EpisodeSpec.told`. Attributes are those of `EnvPool`.
    """

    def __init__(self) -> None:
        self.id, self.players, self.opponents = "talk", (PLAYER,), ()
        self.size = self.max_turns = self.limit = None
        self.shows, self.sandbox, self.seconds = False, "", 0.0
        self.guard = Guard(self.id, None, "")
        briefing = Briefing(LINE, LINE, (), (), "", "", None)
        self.briefings = {PLAYER: briefing}
        self.manual, self.line, self.examples, self.tools = LINE, LINE, (), ()
        self._said: dict[int, list[str]] = {}  # by place
        self._results: dict[int, StepResult] = {}

    def begin(
        self, specs: Sequence[EpisodeSpec], options: RecordOptions = WORDS, places: Sequence[int] | None = None
    ) -> list[GameStep]:
        """Begin conversations.

        Args:
            specs: One a place; `told` says what it is to be about.
            options: Whether `GameStep.key` holds what was said; a conversation has nothing else beside words.
            places: Which ones, while the others go on; None for 0, 1, ... and an end to all others.
        """
        if places is None:
            self._said, self._results = {}, {}
        found = []
        for place, spec in zip(places or range(len(specs)), specs, strict=True):
            self._said[place] = [spec.told]
            found.append(self._step(place, LINE, options))
        return found

    def act(self, moves: Sequence[tuple[int, Mapping[str, str]]], options: RecordOptions = WORDS) -> list[GameStep]:
        """Hear what was said, and ask for more unless it was an answer.

        Args:
            moves: Places, each with what its player said.
            options: Whether `GameStep.key` holds what was said.
        """
        for place, said in moves:
            self._said[place].append(said[PLAYER])
        return [self._step(place, "" if answered(said[PLAYER]) else ON, options) for place, said in moves]

    def ask(self, place: int, player: str, name: str, *arguments: Any) -> Any:
        """None: no method called `name`, such as `admissible_actions`, has an answer about a `player` in a `place`."""
        return None

    def result(self, place: int, player: str) -> StepResult:
        """What the last step of a conversation showed.

        Args:
            place: Which conversation.
            player: Its only one.
        """
        return self._results[place]

    def close(self) -> None:
        """Forget all conversations."""
        self._said, self._results = {}, {}

    def _step(self, place: int, shown: str, options: RecordOptions) -> GameStep:
        info = {"task_id": "talk", "split": "", "instruction": "", "success": False, "action_valid": True}
        info |= {"error": "", "failure": "", "progress": 0.0, "events": [], "metrics": {}, "costs": {}}
        result = self._results[place] = StepResult(shown, 0.0, not shown, False, info)
        key = "\n".join(self._said[place]) if shown and options.keys else ""
        return GameStep([PLAYER] if shown else [], {PLAYER: result}, {PLAYER: 0.0}, key=key)


def answered(said: str) -> str:
    """The answer that ends a conversation; "" for what ends none.

    Args:
        said: What was said.
    """
    text = said.strip()
    return text[len(ANSWER) :].strip() if text.lower().startswith(ANSWER) else ""
