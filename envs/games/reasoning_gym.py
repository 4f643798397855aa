"""The generators of Reasoning Gym as tasks: one question, one answer or several tries, scored as the package scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import AgentGymError, ConfigError, TaskError, UnknownName
from agentgym.core.generated import EnvConfig, checked, object_schema, whole
from agentgym.core.grammar import Call
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import json_key
from agentgym.core.tasks import GeneratedTasks, Spec, Task
from agentgym.envs.games._cards.reasoning import REASONING_GYM
from agentgym.envs.games._reasoning import package
from agentgym.envs.games._reasoning.answers import AnswerGrammar
from agentgym.envs.games._reasoning.questions import Questions, content, entry, instruct
from agentgym.envs.games._reasoning.scoring import score

MOST_TRIES = 20


def _chosen(name: str, wanted: str | Sequence[str]) -> str | tuple[str, ...]:
    return "all" if wanted == "all" else package.choose(wanted)


def _options(name: str, given: Mapping[str, Any]) -> str | None:
    try:
        return json_key(dict(given)) if given else None
    except TypeError as error:
        raise ConfigError(f"{name} must hold JSON data, but {error}") from None


@dataclass(frozen=True)
class Config(EnvConfig):
    """Which generators ask, with which options (kept as canonical JSON), and how many answers are allowed."""

    generators: str | tuple[str, ...] = checked("all", _chosen)
    tries: int = whole(1, 1, MOST_TRIES, shapes_tasks=False)
    config: str | None = checked(None, _options)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.config is not None:
            names = package.choose(self.generators)
            if len(names) != 1:
                raise ConfigError(f"config goes with a single generator, got {len(names)} of them")
            package.dataset(names[0], 0, self.config)  # a wrong option is told now


@dataclass(slots=True)
class State:
    """What the best answer so far was worth."""

    best: float = 0.0


class ReasoningGymEnv(LanguageEnv):
    """Answer a generated question.

    Description: the generators of the package `reasoning-gym`: algebra, arithmetic, algorithms, code, logic, graphs,
    geometry, games and induction. Each task is a generator and a seed: exactly
    `reasoning_gym.create_dataset(generator, seed=seed, size=1, **config)[0]`.

    Observation: the question as the package words it. After a wrong answer: its score and how many tries are left.

    Actions: the answer alone, in the form the question asks for, over several lines if need be; also after `answer:` or
    in answer tags. An empty action is refused and costs a try.

    Reward: the package's score of the answer, 0 to 1; many of its scorers pay for part of an answer, or a little for
    its form. With more than one try, the k-th answer is worth its score divided by 2 to the power k - 1, and a step
    pays by how much that exceeds the best so far; guessing does not pay. The episode ends with a score of 1 (success),
    or after `tries` turns.

    Metrics: `score`, the package's score of this answer.

    Splits: `train` without end, `val` and `test` 100 questions each, of all generators in turn. A question belongs to
    one split by its own text, so that no question of one stands in another, whatever the options.

    Oracle: the reference answer. There is no expert.

    Left out, each with its reason:
        - `isomorphic_strings`, `knight_swap`, `polynomial_multiplication`, `ransom_note`, `word_ladder`: their
          questions follow the order of a set of strings, which differs between processes.
        - `list_functions`, `pool_matrix`: they draw from, or seed, a random generator that the whole process shares.
        - `intermediate_integration`, `simple_integration`: their scorers evaluate the answer as Python code.
        - `codeio`: it runs programs out of a data file, which the package itself warns of.
        - `composite`: it is a mixture of generators, as `generators` is.

    Scored here, to the same figures, because the package's scorers evaluate the answer: `binary_matrix`, `n_queens`,
    `spiral_matrix`, `string_insertion` (an answer in the form of a list is read as JSON), `countdown` and `puzzle24` (a
    formula of + - * / and brackets is parsed; `puzzle24` must use its own four numbers, where the package takes any
    four).

    Args:
        generators: `all`, a name such as `chain_sum`, or a list of names, which take turns. `all` leaves out
            `boxnet`, `graph_color`, `propositional_logic`, `rubiks_cube` and `rush_hour`, which have a scorer but no
            reference answer, so no oracle either; they can be named.
        tries: Answers allowed, 1 to 20.
        config: Options of the generator, as the package names them; only with a single name.

    Raises:
        MissingExtra: if `reasoning-gym` is not installed (extra `worlds`).

    Source: Reasoning Gym (Stojanovski et al. 2025, arXiv:2505.24760); halved retries after RAGEN (arXiv:2504.20073).
    """

    card = REASONING_GYM
    config = Config()
    grammar = AnswerGrammar()
    observation_length: ClassVar[int] = 65_536
    action_length: ClassVar[int] = 16_384
    task_schema: ClassVar[Spec] = object_schema(
        {
            "generator": {"type": "string"},
            "seed": {"type": "integer", "minimum": 0},
            "config": {"type": "object"},
        },
        optional=["config"],
    )
    instruction, content_key = staticmethod(instruct), staticmethod(content)
    _state: State

    @classmethod
    def make_tasks(cls, config: Config) -> GeneratedTasks:
        """Questions by seed."""
        return Questions(package.choose(config.generators), config.config or "{}", config.generators == "all")

    def check_task(self, spec: Spec) -> None:
        """The generator must be offered and take the options."""
        try:
            package.choose((spec["generator"],))
            entry(spec)
        except (ConfigError, UnknownName) as error:
            raise TaskError(str(error)) from None

    def _kind(self, spec: Spec) -> str:
        """The generator."""
        return str(spec["generator"])

    def _turn_limit(self, task: Task) -> int:
        return self.config.tries

    def _reset(self, task: Task) -> str:
        self._state = State()
        return task.instruction

    def _step(self, call: Call) -> Outcome:
        spec = self.task.spec
        dataset = package.dataset(spec["generator"], spec["seed"], json_key(spec.get("config", {})))
        points = score(dataset, spec["generator"], call["answer"], entry(spec))
        worth = points * 0.5 ** (self.turn - 1)
        gain = max(0.0, worth - self._state.best)
        self._state.best = max(worth, self._state.best)
        won, left = points >= 1.0, self.max_turns - self.turn
        told = "Correct." if won else f"Not correct; the score is {points:.2f}."
        if left and not won:
            told = f"{told} Tries left: {left}."
        over = won or not left
        return Outcome(told, gain, over, won, progress=self._state.best, metrics={"score": points})

    def _sample(self, rng: np.random.Generator) -> str:
        """A word of the question."""
        words = self.task.instruction.split()
        return words[int(rng.integers(len(words)))]

    def _oracle(self) -> str:
        return self._reference()

    def _reference(self) -> str:
        answer = entry(self.task.spec)["answer"]
        if not isinstance(answer, str):
            raise AgentGymError(f"the generator {self.task.spec['generator']!r} gives no reference answer")
        return f"<answer>{answer}</answer>"
