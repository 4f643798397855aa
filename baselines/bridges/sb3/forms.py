"""DQN fills in forms of many fields, with and without a curriculum, after QWeb (Gur et al. 2019, arXiv:1812.09195).

    python -m agentgym.baselines.bridges.sb3.forms --fields 20 --seeds 3 --out FOLDER

A form is won by one press of its button when all that is asked for is right, so a learner that begins with empty forms
hardly ever sees a reward. The curriculum begins with forms that are filled in, whose button is to be pressed
(`options={"filled": 1}`), and empties them as the learner succeeds. Both learners, DQN of Stable-Baselines3 with one
network for all actions, get as many steps; they are tested on empty forms that neither has seen. Each seed is a learner
of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor, nn

import agentgym
from agentgym.baselines.bridges.sb3 import measure
from agentgym.baselines.bridges.sb3.curve import PACKAGES, standing_alone
from agentgym.baselines.bridges.sb3.form_reader import FEATURES, FormActions, FormReader
from agentgym.core.rng import stream
from agentgym.report import Series, line_chart, machine

PAGE = "generated-form"
SLOTS = 24  # actions of a form for each of its fields
SPARE = 5  # turns beside one for each field
HELD_OUT = 1_000  # seeds below are for tests
STAGES = 8  # from forms that are filled in to empty ones
ENOUGH, WINDOW = 0.85, 24  # success in so many episodes of a stage that opens the next
REFUSED = -1e4  # the value of what cannot be played
Points = Sequence[tuple[int, int, float]]  # of each test the steps so far, the stage of the curriculum, the success


class Forms(gym.Wrapper[Any, Any, Any, Any]):
    """Draws a form of a given size for each episode, and how much of it is filled in.

    Args:
        env: `MiniWoB-v1` as numbers.
        size: Fields of a form, its button included: 5 to 100.
        curriculum: Whether forms begin filled in and are emptied as success allows; otherwise all are empty.
        seed: Of the draws.

    Attributes:
        stage: How far the curriculum has come, 0 to `STAGES`.
    """

    def __init__(self, env: gym.Env[Any, Any], size: int, curriculum: bool, seed: int):
        super().__init__(env)
        self.stage = 0 if curriculum else STAGES
        self._page, self._curriculum = f"{PAGE}-{size}", curriculum
        self._rng = stream("sb3.forms", seed)
        self._won: deque[bool] = deque(maxlen=WINDOW)
        self._size, self._drawn, self._left = size, self.stage, 0

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the world's; half of the forms are of the present stage, the others of one before.

        An episode takes as many turns as what is left to do wants, and `SPARE` more.

        Args:
            seed: Seed of the world's generator; forms are drawn from a generator of this wrapper's.
            options: Reset options; a `task` or `filled` among them goes before what was drawn.
        """
        self._drawn = self.stage
        if self._curriculum and self.stage and self._rng.random() < 0.5:
            self._drawn = int(self._rng.integers(self.stage))
        self._left = SPARE + self._size * self._drawn // STAGES
        task = {"page": self._page, "seed": int(self._rng.integers(HELD_OUT, 10**9))}
        return self.env.reset(seed=seed, options={"task": task, "filled": 1 - self._drawn / STAGES, **(options or {})})

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the world's; an end counts for the stage that the form was of."""
        shown, reward, terminated, truncated, info = self.env.step(action)
        self._left -= 1
        truncated = truncated or (self._left == 0 and not terminated)
        if (terminated or truncated) and self._drawn == self.stage < STAGES:
            self._won.append(bool(info["success"]))
            if len(self._won) == WINDOW and sum(self._won) >= ENOUGH * WINDOW:
                self.stage += 1
                self._won.clear()
        return shown, reward, terminated, truncated, info


class _SlotValues(nn.Module):
    """The value of each action from what is read of it, by one network for all."""

    def __init__(self) -> None:
        super().__init__()
        self.value = nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, features: Tensor) -> Tensor:
        rows = features.view(len(features), -1, FEATURES)
        values, playable = rows.new_full(rows.shape[:2], REFUSED), rows[..., -1] > 0
        values[playable] = self.value(rows[playable]).squeeze(-1)
        return values


