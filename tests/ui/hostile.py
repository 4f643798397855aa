"""A world whose every text tries to be more than text."""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.core import Call, Command, EnvCard, FiniteTaskSet, Grammar, LanguageEnv, Outcome, Task, TaskSet
from agentgym.core.catalog import register

ATTACK = "</pre><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><a href='//x'>"
TASK = '"><svg onload=document.title=1>'
CARD = EnvCard(
    id="AgentGymTests/Hostile-v0",
    kind="games",
    entry_point="tests.ui.hostile:Hostile",
    description=f"Says {ATTACK}",
    citation=ATTACK,
    splits={"train": 1},
    max_turns=3,
    deterministic=True,
)


@dataclass
class Nothing:
    """No state."""

    turns: int = 0


class Hostile(LanguageEnv):
    """Repeats what it is told, in words that are markup."""

    card = CARD
    grammar = Grammar([Command("say <words>", f"Says {ATTACK}", ("say x",))], rules=f"Beware of {ATTACK}")
    admissible_complete = False
    _state: Nothing

    def tasks(self, split: str) -> TaskSet:
        return FiniteTaskSet(split, [TASK], lambda name: Task(name, split, ATTACK, {}))

    def _reset(self, task: Task) -> str:
        self._state = Nothing()
        return f"{ATTACK} [SEP] back"

    def _step(self, call: Call) -> Outcome:
        self._state.turns += 1
        return Outcome(f"You say {call['words']} and {ATTACK}", terminated=self._state.turns > 1)

    def _admissible(self) -> list[str]:
        return [f"say {ATTACK}"]

    def _oracle(self) -> str:
        return f"say {ATTACK}"

    def _expert(self) -> str:
        return f"say {ATTACK}"


register(CARD)
