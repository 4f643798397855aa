"""`Hints`: help that fades."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import ConfigError, unknown
from agentgym.core.checks import check_count
from agentgym.wrappers._checks import overrides
from agentgym.wrappers.base import Info, TextWrapper, as_shown, has_numbers, in_words

PLAYERS = {"expert": "_expert", "oracle": "_oracle"}
LONGEST_PLAN = 1_000  # actions of a plan that is looked ahead for


class Hints(TextWrapper):
    """Tells the agent what a good player would do, for a share of the way.

    `kind="next"` names the next action on a share of the turns, spread evenly; `kind="plan"` gives, with the first
    observation, the first share of the actions of an episode that the player plays on a copy of the world whose
    generator is another one: exact where the world is deterministic, otherwise one way it could go. Where actions are
    chosen by number, a plan is told in words, as the lists to come will show them.

    The share is `fraction`. It falls evenly to 0 over `fade` episodes, counted from the last seeded reset, so that
    equal seeds give equal episodes. A schedule may set it instead: `env.set_wrapper_attr("fraction", 0.2)`, or for one
    episode `reset(options={"hint_fraction": 0.2})`.

    Changes: observations (a line `Hint: ...`); `info` gains `hint` (str, empty where none is given) and `hint_fraction`
    (float), so that a trainer can take hints out of what it learns from.

    Args:
        env: A world with an expert or an oracle.
        by: `expert`, who knows what the agent has seen, or `oracle`, who sees hidden state; refused on test tasks.
        kind: `next` or `plan`; only `next` for a player of a game.
        fraction: Share of the turns or of the plan, 0 to 1.
        fade: Episodes until the hints are gone; 0 keeps them.

    Source: GHPO (Liu et al., 2025) and SEELE (Li et al., 2025) give part of a solution and less of it with time.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Hints
    >>> env = Hints(gym.make("AgentGym/FrozenLake-v0", slippery=False), kind="plan", fraction=0.5)
    >>> text, info = env.reset(seed=0)
    >>> text.splitlines()[-1] == info["hint"], info["hint_fraction"]
    (True, 0.5)
    """

    _names_actions: ClassVar[bool] = True
    saved_attributes: ClassVar[tuple[str, ...]] = ("_episode", "_share", "_count")

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        by: str = "expert",
        kind: str = "next",
        fraction: float = 1.0,
        fade: int = 0,
    ):
        super().__init__(env, extra_length=8_192, by=by, kind=kind, fraction=fraction, fade=fade)
        if by not in PLAYERS:
            raise unknown("player for hints", by, PLAYERS)
        if kind not in ("next", "plan"):
            raise unknown("kind of hints", kind, ("next", "plan"))
        fade = check_count("fade", fade, 0)
        world = self.world
        if not overrides(world, PLAYERS[by]):
            raise ConfigError(f"Hints by {by} need a world with one; {world.card.id} has none")
        if by == "oracle" and world.split.startswith("test"):
            raise ConfigError("an oracle gives no hints on test tasks; take by='expert' or another split")
        if kind == "plan":
            self._refuse_games("plays a plan on a copy of the world with kind='plan'")
        if kind == "plan" and world.card.snapshot == "none":
            raise ConfigError(f"a plan is played on a copy; {world.card.id} cannot be copied; take kind='next'")
        self.by, self.kind, self.fade = by, kind, fade
        self.fraction = _share(fraction)
        self._episode = -1
        self._share, self._count = self.fraction, 0

    def prepare(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, Any]:
        """Takes `hint_fraction` out of the options; the note is whether there is a seed, and that share or None."""
        rest = dict(options or {})
        wanted = _share(rest.pop("hint_fraction")) if "hint_fraction" in rest else None
        return rest, (seed is not None, wanted)

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation with its hint, or with the plan.

        Args:
            observation: What is seen inside.
            info: Gains `hint` and `hint_fraction`.
            note: Whether there is a seed, with which fading begins anew, and the share that the options want, or None.
        """
        seeded, wanted = note
        self._episode = 0 if seeded else self._episode + 1
        left = max(0.0, 1 - self._episode / self.fade) if self.fade else 1.0
        self._share = _share(self.fraction) * left if wanted is None else wanted
        self._count = 0
        return self._hinted(observation, info, self._plan if self.kind == "plan" else self._next)

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The `observation`, with a hint if one is due; `info` has it too, or "". There is no `note`."""
        return self._hinted(observation, info, self._next if self.kind == "next" else None)

    def _hinted(self, text: str, info: Info, say: Any) -> str:
        info["hint"], info["hint_fraction"] = "", self._share
        if say is None or info["failure"] or not self.awaits_action:
            return text
        info["hint"] = say()
        return self._fit(f"{text}\n{info['hint']}") if info["hint"] else text

    def _next(self) -> str:
        """The player's next action, on this share of the turns."""
        self._count += 1
        due = math.floor(self._count * self._share + 1e-9) > math.floor((self._count - 1) * self._share + 1e-9)
        player = in_words(self)
        return f"Hint: {as_shown(self, [self._ask(player)])[0]}" if due and not player.ended else ""

    def _plan(self) -> str:
        """The beginning of the player's way through a copy of the world."""
        if not self._share:
            return ""
        twin = self.world.fork(reseed=0)
        actions: list[str] = []
        while not twin.ended and len(actions) < LONGEST_PLAN:
            actions.append(self._ask(twin))
            twin.step(actions[-1])
        first = actions[: math.ceil(self._share * len(actions) - 1e-9)]
        shown = first if has_numbers(self) else as_shown(self, first)
        rest = "" if len(shown) == len(actions) else "; ..."
        return f"Hint: it can be done like this: {'; '.join(shown)}{rest}" if shown else ""

    def _ask(self, player: Any) -> str:
        action: str = player.expert_action() if self.by == "expert" else player.oracle_action()
        return action


def _share(fraction: Any) -> float:
    if isinstance(fraction, bool) or not isinstance(fraction, (int, float)) or not 0 <= fraction <= 1:
        raise ConfigError(f"the share of hints must be from 0 to 1, got {fraction!r}")
    return float(fraction)