class _Values(QNetwork):
    def __init__(self, *given: Any, **named: Any):
        super().__init__(*given, **named)
        self.q_net = _SlotValues()  # type: ignore[assignment]


class SlotValuePolicy(DQNPolicy):
    """DQN's policy with one network shared by all actions, and no value for what cannot be played."""

    def make_q_net(self) -> QNetwork:
        """The values of all actions of `FormReader`."""
        given = self._update_features_extractor(self.net_args, features_extractor=None)
        return _Values(**given).to(self.device)


class AdmissibleDQN(DQN):
    """DQN that explores the elements of a form alike, and the actions of each, by draws of its own."""

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[NDArray[Any], Any]:
        """The best action, or with the present chance any that can be played.

        Args:
            observation: Of one environment or of several.
            state, episode_start: As for any model; this one has no memory.
            deterministic: Whether the best action is certain.
        """
        if not deterministic and self._draws().random() < self.exploration_rate:
            return self._any(np.asarray(observation)), state
        return super().predict(observation, state, episode_start, deterministic=True)

    def _sample_action(self, learning_starts: int, action_noise: Any = None, n_envs: int = 1) -> tuple[Any, Any]:
        assert self._last_obs is not None
        early = self.num_timesteps < learning_starts
        played = self._any(np.asarray(self._last_obs)) if early else self.predict(self._last_obs)[0]
        return played, played

    def _any(self, observations: NDArray[Any]) -> NDArray[Any]:
        rows = observations.reshape(-1, int(self.action_space.n), FEATURES)  # type: ignore[attr-defined]
        chances = rows[:, :, -1].astype(float)
        return np.array([self._draws().choice(each.size, p=each / each.sum()) for each in chances])

    def _draws(self) -> np.random.Generator:
        if not hasattr(self, "_own_draws"):
            self._own_draws = stream("sb3.forms.exploration", self.seed or 0)
        return self._own_draws


def make_form(size: int) -> gym.Env[Any, Any]:
    """Forms of `MiniWoB-v1` as numbers, with numbered actions.

    Args:
        size: Fields of a form at most.
    """
    return FormReader(FormActions(agentgym.make("MiniWoB-v1", max_turns=size + SPARE), SLOTS * size))


def form_sizes() -> list[int]:
    """How many fields the forms of `MiniWoB-v1` have."""
    pages = {str(task.spec["page"]) for task in agentgym.make("MiniWoB-v1").unwrapped.tasks("val")}
    return sorted(int(page.rpartition("-")[2]) for page in pages if page.startswith(PAGE))


def success(model: DQN, env: gym.Env[Any, Any], size: int, forms: int) -> float:
    """Share of empty forms that are won by the best actions.

    Args:
        model: The learner.
        env: Of `make_form`.
        size: Fields of a form.
        forms: How many; no learner trains on them.
    """
    won = 0
    for seed in range(forms):
        shown, info = env.reset(seed=seed, options={"task": {"page": f"{PAGE}-{size}", "seed": seed}})
        ended = False
        while not ended:
            action, _ = model.predict(shown, deterministic=True)
            shown, _, terminated, truncated, info = env.step(int(action))
            ended = terminated or truncated
        won += bool(info["success"])
    return won / forms


class _Tests(BaseCallback):
    """Tests the learner now and then.

    Attributes:
        points: Of each test the steps so far, the stage of the curriculum, and the success.
    """

    def __init__(self, forms: Forms, size: int, count: int, every: int, name: str):
        super().__init__()
        self.points: list[tuple[int, int, float]] = []
        self._forms, self._size, self._count, self._every, self._name = forms, size, count, every, name
        self.env = make_form(size)

    def _on_training_start(self) -> None:
        self._test()

    def _on_step(self) -> bool:
        if self.num_timesteps % self._every == 0:
            self._test()
        return True

    def _test(self) -> None:
        model: Any = self.model
        found = success(model, self.env, self._size, self._count)
        self.points.append((self.num_timesteps, self._forms.stage, round(found, 4)))
        told = (
            f"{self._name}, {self.num_timesteps:,} steps, stage {self._forms.stage} of {STAGES}: {found:.0%} of forms"
        )
        Console().print(told, highlight=False)


