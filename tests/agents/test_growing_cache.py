"""The cache with room: it holds what the library's holds, copies nothing while there is room, follows selections."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
pytest.importorskip("transformers", reason="the extra `train` is not installed")

from transformers.cache_utils import DynamicLayer  # noqa: E402

from agentgym.agents.growing_cache import ROOM, GrowingLayer  # noqa: E402


def states(columns: int, rows: int = 3) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(rows, 2, columns, 4), torch.randn(rows, 2, columns, 4)


def test_it_holds_what_the_librarys_layer_holds() -> None:
    ours, theirs = GrowingLayer(), DynamicLayer()
    for columns in (5, 1, 1, ROOM, 1, 2 * ROOM, 1):
        new = states(columns)
        for mine, its in zip(ours.update(*new), theirs.update(*new), strict=True):
            assert torch.equal(mine, its)
    assert ours.get_seq_length() == theirs.get_seq_length()
    assert ours.get_mask_sizes(1) == theirs.get_mask_sizes(1)
    index, rows = torch.tensor([2, 0, 0]), 3
    for layer in (ours, theirs):
        layer.batch_select_indices(index)
    new = states(1, rows)
    for mine, its in zip(ours.update(*new), theirs.update(*new), strict=True):
        assert torch.equal(mine, its)
    for layer in (ours, theirs):
        layer.batch_repeat_interleave(2)
    new = states(2, 2 * rows)
    for mine, its in zip(ours.update(*new), theirs.update(*new), strict=True):
        assert torch.equal(mine, its)


def test_a_token_is_written_into_the_room_and_nothing_is_copied() -> None:
    layer = GrowingLayer()
    keys, _ = layer.update(*states(7))
    place = keys.data_ptr()
    for _ in range(ROOM):
        keys, values = layer.update(*states(1))
        assert keys.data_ptr() == place
    assert keys.shape == values.shape == (3, 2, 7 + ROOM, 4)
    grown, _ = layer.update(*states(1))
    assert grown.data_ptr() != place, "the room was used up"


def test_a_selection_of_all_rows_in_order_does_not_write_over_others() -> None:
    """A view of the same rows is taken over, never a longer one that was given back."""
    layer = GrowingLayer()
    layer.update(*states(4))
    kept = layer.keys.clone()
    layer.batch_select_indices(torch.tensor([1, 0, 2]))
    layer.update(*states(1))
    assert torch.equal(layer.keys[:, :, :4], kept[[1, 0, 2]])


def test_a_selection_of_rows_lets_go_of_the_others() -> None:
    """The larger tensors are kept until the next token otherwise, beside the selection: twice the cache."""
    layer = GrowingLayer()
    layer.update(*states(ROOM))
    layer.batch_select_indices(torch.tensor([1]))
    held = [each for value in vars(layer).values() for each in (value if isinstance(value, tuple) else [value])]
    sizes = {each.data_ptr(): each.untyped_storage().nbytes() for each in held if isinstance(each, torch.Tensor)}
    one_row = 2 * ROOM * 4 * layer.keys.element_size()
    assert sorted(sizes.values()) == [one_row, one_row]
