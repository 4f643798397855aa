"""Worlds that read what an agent says wrongly, and the checks that must catch it."""

import json
import re

from faults import BROKEN, broken
from vault_world import Tooled, VaultEnv

from agentgym.core import Call, Command, EngineFailure, Grammar, Invalid, ToolGrammar

__all__ = ["BROKEN"]


class CubicGrammar(Grammar):
    """Reads three numbers by a pattern that tries every way to divide a text among them."""

    pattern = r"say (.+?) (.+?) (.+?) stop"

    def parse(self, action):
        read = super().parse(action)
        re.fullmatch(self.pattern, action)
        return read


class CubicInBraces(CubicGrammar):
    """Reads them so where they are braces only."""

    pattern = r"say ({*)({*)({*) stop"


@broken("reading time")
class ReadsSlowly(VaultEnv):
    grammar = CubicGrammar(VaultEnv.grammar.commands, VaultEnv.grammar.rules)
    action_length = 2_048


SHELVES = [
    Command(f"shelf{n} <thing> under <other> beside <third>", "reorder a shelf.", (f"shelf{n} a under b beside c",))
    for n in range(58)
]


@broken("reading time")
class ReadsItsLastFormSlowly(VaultEnv):
    """Two of all attacks find it: those that repeat a brace in the last of sixty forms."""

    grammar = CubicInBraces([*SHELVES, *VaultEnv.grammar.commands], VaultEnv.grammar.rules)
    action_length = 2_048

    def _step(self, call):
        return self.refuse("there is no such shelf.") if call.name.startswith("shelf") else super()._step(call)


@broken("reading time")
class PlaysSlowly(VaultEnv):
    """Counts the letters of a password that are equal, by comparing all with all."""

    action_length = 2_048

    def _say(self, word):
        sum(one == other for one in word for other in word)
        return super()._say(word)


class DeafGrammar(Grammar):
    """Takes any character."""

    def parse(self, action):
        said = action.strip()
        return Call("say", {"word": said[4:]}) if said.startswith("say ") else super().parse(action)


@broken("invalid actions")
class Echo(VaultEnv):
    grammar = DeafGrammar(VaultEnv.grammar.commands, VaultEnv.grammar.rules)

    def _say(self, word):
        outcome = super()._say(word)
        outcome.text += f" You said {word}."
        return outcome


@broken("invalid actions")
class Voids(VaultEnv):
    """An agent that says a certain password has its episode left out of the score."""

    def _say(self, word):
        if "%00" in word:
            raise EngineFailure("the lock cannot read this")
        return super()._say(word)


class SearchingGrammar(ToolGrammar):
    """Looks at every text of a call, however deep it stands."""

    def parse(self, action):
        try:
            said = json.loads(action)
        except (ValueError, RecursionError):
            said = None
        texts(said)
        return super().parse(action)


def texts(value, below=4):
    """All texts in a value, at five calls a level, so that 300 levels are too many."""
    if below:
        return texts(value, below - 1)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in texts(part)] if parts else [value]


@broken("invalid actions", "interleaving", "replay")
class FallsDeep(Tooled):
    action_length = 2_048
    grammar = SearchingGrammar(Tooled.grammar._tools.values(), rules=Tooled.grammar.rules)


class StrictGrammar(Grammar):
    """Reads an action alone and no prose."""

    def parse(self, action):
        read = super().parse(action)
        alone = isinstance(read, Call) and read.said == action.strip()
        return read if alone or isinstance(read, Invalid) else Invalid(f"say the action alone. {self.line}")


class EagerGrammar(Grammar):
    """Goes back from a wrong action to the last right one."""

    def parse(self, action):
        reads = [super(EagerGrammar, self).parse(line) for line in reversed(action.splitlines()[-2:] or [""])]
        return next((read for read in reads if isinstance(read, Call)), super().parse(action))


@broken("prose")
class ReadsNoProse(VaultEnv):
    grammar = StrictGrammar(VaultEnv.grammar.commands, VaultEnv.grammar.rules)


@broken("prose")
class ReadsPastAWrongAction(VaultEnv):
    grammar = EagerGrammar(VaultEnv.grammar.commands, VaultEnv.grammar.rules)
