"""Packing: several sequences in one row of what a model reads, so that less of it is padding.

Sequences of a batch have different lengths, and a row for each is as long as the longest. Here shorter ones share a
row; positions begin anew with each, and attention does not reach from one into another (Krell et al. 2021,
arXiv:2107.02027), which `transformers` sees to where positions are given and no mask is. Log-probabilities are those of
sequences read by themselves, up to rounding. A model that mixes what stands side by side, by a recurrence or because
its mask heeds no positions, is refused.

Axes: B rows of a batch, T tokens of a row, R rows of what the model reads, L tokens of one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from agentgym.core import ConfigError

Tokens: TypeAlias = Sequence[int]
BEFORE, AFTER = 24, 4  # tokens of two sequences that show whether a model keeps them apart


class Place(NamedTuple):
    """Where a sequence lies.

    Attributes:
        row: Of what the model reads.
        start: Of its first token there.
    """

    row: int
    start: int


def pack(units: Sequence[Sequence[Tokens]], tokens: int) -> Iterator[list[tuple[int, list[Place]]]]:
    """Deal sequences to batches, and to rows of each that are as long as its longest sequence.

    The longest come first, each into the fullest row that has room for it (best fit decreasing, Johnson et al. 1974);
    what finds no room waits for the next batch. Equal sequences of a batch share a place.

    Args:
        units: Sequences that stay in one batch.
        tokens: Most tokens of a batch, pads counted; a unit that exceeds them by itself is a batch of its own.

    Yields:
        Of each batch, the numbers of its units, each with the places of its sequences.
    """
    known: dict[tuple[int, ...], int] = {}  # a number for each sequence; equal ones have one
    numbered = [[known.setdefault(tuple(sequence), len(known)) for sequence in unit] for unit in units]
    sizes = [len(sequence) for sequence in known]
    left = sorted(range(len(units)), key=lambda unit: -max(sizes[number] for number in numbered[unit]))
    while left:
        batch = _Rows(sizes, max(sizes[number] for number in numbered[left[0]]))
        most = max(1, tokens // batch.width)
        taken: list[tuple[int, list[Place]]] = []
        waiting: list[int] = []
        for unit in left:
            places = batch.fit(numbered[unit], most if taken else len(numbered[unit]))
            if places is None:
                waiting.append(unit)
            else:
                taken.append((unit, places))
        yield taken
        left = waiting


class _Rows:
    """The rows of a batch while they fill.

    Args:
        sizes: Tokens of each sequence.
        width: Tokens of a row.
    """

    def __init__(self, sizes: Sequence[int], width: int):
        self.width = width
        self._sizes = sizes
        self._used: list[int] = []
        self._places: dict[int, Place] = {}

    def fit(self, unit: Sequence[int], most: int) -> list[Place] | None:
        """Places for all sequences of a unit, or None if there is no room for one of them.

        Args:
            unit: Numbers of the sequences.
            most: Rows that there may be then.
        """
        used, added = self._used.copy(), dict[int, Place]()
        for number in sorted(set(unit) - self._places.keys(), key=lambda each: (-self._sizes[each], each)):
            size = self._sizes[number]
            rooms = [(self.width - full, row) for row, full in enumerate(used) if self.width - full >= size]
            if not rooms and len(used) >= most:
                return None
            row = min(rooms)[1] if rooms else len(used)
            used += [] if rooms else [0]
            added[number] = Place(row, used[row])
            used[row] += size
        self._used = used
        self._places |= added
        return [self._places[number] for number in unit]


def packed_input(ids_BT: Tensor, attention_mask_BT: Tensor, row_B: Tensor, start_B: Tensor) -> dict[str, Any]:
    """What a model reads of a packed batch: `input_ids` and `position_ids`, shape (R, L), and no mask.

    Args:
        ids_BT: Tokens, padded on the right.
        attention_mask_BT: 1 on tokens, 0 on pads.
        row_B, start_B: Where each row of the batch lies.
    """
    row, column = attention_mask_BT.nonzero(as_tuple=True)
    held, place = row_B[row], start_B[row] + column
    shape = int(held.max()) + 1, int(place.max()) + 1
    ids_RL, positions_RL = (torch.zeros(shape, dtype=torch.long, device=ids_BT.device) for _ in range(2))
    ids_RL[held, place] = ids_BT[row, column]
    positions_RL[held, place] = column
    return {"input_ids": ids_RL, "attention_mask": None, "position_ids": positions_RL}


def check_packing(model: Any) -> None:
    """Refuse a model that lets one sequence of a row see another; what it shows once is kept on it.

    Of a model that processes divide, all of them ask at once.

    Args:
        model: A causal language model.

    Raises:
        ConfigError: if it does.
    """
    if "keeps_apart" not in vars(model):
        model.keeps_apart = _keeps_apart(model)
    if not model.keeps_apart:
        raise ConfigError(
            f"update.packing needs attention that position_ids mask, and a model of the kind "
            f"{model.config.model_type!r} mixes sequences that share a row; leave update.packing out"
        )


@torch.no_grad()
def _keeps_apart(model: Any) -> bool:
    """Whether a short sequence is read behind two long ones alike, and as it is read alone.

    Masked tokens are multiplied by 0, so that what they are changes nothing but rounding. Read alone it takes other
    sums, whose rounding may be larger; that is measured by what another first token of its own does to those after it.
    """
    words, device = model.config.get_text_config().vocab_size, model.device
    ids = (7_919 * torch.arange(BEFORE + AFTER, device=device) + 11) % words
    behind, alone = ids.repeat(2, 1), ids[BEFORE:].repeat(2, 1)
    behind[1, :BEFORE] = (behind[0, :BEFORE] + 1) % words
    alone[1, 0] = (alone[0, 0] + 1) % words
    positions = torch.cat([torch.arange(size, device=device) for size in (BEFORE, AFTER)]).repeat(2, 1)
    try:
        out = model(input_ids=behind, attention_mask=None, position_ids=positions, use_cache=False)
    except TypeError:  # it takes no positions
        return False
    first, second = out.logits[:, BEFORE:].float()
    read, moved = model(input_ids=alone, attention_mask=torch.ones_like(alone), use_cache=False).logits.float()
    unit, rounding = (moved - read)[1:].norm(), 16 * torch.finfo(model.dtype).eps * read.norm()
    return bool((first - second).norm() <= rounding and (first - read).norm() <= 0.5 * unit + rounding)
