"""What stands in a home: logs, tables, notes, pictures, settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.envs._kit.sandbox import LINK, Entry
from agentgym.envs.code._shell import words
from agentgym.envs.code._shell.stored import gzipped

if TYPE_CHECKING:
    from agentgym.envs.code._shell.home import Home

SIGNS = b"abcdefghjkmnpqrstuvwxyz23456789" * 8 + b"abcdefgh"  # one for each byte


def some(rng: np.random.Generator, values: Sequence[Any], count: int) -> list[Any]:
    """So many different values of a list.

    Args:
        rng: Draws them.
        values: To draw from.
        count: How many.
    """
    return [values[int(at)] for at in rng.permutation(len(values))[:count]]


def any_of(rng: np.random.Generator, values: Sequence[Any]) -> Any:
    """One value of a list.

    Args:
        rng: Draws it.
        values: To draw from.
    """
    return values[int(rng.random() * len(values))]


def token(rng: np.random.Generator, size: int = 6) -> str:
    """So many letters and digits that mean nothing.

    Args:
        rng: Draws them.
        size: How many.
    """
    return rng.bytes(size).translate(SIGNS).decode()


def _log(rng: np.random.Generator, people: Sequence[str], day: str, size: int) -> str:
    """The lines of a service on a day, in order of time."""
    clock = sorted(rng.choice(86_400, size, replace=False).tolist())
    places = [f"10.{rng.integers(4)}.{rng.integers(9)}.{rng.integers(2, 250)}" for _ in range(int(rng.integers(9, 24)))]
    times = (rng.permutation(8_997)[:size] + 3).tolist()
    levels = rng.choice(4, size, p=(0.5, 0.2, 0.2, 0.1)).tolist()
    rows = []
    for second, took, level in zip(clock, times, levels, strict=True):
        at = f"{day}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
        rows.append(
            f"{at} {words.LEVELS[level]} req={token(rng)} user={any_of(rng, people)} ip={any_of(rng, places)} "
            f"path={any_of(rng, words.PATHS)} status={any_of(rng, words.STATUSES)} ms={took} "
            f"{any_of(rng, words.MESSAGES)}"
        )
    return "\n".join(rows) + "\n"


def put_logs(home: Home, rng: np.random.Generator) -> None:
    """Logs of four services in `logs` of `home`, and older ones that are packed; `rng` draws their lines."""
    people = some(rng, words.PEOPLE, 7)
    for service in some(rng, words.SERVICES, 4):
        month, day = int(rng.integers(1, 3)), int(rng.integers(1, 28))
        home.put(f"logs/{service}.log", _log(rng, people, f"2026-{month:02}-{day:02}", int(rng.integers(60, 130))))
        old = f"2025-{rng.integers(10, 13)}-{rng.integers(10, 28)}"
        if rng.random() < 0.7:
            data = _log(rng, people, old, int(rng.integers(40, 80))).encode()
            home.put(f"logs/old/{service}-{old}.log.gz", gzipped(data))


def put_data(home: Home, rng: np.random.Generator) -> None:
    """Tables with commas and with tabs in `data` of `home`, and word lists in `lists`; `rng` draws their rows."""
    for table in some(rng, words.TABLES, 3):
        rows = ["id,date,region,product,units,price,customer"]
        ids = rng.choice(np.arange(1000, 9999), int(rng.integers(45, 90)), replace=False)
        customers = some(rng, words.PEOPLE, 9)
        for each in ids:
            date = f"2025-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}"
            sold = f"{any_of(rng, words.REGIONS)},{any_of(rng, words.PRODUCTS)}"
            much = f"{rng.integers(1, 90)},{rng.integers(4, 250)}"
            rows.append(f"{each},{date},{sold},{much},{any_of(rng, customers)}")
        home.put(f"data/{table}.csv", "\n".join(rows) + "\n")
    rows = ["name\tteam\tcity\tstarted\tsalary"]
    for person in some(rng, words.PEOPLE, 22):
        rows.append(
            f"{person}\t{any_of(rng, words.TEAMS[:5])}\t{any_of(rng, words.CITIES)}\t{rng.integers(2009, 2026)}\t"
            f"{rng.integers(24_000, 98_000)}"
        )
    home.put(f"data/staff-{any_of(rng, words.CITIES).lower()}.tsv", "\n".join(rows) + "\n")
    for name in some(rng, words.SUBJECTS, 2):
        found = some(rng, words.NOUNS, 14)
        home.put(f"lists/{name}-items.txt", "\n".join(found + some(rng, found, int(rng.integers(4, 9)))) + "\n")


def put_notes(home: Home, rng: np.random.Generator) -> None:
    """Notes in `notes` of `home`, three with names of two words, and a few empty ones; `rng` draws what they say."""
    for at, name in enumerate(some(rng, words.SUBJECTS, 7)):
        lines = [f"# {name}", ""]
        for _ in range(int(rng.integers(8, 20))):
            verb, noun, other, third = any_of(rng, words.VERBS), *(any_of(rng, words.NOUNS) for _ in range(3))
            who = any_of(rng, words.PEOPLE)
            lines.append(
                any_of(rng, (
                    f"- {verb} the {noun} before the {other}", f"- ask {who} about the {noun} and the {other}",
                    f"{who.capitalize()} said the {noun} is too old.", f"- {verb} {rng.integers(2, 40)} of the {noun}",
                    f"The {noun} stands next to the {other}; {verb} both when {who} comes back with the {third}.",
                ))
            )  # fmt: skip
        spaced = f"{name} {any_of(rng, ('plan', 'ideas', 'costs', 'log'))}"
        home.put(f"notes/{spaced if at < 3 else name}.{'md' if at % 3 == 0 else 'txt'}", "\n".join(lines) + "\n")
    for name in some(rng, words.NOUNS, int(rng.integers(2, 5))):
        home.put(f"notes/{any_of(rng, ('inbox', 'later'))}/{name}.txt", "")


def put_pictures(home: Home, rng: np.random.Generator) -> None:
    """Small binaries in place of pictures in `pictures` of `home`, with copies under other names; `rng` draws all."""
    for trip in some(rng, words.TRIPS, 2):
        year, made = int(rng.integers(2019, 2026)), []
        for number in some(rng, range(100, 999), 6):
            data = b"\xff\xd8\xff\xe0" + rng.bytes(int(rng.integers(40, 400)))
            made.append((f"pictures/{trip} {year}/IMG_{number}.jpg", data))
        for path, data in made:
            home.put(path, data)
        for path, data in some(rng, made, 3):
            name = path.rpartition("/")[2]
            home.put(f"pictures/{any_of(rng, (f'{trip} {year}', 'unsorted'))}/copy of {name}", data)


def put_settings(home: Home, rng: np.random.Generator) -> None:
    """Settings of applications in `settings` of `home`, and links in `links`, of which some lead nowhere.

    Args:
        home: Gets the files and links.
        rng: Draws keys, values, and where the links that lead nowhere point.
    """
    names = some(rng, words.SERVICES, 5)
    for name in names[:3]:
        lines = [f"# settings of {name}"]
        for section in some(rng, words.SECTIONS, 4):
            lines += ["", f"[{section}]"]
            lines += [f"{key} = {rng.integers(3, 9_000)}" for key in some(rng, words.KEYS, 5)]
        home.put(f"settings/{name}.ini", "\n".join(lines) + "\n")
    for name in names[3:]:
        lines = [f"{key}={token(rng, 8)}" for key in some(rng, words.VARIABLES, 6)]
        home.put(f"settings/{name}.env", "\n".join(lines) + "\n", 0o600)
    home.put(f"settings/{names[0]}.json", json.dumps(_tree_of_settings(rng), indent=2) + "\n")
    home.folder("links")
    for name in names[:3]:
        home.files[f"links/{name}"] = Entry(f"../settings/{name}.ini".encode(), LINK, 0o777)
    for name in some(rng, words.NOUNS, int(rng.integers(2, 5))):
        home.files[f"links/{name}"] = Entry(f"../settings/{name}.ini".encode(), LINK, 0o777)


def _tree_of_settings(rng: np.random.Generator) -> dict[str, Any]:
    return {
        section: {key: int(rng.integers(3, 9_000)) for key in some(rng, words.KEYS, 4)}
        for section in some(rng, words.SECTIONS, 4)
    }
