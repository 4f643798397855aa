"""Games of several players with one fault each, beside the checks that must find it: first the one meant for it.

Every other check of this process must pass, so that a failure points at its cause.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from game_worlds import Choir, Marathon, Numbers, Rounds, Whispers, game_card

from agentgym.core import Call, Task, register
from agentgym.core.hooks import clashes
from agentgym.core.outcome import JointOutcome

BROKEN: dict[str, tuple[str, ...]] = {}


def broken(*checks: str) -> Any:
    """Register a faulty game with a card of its own."""

    def enter(world: Any) -> Any:
        facts = {name: getattr(world.card, name) for name in ("api", "players", "rival", "images")}
        world.card = game_card(world.__name__, __name__, deterministic=world.card.deterministic, **facts)
        register(world.card)
        BROKEN[world.card.id] = (*checks, *["hooks only"] * bool(clashes(world)))
        return world

    return enter


@broken("schemas")
class Misshapen(Whispers):
    task_schema: ClassVar[dict[str, Any]] = {**Whispers.task_schema, "minItems": "many"}


@broken("private information")
class Open(Whispers):
    def _view(self, player: str) -> str:
        return f"The numbers are {self._state.hidden}."


@broken("private information")
class Peeking(Whispers):
    """Its opponents are told what their player cannot know."""

    def _known(self, player: str) -> Any:
        mine = self.possible_agents.index(player)
        return self._state.hidden[mine], (), self._state.hidden[1 - mine] % 3 % 2


@broken("private information", "imitation of the moderator", "invalid actions")
class Overheard(Whispers):
    """What one player is told reaches the other as well."""

    def _deliver(self, text: str, to: Any) -> None:
        super()._deliver(text, None)


@broken("imitation of the moderator")
class Parrot(Whispers):
    def say(self, speaker: str, text: str, to: Any = None) -> None:
        self.send_message(f"{speaker} says {text}", to)


@broken("imitation of the moderator")
class Deaf(Whispers):
    def say(self, speaker: str, text: str, to: Any = None) -> None:
        """Nobody hears it."""


@broken("imitation of the moderator")
class ParrotRounds(Rounds):
    def say(self, speaker: str, text: str, to: Any = None) -> None:
        self.send_message(f"{speaker} says {text}", to)


@broken("imitation of the moderator")
class ParrotChoir(Choir):
    """Talk comes late, and comes as the moderator's."""

    def say(self, speaker: str, text: str, to: Any = None) -> None:
        self.send_message(f"{speaker} says {text}", to)


@broken("bad options", "PettingZoo's AEC tests")
class Blank(Choir):
    def _picture(self) -> Any:
        return "no picture"


@broken(
    "tries", "PettingZoo's AEC tests", "PettingZoo's parallel tests", "PettingZoo's max_cycles", "turn limit",
    "after the end", "imitation of the moderator", "exploits",
)  # fmt: skip
class BadDefault(Whispers):
    def _default(self, player: str) -> str:
        return "sing"


@broken("tries", "grammar and manual")
class Unsaid(Whispers):
    """The manual does not say what is played for a player."""

    def player_manual(self, player: str) -> str:
        return self.grammar.manual


@broken("opponents")
class Level(Whispers):
    """Its strongest opponent is no stronger than the one below."""

    OPPONENTS: ClassVar[Any] = {**Whispers.OPPONENTS, "strong": Whispers.OPPONENTS["random"]}


@broken("invalid actions")
class Touchy(Whispers):
    """A refused action uses up a turn of the game."""

    def _step(self, player: str, call: Call) -> JointOutcome:
        if call.name == "say" and "🦊" in call["words"]:
            self._state.done += 2
            return self.refuse("speak of something else.")
        return super()._step(player, call)


@broken("invalid actions")
class Brittle(Whispers):
    def _step(self, player: str, call: Call) -> JointOutcome:
        if call.name == "say" and "🦊" in call["words"]:
            raise KeyError("fox")
        return super()._step(player, call)


@broken(
    "admissible actions", "info", "state key", "PettingZoo's AEC tests", "PettingZoo's parallel tests",
    "invalid actions", "after the end", "imitation of the moderator", "exploits",
)  # fmt: skip
class Generous(Whispers):
    def _admissible(self, player: str) -> list[str]:
        return [f"guess {number}" for number in range(1, 7)]


@broken("sample_action", "snapshot and restore", "fork")
class Restless(Whispers):
    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return f"guess {int(self.np_random.integers(1, 7))}"


@broken("snapshot and restore")
class Absent(Whispers):
    """Keeps wrong guesses outside its state."""

    def _reset(self, task: Task) -> None:
        super()._reset(task)
        self.heard = 0

    def _step(self, player: str, call: Call) -> JointOutcome:
        self.heard += 1
        return super()._step(player, call)

    def _public(self) -> str:
        return f"{self.heard} actions."

    def _view(self, player: str) -> str:
        return self._public()


@broken("state key")
class Blind(Whispers):
    """The key leaves out what has been guessed, which decides what is refused."""

    def _key_state(self) -> Any:
        return [self._state.hidden, self._state.done % 2]


@broken("re-seeded forks")
class Dicey(Whispers):
    def _reset(self, task: Task) -> None:
        super()._reset(task)
        self._state = Numbers(self._state.hidden, [[], []])

    def _step(self, player: str, call: Call) -> JointOutcome:
        if self.np_random.random() < 0.5:
            self.send_message("The dice roll.")
        return super()._step(player, call)


@broken("success", "turn limit")
class Premature(Whispers):
    """Says that a player succeeded while it plays on."""

    def _settle(self, ruling: JointOutcome) -> None:
        super()._settle(ruling)
        self._players[self.possible_agents[0]].success = True


@broken("info")
class Undeclared(Whispers):
    def _step(self, player: str, call: Call) -> JointOutcome:
        ruling = super()._step(player, call)
        if ruling.valid:
            self.record({"type": "surprise"})
        return ruling


@broken("PettingZoo's AEC tests", "PettingZoo's parallel tests")
class NewSpaces(Whispers):
    def observation_space(self, agent: str) -> Any:
        self._make_spaces()
        return super().observation_space(agent)


@broken("grammar and manual")
class Untold(Whispers):
    def _brief(self, player: str) -> str:
        return "Play."


@broken("out of turn", "after the end")
class Pushy(Whispers):
    """Gives advice to whoever asks."""

    def _require_turn(self, player: str, what: str) -> None:
        """Everybody may ask."""


@broken("invalid actions")
class Guessing(Rounds):
    """A refused action counts as something else than the stated default."""

    def _step_all(self, calls: Any) -> JointOutcome:
        refused = [player for player in calls if not self._players[player].valid]
        self._state.points[0] += 10 * len(refused)
        return super()._step_all(calls)


@broken("PettingZoo's max_cycles")
class Endless(Marathon):
    """Takes a number of rounds and plays on."""

    def _limit_cycles(self, max_cycles: int, turns: int) -> None:
        """Nothing comes of it."""
