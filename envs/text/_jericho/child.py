"""The program of the interpreter's process: `Engine` is Jericho's, and nothing else of ours is imported here.

The interpreter is C. A damaged story can crash it or let it run for ever, an error of its own ends its process, and a
story may save, restore and write transcripts. So it stands in a process, which may open no file once a story is loaded.
"""

import importlib
import json
import os
import re
import resource
import signal
import warnings
from typing import Any

SECONDS = 20  # that candidates are tried
LENGTH = 198  # bytes of a line that the interpreter reads
DIRECTIONS = ("north", "south", "east", "west")
TEXT_WORLD = (  # for stories of TextWorld, of which Jericho has no templates
    *(f"go {each}" for each in DIRECTIONS), "take OBJ", "take OBJ from OBJ", "drop OBJ", "put OBJ on OBJ",
    "insert OBJ into OBJ", "open OBJ", "close OBJ", "unlock OBJ with OBJ", "lock OBJ with OBJ", "eat OBJ", "drink OBJ",
    "cook OBJ with OBJ", "chop OBJ with OBJ", "slice OBJ with OBJ", "dice OBJ with OBJ", "prepare meal",
)  # fmt: skip
WORD = re.compile(r"[a-z0-9][a-z0-9'-]*")


class Engine:
    """One interpreter; story after story is played in it."""

    def __init__(self) -> None:
        warnings.simplefilter("ignore")  # about stories that Jericho does not know
        self._package = importlib.import_module("jericho")
        self._use = importlib.import_module("jericho.util").verb_usage_count
        self._examined = importlib.import_module("jericho.util").recognized
        self._game: Any = None
        self._most = resource.getrlimit(resource.RLIMIT_NOFILE)

    def begin(self, story: str, seed: int) -> dict[str, Any]:
        """Load a story and begin it: its first words.

        Args:
            story: Path of its file.
            seed: Of its chance; 0 for the one of Jericho's walkthrough, and 1 where it has none.
        """
        resource.setrlimit(resource.RLIMIT_NOFILE, self._most)
        self._game = None  # each story gets a library of its own: nothing of the last one is left in it
        game = self._package.FrotzEnv(story, seed or 1)
        if not seed and game.bindings:
            game.seed(None)  # Jericho's own, which may be 0: a fixed seed too
        words, _ = game.reset()
        self._nouns = self._known_nouns(game.get_dictionary())
        self._use("look")  # reads a file
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, self._most[1]))
        self._game = game
        return self._shown(words)

    def step(self, line: str) -> dict[str, Any]:
        """Say a line to the story: its answer."""
        said = line.encode("ascii")[:LENGTH] + b"\n"
        return self._shown(self._game.frotz_lib.step(said).decode("cp1252", errors="replace"))

    def _shown(self, words: str) -> dict[str, Any]:
        game = self._game
        return {
            "words": words,
            "score": int(game.get_score()),
            "max_score": int(game.get_max_score()),
            "moves": int(game.get_moves()),
            "won": bool(game.victory()),
            "lost": bool(game.game_over()),
            "halted": bool(game._emulator_halted()),
            "recognized": bool(self._examined(words.replace("\n", " "))),
        }

    def candidates(self) -> list[str] | None:
        """Lines that change something now, as far as they are found; None if a try ended the interpreter.

        They are tried in a copy of this process, so that nothing of the game under way changes.
        """
        resource.setrlimit(resource.RLIMIT_NOFILE, self._most)
        read, write = os.pipe()
        copy = os.fork()
        if copy == 0:
            self._try_in_copy(read, write)
        os.close(write)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, self._most[1]))
        with os.fdopen(read, "rb") as pipe:
            told = pipe.read()
        os.waitpid(copy, 0)
        return list(json.loads(told)) if told else None

    def _try_in_copy(self, read: int, write: int) -> None:
        """What the copy does; it ends here, whatever happens."""
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(SECONDS)
            os.close(read)
            resource.setrlimit(resource.RLIMIT_NOFILE, (0, self._most[1]))
            told = json.dumps(self._changing()).encode()
            while told:
                told = told[os.write(write, told) :]
        finally:
            os._exit(0)

    def _changing(self) -> list[str]:
        """Of the templates, filled with the names of what is here, those that change something; one of each change."""
        game, names = self._game, self._names()
        templates = game.act_gen.templates if game.act_gen else TEXT_WORLD
        tried = sorted({line for template in templates for line in _filled(template, names) if ";" not in line})
        same = game._filter_candidate_actions(tried, use_ctypes=True)
        return sorted(max(lines, key=lambda line: (self._use(line), line)) for lines in same.values())

    def _names(self) -> list[str]:
        """A name for each thing that can be examined: words of the scene and of what is carried, and of the tree."""
        game = self._game
        state, text = game.get_state(), ""
        for line in ("look", "inventory"):
            text += f" {self.step(line)['words']}"
            game.set_state(state)
        player = game.get_player_object()
        place = player and game.get_object(player.parent)
        if place:
            util = importlib.import_module("jericho.util")
            text += " ".join(each.name for each in util.get_subtree(place.child, game.get_world_objects()))
        things: dict[str, list[str]] = {}
        for word in sorted(set(WORD.findall(text.lower()))):
            if word[: self._letters] in self._nouns:
                told = self.step(f"examine {word}")["words"]
                game.set_state(state)
                if self._examined(told.replace("\n", " ")):
                    things.setdefault(told, []).append(word)
        return sorted(max(names, key=lambda name: (len(name), name)) for names in things.values())

    def _known_nouns(self, dictionary: list[Any]) -> set[str]:
        """The story's words for things; all but verbs and directions where it does not tell."""
        self._letters = max((len(entry.word) for entry in dictionary), default=0)
        nouns = {entry.word for entry in dictionary if entry.is_noun}
        return nouns or {entry.word for entry in dictionary if not (entry.is_verb or entry.is_dir or entry.is_prep)}


def _filled(template: str, names: list[str]) -> list[str]:
    """A template with names in its places, no name twice."""
    holes = template.count("OBJ")
    if holes == 0:
        return [template]
    if holes == 1:
        return [template.replace("OBJ", name) for name in names]
    if holes == 2:
        first, between, last = template.split("OBJ")
        return [f"{first}{one}{between}{other}{last}" for one in names for other in names if one != other]
    return []
