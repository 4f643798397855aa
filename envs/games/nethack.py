"""NetHack itself: the engine of `nle`, in the words of BALROG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import checked, object_schema
from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.hack import NETHACK
from agentgym.envs.games._nethack.engine import LARGEST
from agentgym.envs.games._nethack.keys import KEYS, Keyboard
from agentgym.envs.games._nethack.progress import progress
from agentgym.envs.games._nethack.world import HackConfig, HackWorld

ROLES = ("arc", "bar", "cav", "hea", "kni", "mon", "pri", "ran", "rog", "sam", "tou", "val", "wiz")
RACES = ("hum", "elf", "dwa", "gno", "orc")
ALIGNMENTS = ("law", "neu", "cha")
GENDERS = ("mal", "fem")
STANDSTILL = 150  # actions without time passing in the game, as in BALROG
WORDS = tuple(KEYS)
INSTRUCTION = "Play NetHack. Get as far as possible: down the dungeon, and up in experience."


def check_character(character: object) -> str:
    """Role, race, alignment and gender, if it is these.

    Raises:
        ConfigError: if it is none.
    """
    parts = character.split("-") if isinstance(character, str) else []
    known = (ROLES, RACES, ALIGNMENTS, GENDERS)
    if character != "@" and not (
        len(parts) == 4 and all(part in words for part, words in zip(parts, known, strict=True))
    ):
        told = "; ".join(", ".join(words) for words in known)
        raise ConfigError(f"character must be '@' or four parts as in 'val-hum-neu-fem', of {told}; got {character!r}")
    return str(character)


@dataclass(frozen=True)
class Config(HackConfig):
    """The keyword arguments of `NetHackEnv`."""

    character: str = checked("@", lambda name, value: check_character(value))


class NetHackEnv(HackWorld):
    """Get as far as you can in NetHack.

    Description: NetHack 3.6.6 in the engine of the package `nle` 1.3, with the options of the NetHack Learning
    Environment's challenge: a dungeon made anew for each task, a random role and race, hundreds of kinds of monsters
    and items, permanent death. The whole keyboard is there, menus and questions included.

    Observation, in BALROG's sections: `message` (what the game said, page by page, with windows and menus, so that
    `--More--` never waits); `language observation` (how many steps of open ground lie in each of the eight directions
    and what stops them, then all that is seen, nearest first, with its exact offset); `cursor`; `map`, as NetHack draws
    it; `statistics`; `inventory`. The wording is this package's own; unidentified items are called by their looks. With
    `style="balrog"` to the letter what BALROG's wrappers show of the present: `inventory`, `message` with pages turned
    as they do, `language observation` (`vertical wall near north`), `cursor`, and the whole screen as `map`; without
    the drawn screen `statistics` first.

    Actions: BALROG's words, such as `north`, `far east`, `down`, `search`, `apply`, `pray`; a single character is that
    key, as an answer to a question; `type <text>` presses several. `#` and `!` cannot be typed.

    Reward: the change of NetHack's score, as in NLE. The episode ends with death, with the end of the game (success if
    you ascend), after 150 actions in a row in which no time passed in the game, or after 100,000 turns.

    Metrics: BALROG's `progression` in percent, the share of human games that were won among those that came as deep,
    or as far in experience; `depth`, `experience`, `score`. `progress` is the progression's share.

    Splits: `train` without end, `val` and `test` 10 dungeons each; BALROG plays 5.

    Oracle: none. Expert: a scripted player that reads only what is shown: it explores, fights, prays, eats, kicks doors
    in, searches for hidden ways, and goes down. Its progression is 4.0 percent on `val` and 4.1 on `test`, five dungeon
    levels deep; that of random actions is 0.

    Limits: neither the expert nor anybody here wins the game, so `success` is 0 for all. A step takes some 0.2 ms,
    more than half of it for the words. The engine cannot be copied, so a snapshot replays the episode: some 4 ms and
    0.2 ms an action. The task fixes dungeon, role and first turn; the dice of every later action come from
    `np_random`. The phase of the moon, and whether it is night or midnight, follow from the task too, not from the
    clock. The package asks for Gymnasium 1.2.0, so it is installed apart. NetHack and `nle` are under the NetHack
    General Public License.

    Args:
        character: Role, race, alignment and gender, such as `val-hum-neu-fem`; `@` for random ones.
        view: `hybrid`, words and the drawn map, or `language`, words alone: BALROG's two ways.
        style: `words`, this package's own, or `balrog`.

    Raises:
        MissingExtra: if `nle` is not installed (extra `nethack`).

    Source: The NetHack Learning Environment (Küttler et al. 2020, arXiv:2006.13760); words and progression of BALROG
    (Paglieri et al. 2024, arXiv:2411.13543).
    """

    card = NETHACK
    config = Config()
    _played = ""
    grammar = Keyboard(
        WORDS,
        "Explore the dungeon, grow stronger and go down as far as you can without dying. Walk into monsters to fight "
        "them. Read the message: a question is answered by the next action, with a direction or a key.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "seed": {"type": "integer", "minimum": 0, "maximum": LARGEST},
            "character": {"type": "string", "maxLength": 20},
        }
    )
    admissible_complete = False

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A dungeon by its number, the `seed`, and the character of `config`."""
        return {"seed": seed, "character": config.character}

    def check_task(self, spec: Spec) -> None:
        """The character must be one."""
        try:
            check_character(spec["character"])
        except ConfigError as error:
            raise TaskError(str(error)) from None

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return INSTRUCTION

    def _reset(self, task: Task) -> str:
        character = task.spec["character"]
        if self._engine is None or self._played != character:
            self._engine = self._boot(self._nethack.NETHACKOPTIONS, character)
            self._played = character
        return f"{task.instruction}\n\n{self._open(self._engine, task.spec['seed'])}"

    def _step(self, call: Call) -> Outcome:
        game, state = self.game, self._state
        score = game.stats[9]
        self._press(call)
        stuck = state.still >= STANDSTILL
        text = self._seen
        if game.over:
            text = "\n".join([*game.said, "You have won the game." if game.ascended else "The game is over."])
        elif stuck:
            text = f"No time has passed in the game for {STANDSTILL} actions. The game is over.\n\n{text}"
        return Outcome(
            text,
            reward=float(game.stats[9] - score),
            terminated=game.over or stuck,
            success=game.ascended,
            progress=progress(state.depth, state.experience),
        )

    def _metrics(self) -> Mapping[str, float]:
        state = self._state
        reached = 1.0 if self.game.ascended else progress(state.depth, state.experience)
        return {
            "progression": 100 * reached,
            "depth": float(state.depth),
            "experience": float(state.experience),
            "score": float(self.game.stats[9]),
        }

    def _words(self) -> tuple[str, ...]:
        return WORDS
