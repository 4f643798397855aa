"""Generation for models whose cache forgets or sums up: sliding windows, recurrent states, convolutions.

Such a cache cannot be masked, cut or taken back, so nothing is kept from turn to turn: a conversation is read whole in
every turn. Rows of equal length are read together and the others apart, so that there are no pads, which a recurrent
state would take in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from agentgym.agents.generation import Answer, sample
from agentgym.agents.policy import Generation, GenerationSession

if TYPE_CHECKING:
    from agentgym.agents.engine import HuggingFaceEngine


class RereadingSession(GenerationSession):
    """Conversations of one batch, each as the tokens that it has read and said.

    Args:
        engine: Whose model speaks.
        generators: One a row.
    """

    def __init__(self, engine: HuggingFaceEngine, generators: Sequence[np.random.Generator]):
        self.engine = engine
        self._generators = list(generators)
        self._texts: list[list[int]] = [[] for _ in self._generators]
        self._held = list(self._texts)  # as they were before the last answer

    def select_rows(self, rows: Sequence[int], generators: Mapping[int, np.random.Generator] | None = None) -> None:
        """Drop every row but these; one that is named again becomes a second row with a generator of its own."""
        fresh = generators or {}
        self._generators = [fresh.get(place, self._generators[row]) for place, row in enumerate(rows)]
        self._texts = [self._texts[row] for row in rows]
        self._held = [self._held[row] for row in rows]

    def rewind(self, rows: Sequence[int]) -> None:
        """Take back what these rows read and said in the last `generate`."""
        for row in rows:
            self._texts[row] = self._held[row]

    def reset_rows(self, rows: Sequence[int]) -> None:
        """Let these rows begin again with nothing read."""
        for row in rows:
            self._texts[row] = []

    def generate(self, inputs: Sequence[Sequence[int]], rows: Sequence[int] | None = None) -> list[Generation]:
        """Read the new tokens of each row and sample one answer a row; with `rows`, the others stay silent.

        Args:
            inputs: Token ids, one list a row that answers.
            rows: Which rows answer; None for all.
        """
        self._held = list(self._texts)
        speaking = list(range(len(self._texts)) if rows is None else rows)
        asked = dict(zip(speaking, inputs, strict=True))
        lengths: dict[int, list[int]] = {}
        for row, prompt in asked.items():
            self._texts[row] = [*self._texts[row], *prompt]
            lengths.setdefault(len(self._texts[row]), []).append(row)
        answers = {row: Answer() for row in speaking}
        for together in lengths.values():
            self._speak(together, asked, answers)
        for row, answer in answers.items():
            self._texts[row] = self._texts[row] + answer.ids
        return [answer.speech(self.engine.chat) for answer in answers.values()]

    @torch.inference_mode()
    def _speak(self, rows: Sequence[int], asked: Mapping[int, Sequence[int]], answers: Mapping[int, Answer]) -> None:
        """Let rows of equal length answer; one that has ended goes on unheard until the others have."""
        engine, ends = self.engine, self.engine.chat.ends
        read = torch.tensor([self._texts[row] for row in rows], device=engine.model.device)
        cached: dict[str, Any] = {}
        for _ in range(engine.max_new_tokens):
            out = engine.model(input_ids=read, use_cache=True, logits_to_keep=1, **cached)
            if (cache := getattr(out, "past_key_values", None)) is not None:
                cached = {"past_key_values": cache}
            speaking = [
                place for place, row in enumerate(rows) if not answers[row].ids or answers[row].ids[-1] not in ends
            ]
            if not speaking:
                return
            allowed = None
            if engine.constraint:
                allowed = [engine.constraint(asked[rows[place]], answers[rows[place]].ids) for place in speaking]
            generators = [self._generators[rows[place]] for place in speaking]
            drawn = sample(out.logits[speaking, -1], engine.temperature, generators, allowed)
            following = [answers[row].ids[-1] if answers[row].ids else 0 for row in rows]
            for number, (place, token, logprob, entropy) in enumerate(zip(speaking, *drawn, strict=True)):
                bound = allowed is not None and allowed[number] is not None
                answers[rows[place]].say(token, logprob, entropy, bound=bound)
                following[place] = token
                if engine.on_token:
                    engine.on_token(rows[place], answers[rows[place]].ids)
            said = torch.tensor(following, device=engine.model.device)[:, None]
            read = said if cached else torch.cat([read, said], 1)  # a model without such a cache reads it all again