def learn(size: int, curriculum: bool, steps: int, every: int, seed: int, count: int) -> Points:
    """Train a learner, and test it from before the first step on.

    Args:
        size: Fields of a form.
        curriculum: Whether forms begin filled in.
        steps: Of training.
        every: Steps between tests.
        seed: Of network and draws.
        count: Forms of each test.

    Returns:
        Of each test the steps so far, the stage of the curriculum, and the success.
    """
    forms = Forms(make_form(size), size, curriculum, seed)
    tests = _Tests(forms, size, count, every, f"{'curriculum' if curriculum else 'plain'}, seed {seed}")
    model = AdmissibleDQN(
        SlotValuePolicy, forms, learning_rate=lambda left: 1e-3 * max(left, 0.02), buffer_size=10_000,
        learning_starts=300, batch_size=64, train_freq=4, gradient_steps=4, gamma=0.9, target_update_interval=400,
        exploration_fraction=0.5, exploration_final_eps=0.05, seed=seed, device="cpu",
    )  # fmt: skip
    try:
        model.learn(steps, callback=tests)
    finally:
        forms.close()
        tests.env.close()
    return tests.points


def write(folder: Path, size: int, arms: Mapping[str, Sequence[Points]], command: str) -> None:
    """Write `forms-N.json` and `forms-N.svg`, which shows the mean over seeds between the worst and the best.

    Args:
        folder: Made if it is not there.
        size: Fields of a form.
        arms: By learner, the tests of each seed from 0.
        command: What was run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    title = f"Forms of {size} fields, DQN with and without a curriculum"
    record = {
        "title": title,
        "source": "QWeb, Gur et al. 2019, arXiv:1812.09195",
        "command": command,
        "machine": machine(),
        "packages": {package: version(package) for package in PACKAGES},
        "columns": ["steps", "stage", "success"],
        "arms": {name: [[list(point) for point in points] for points in seeds] for name, seeds in arms.items()},
    }
    (folder / f"forms-{size}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")
    lines = []
    for tone, (name, seeds) in enumerate(arms.items()):
        tests = [(at[0][0], [won for *_, won in at]) for at in zip(*seeds, strict=True)]
        means = [(steps, sum(won) / len(won)) for steps, won in tests]
        lines.append(Series(name, means, [(steps, min(won), max(won)) for steps, won in tests], tone))
    about = f"Empty forms won, of forms no learner trained on; mean, worst and best of {len(seeds)} seeds."
    shown = line_chart(title, about, lines, x_label="steps", y_label="won")
    (folder / f"forms-{size}.svg").write_text(standing_alone(shown), encoding="utf8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train both learners with equal steps, one after the other, and write their curves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fields", type=int, default=20, help="fields of a form, 5, 10, 20, 40, ... (%(default)s)")
    parser.add_argument("--steps", type=int, default=12_000, help="steps to train each learner (%(default)s)")
    parser.add_argument("--every", type=int, default=2_000, help="steps between tests (%(default)s)")
    parser.add_argument("--forms", type=int, default=30, help="forms of a test (%(default)s)")
    parser.add_argument("--seeds", type=int, default=1, help="learners of each kind (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("runs/forms"), help="folder of the curves (%(default)s)")
    given = parser.parse_args(arguments)
    if given.fields not in form_sizes():
        parser.error(f"there are forms of {', '.join(map(str, form_sizes()))} fields")
    if given.seeds < 1:
        parser.error("--seeds is 1 or more")
    torch.set_num_threads(measure.SHARED_THREADS)
    arms = {
        name: [
            learn(given.fields, curriculum, given.steps, given.every, seed, given.forms) for seed in range(given.seeds)
        ]
        for name, curriculum in (("curriculum", True), ("plain", False))
    }
    told = f"python -m agentgym.baselines.bridges.sb3.forms --fields {given.fields} --steps {given.steps}"
    write(given.out, given.fields, arms, f"{told} --forms {given.forms} --seeds {given.seeds}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
