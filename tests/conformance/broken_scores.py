"""Worlds whose figures or rewards are not what they say, and the checks that must catch it."""

from dataclasses import replace

from faults import BROKEN, broken
from vault_world import VaultEnv, panel

from agentgym.core import FiniteTaskSet, Outcome, Score

__all__ = ["BROKEN"]


@broken("oracle")
class Unsolvable(VaultEnv):
    """One task of the panel has no answer the world accepts."""

    def _say(self, word):
        if self.task.id == panel("val")[0].id:
            return Outcome("The vault is stuck.")
        return super()._say(word)


@broken("oracle", published={"val": 0.3})
class Understated(VaultEnv):
    """Its card says that few tasks of a published panel can be solved, and all can."""


@broken("expert", scores={"test": {"expert": Score(0.8, 0.8)}})
class Boasting(VaultEnv):
    """The card's figures are not the world's."""


@broken("random agent", scores={"test": {"random": Score(0.9, 0.9)}})
class Lucky(VaultEnv):
    """The same for random actions."""


@broken("do-nothing agent")
class PaidIdleness(VaultEnv):
    def _refusal_reward(self):
        return 0.1


@broken("exploits")
class Sesame(VaultEnv):
    """An example opens every vault."""

    def _say(self, word):
        if word == "sesame":
            return Outcome("The vault opens.", reward=1.0, terminated=True, success=True)
        return super()._say(word)


@broken(
    "shortcuts",
    shortcuts={"note": "says what the note says"},
    shortcut_bound=0.5,
    scores={"test": {"shortcut:note": Score(1.0, 1.0)}},
)
class Spelled(VaultEnv):
    """A player that does nothing of the task wins it all."""

    def _shortcut(self, name):
        return self._oracle()


@broken("hidden truth", hidden_progress=True)
class Whispering(VaultEnv):
    """Tells on test how near the note is."""

    def _info(self, player, told):
        return {**super()._info(player, told), "progress": player.progress}


@broken("hidden truth")
class Metering(VaultEnv):
    """Tells on test something of the hidden word, before anything of it was seen."""

    def _info(self, player, told):
        info = super()._info(player, told)
        return info if player.ended else {**info, "progress": sum(map(ord, self.task.spec["word"])) % 97 / 100}


@broken("leaks")
class Telltale(VaultEnv):
    """Its tasks are named by the words that are to be found."""

    def tasks(self, split):
        named = {task.spec["word"]: task for task in panel(split)}
        return FiniteTaskSet(split, list(named), lambda word: replace(named[word], id=word))
