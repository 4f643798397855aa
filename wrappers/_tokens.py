"""Where the tokens of a text stand: by words, by a function of the caller, or by a tokenizer file."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from agentgym.core import ConfigError, require
from agentgym.core.errors import named_function

Spans = Callable[[str], list[tuple[int, int]]]
WORD = re.compile(r"\w+|[^\w\s]")


def word_spans(text: str) -> list[tuple[int, int]]:
    """Begin and end of each word and each punctuation mark, a plain stand-in for a model's tokens."""
    return [match.span() for match in WORD.finditer(text)]


def token_spans(tokenizer: str) -> Spans:
    """The function that gives begin and end of each token of a text.

    Args:
        tokenizer: `module:function` of such a function, or the path of a `tokenizer.json` of Hugging Face tokenizers.

    Raises:
        ConfigError: if there is none.
        MissingExtra: for a file, if `tokenizers` is not installed.
    """
    return _from_file(tokenizer) if str(tokenizer).endswith(".json") else named_function(tokenizer, "the tokenizer")


@lru_cache(maxsize=8)
def _from_file(path: str) -> Spans:
    library = require("tokenizers", extra="train", purpose="a tokenizer file")
    if not Path(path).is_file():
        raise ConfigError(f"there is no tokenizer file {path}")
    try:
        tokenizer = library.Tokenizer.from_file(path)
    except Exception as error:  # the library raises bare Exceptions
        raise ConfigError(f"{path} is no file of Hugging Face tokenizers: {error}") from None

    def spans(text: str) -> list[tuple[int, int]]:
        clean = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates, a character each
        return [(begin, end) for begin, end in tokenizer.encode(clean, add_special_tokens=False).offsets]

    return spans
