"""Checks of the interfaces themselves, Gymnasium's and PettingZoo's two; all others play through a `Driver`."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import DelayObservation, StickyAction, TimeLimit

from agentgym.conformance import state
from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.episodes import refused
from agentgym.conformance.errors import NotApplicable, Violation, describe
from agentgym.conformance.play import Play, difference, episode, transcribe
from agentgym.core import catalog, drive
from agentgym.core.rng import stream

CYCLES = 200
MAX_CYCLES = 4  # what max_cycles_test asks for
UNAVOIDABLE = (  # what PettingZoo's tests warn of in every environment of text
    "Observation is not a NumPy array", "Observation space for each agent probably should be",
    "Action space for each agent probably should be",
)  # fmt: skip


def wrap(made: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    """Three wrappers that keep state: a limit that counts, a queue of observations, an action that sticks by chance."""
    return DelayObservation(StickyAction(TimeLimit(made, 10_000), 0.25), 1)


DRESSINGS: dict[str, state.Dress] = {"bare": state.bare, "wrapped": wrap}


def dressings(env: EnvUnderTest) -> dict[str, state.Dress]:
    """By name, what is put around an environment before its state is saved; wrappers are for Gymnasium's only."""
    return {name: dress for name, dress in DRESSINGS.items() if name == "bare" or is_gymnasium(env)}


def _interface(env: EnvUnderTest) -> str:
    """`gymnasium`, `aec` or `parallel`."""
    return env.card.api if env.is_world else "gymnasium"


def is_gymnasium(env: EnvUnderTest) -> bool:
    """Whether it is a `gymnasium.Env`."""
    return _interface(env) == "gymnasium"


def _gymnasium(env: EnvUnderTest) -> None:
    if not is_gymnasium(env):
        raise NotApplicable("the environment is no gymnasium.Env")


def _pettingzoo(env: EnvUnderTest) -> str:
    if _interface(env) == "gymnasium":
        raise NotApplicable("the environment is none of PettingZoo's")
    return _interface(env)


def gymnasium_checker(env: EnvUnderTest) -> str:
    """A2: Gymnasium's own `check_env`, every warning an error."""
    _gymnasium(env)
    made = env.make().unwrapped
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):  # mode `human` prints
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*out of date.*")
        try:
            check_env(made)
        except (Exception, Warning) as error:
            raise Violation(
                f"gymnasium.utils.env_checker.check_env: {describe(error)}",
                "follow that message; it is an error or a warning of Gymnasium's checker.",
            ) from error
    return f"check_env without a warning, render modes {made.metadata.get('render_modes', [])}"


def spec_json(env: EnvUnderTest) -> str:
    """A8: the spec survives JSON, with wrappers, and rebuilds an equal environment."""
    _gymnasium(env)
    for wrapped in (False, True):
        made = wrap(env.make()) if wrapped else env.make()
        try:
            assert made.spec is not None
            again = gym.make(EnvSpec.from_json(made.spec.to_json()))
        except (TypeError, ValueError) as error:
            raise Violation(
                f"the spec is no JSON: {describe(error)}",
                "register a string entry point and take only JSON-safe constructor arguments.",
            ) from error
        play = Play("random", 3, limit=20)
        wrong = difference(transcribe(drive(made), play).lines, transcribe(drive(again), play).lines)
        if wrong:
            raise Violation(
                f"the environment rebuilt from its spec behaves otherwise: {wrong}",
                "let every constructor argument pass through gymnasium.make, and derive nothing from elsewhere.",
            )
    return "bare and in three wrappers"


def wrapped_state(env: EnvUnderTest) -> str:
    """A9: snapshot, restore and fork through `gymnasium.make` and three wrappers that keep state."""
    env.copyable()
    _gymnasium(env)
    state.restores(env, wrap)
    return state.forks_alike(env, wrap) + ", through TimeLimit, StickyAction and DelayObservation"


def pettingzoo_aec(env: EnvUnderTest) -> str:
    """M1: PettingZoo's `api_test`, `seed_test` and `render_test`, without a warning that text can avoid."""
    return _upstream(env, "aec", ("api_test", "seed_test", "render_test"))


def pettingzoo_parallel(env: EnvUnderTest) -> str:
    """M1: PettingZoo's `parallel_api_test` and `parallel_seed_test`, without a warning."""
    return _upstream(env, "parallel", ("parallel_api_test", "parallel_seed_test"))


def _upstream(env: EnvUnderTest, view: str, names: Sequence[str]) -> str:
    """Run tests of PettingZoo's on one view of a game; those of its API take an environment, others what makes one."""
    made = partial(env.make) if _pettingzoo(env) == view else partial(_other_view, env)
    import pettingzoo.test as upstream

    for name in names:
        given = (made,) if name == "render_test" else (made() if name.endswith("api_test") else made, CYCLES)
        _unwarned(name, partial(getattr(upstream, name), *given))
    return f"{', '.join(names)} of the {view} view"


def _unwarned(name: str, test: Callable[[], None]) -> None:
    with warnings.catch_warnings(record=True) as heard, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            test()
        except Exception as error:  # any exception is the finding
            raise Violation(f"pettingzoo.test.{name}: {describe(error)}", "follow that message.") from error
    told = [str(one.message) for one in heard if not str(one.message).startswith(UNAVOIDABLE)]
    if told:
        raise Violation(f"pettingzoo.test.{name} warns: {told[0]}", "follow that message.")


def max_cycles(env: EnvUnderTest) -> str:
    """M1: `max_cycles` rounds end a game, by PettingZoo's `max_cycles_test` where all act at once.

    That test counts a step of the parallel view as a round, which in games of turns it is not.
    """
    interface = _pettingzoo(env)
    from pettingzoo.test import max_cycles_test

    driver = env.world(max_cycles=MAX_CYCLES, **({"tries": 1} if interface == "aec" else {}))
    *_, last = episode(driver, Play("nothing", 0))
    rounds = driver.world.turn / (len(env.players) if interface == "aec" else 1)
    decided = any(result.terminated for result in last.results.values())
    if decided and rounds <= MAX_CYCLES:
        raise NotApplicable(f"whoever is refused has decided the game when {rounds:g} rounds are over")
    if rounds != MAX_CYCLES:
        raise Violation(f"max_cycles={MAX_CYCLES} ends a game after {rounds:g} rounds.", "leave it to the base class.")
    if interface == "parallel":
        made = partial(_seeded, env.make), partial(_seeded, partial(_other_view, env))
        views = SimpleNamespace(parallel_env=made[0], env=made[1])
        _unwarned("max_cycles_test", lambda: max_cycles_test(views))
    return f"{MAX_CYCLES} rounds"


def _seeded(make: Callable[..., Any], **kwargs: Any) -> Any:
    """A game for a test that resets and samples without a seed: it plays the same every time."""
    game = make(**kwargs)
    game.reset(seed=MAX_CYCLES)
    for number, player in enumerate(game.possible_agents):
        game.action_space(player).seed(number)
    return game


def _other_view(env: EnvUnderTest, **kwargs: Any) -> Any:
    """The game as the other of PettingZoo's two interfaces shows it."""
    import pettingzoo

    view = "parallel" if _interface(env) == "aec" else "aec"
    return pettingzoo.make(view, env.name, **{**env.kwargs, **kwargs})


def dead_players(env: EnvUnderTest) -> str:
    """M8: a player that is out must step with None and leaves, as PettingZoo has it; nothing else is heard of it."""
    interface = _pettingzoo(env)
    game = env.make()
    game.reset(seed=8)
    rng = stream("conformance.dead_players")
    while game.agents and not game.ended:
        chosen = {player: game.sample_action(player, rng) for player in game.to_act}
        game.step(chosen if interface == "parallel" else chosen[game.agent_selection])
        while interface == "aec" and not game.ended and _is_out(game):
            game.step(None)
    if interface == "aec":
        refused(partial(game.step, "x"), "a player that is out")
        while game.agents:
            game.step(None)
        if game.infos or game.rewards or game.terminations:
            raise Violation("what a player that has left got is still told.", "leave dead steps to the base class.")
    refused(
        partial(game.step, None if interface == "aec" else {game.possible_agents[0]: "x"}), "a game without players"
    )
    for ask in ("observe", "admissible_actions", "role", "team"):
        refused(partial(getattr(game, ask), "player_99"), f"{ask} of a stranger")
    game.reset(seed=9)
    if game.agents != game.possible_agents:
        raise Violation("a reset does not bring all players back.", "leave reset to the base class.")
    return "None leaves the game; strangers are refused by name"


def _is_out(game: Any) -> bool:
    return bool(game.terminations[game.agent_selection] or game.truncations[game.agent_selection])


def out_of_turn(env: EnvUnderTest) -> str:
    """M9: a player whose turn it is not has no actions and no advice, and in the parallel view it is not heard."""
    if _pettingzoo(env) != "aec":
        raise NotApplicable("all act at once")
    view = _other_view(env)
    view.reset(seed=3)
    game = view.world
    waiting = next(player for player in game.agents if player != game.agent_selection)
    rng = stream("conformance.out_of_turn")
    refused(partial(game.sample_action, waiting, rng), "sample_action out of turn")
    refused(partial(game.oracle_action, waiting), "oracle_action out of turn")
    refused(partial(game.expert_action, waiting), "expert_action out of turn")
    refused(partial(game.opponent_action, waiting, game.opponents[0], rng), "opponent_action out of turn")
    mover, action, twin = _first_of_several(view, rng)
    waiting = next(player for player in game.agents if player != mover)
    observations, _, _, _, infos = view.step({mover: action, waiting: action})
    if game.state_key() != twin.state_key():
        raise Violation("an action out of turn changes the game.", "leave the parallel view to the base class.")
    if infos[waiting]["action_valid"] or infos[waiting]["error"] not in observations[waiting]["text"]:
        raise Violation("a player is not told that it was not its turn.", "leave the parallel view to the base class.")
    return "no list, no advice, no effect"


def _first_of_several(view: Any, rng: np.random.Generator) -> tuple[str, str, Any]:
    """Begin a game that its first action does not end: who moves, that action, and a fork in which it was played."""
    for seed in range(3, 35):
        view.reset(seed=seed)
        game = view.world
        mover, twin = game.agent_selection, game.fork()
        action = game.sample_action(mover, rng)
        twin.step(action)
        if not twin.ended:
            return mover, action, twin
    raise NotApplicable("the first action of 32 random games ended each of them")


def registration(env: EnvUnderTest) -> str:
    """A1: the id is made in a fresh process from its interface's registry, and card and class agree."""
    env.workers.answer(0)
    world, interface = env.sample.world, _interface(env)
    if not env.is_world:
        return f"gymnasium.make({env.prefixed!r}) in a fresh process"
    card = env.card
    if card is not catalog().get(env.name):
        raise Violation(
            f"the catalog has no card of {env.name}, or another than the class {type(world).__name__}.",
            "call agentgym.register(card) where the id is registered, and set the same object as the class's card.",
        )
    wanted = f"{type(world).__module__}:{type(world).__qualname__}"
    if card.entry_point != wanted:
        raise Violation(f"the card names {card.entry_point}, made was {wanted}.", "give its own module:Class.")
    if interface == "gymnasium":
        if world.spec is None or world.spec.max_episode_steps is not None:
            raise Violation("the id is registered with a limit.", "give no max_episode_steps; the world has one.")
    else:
        _in_both_registries(env, world)
    facts = {
        "players": (card.players, len(env.players)),
        "opponents": (card.opponents, tuple(getattr(world, "opponents", ()))),
        "tools": (card.tools, bool(world.tools)),
        "images": (card.images, "rgb_array" in world.metadata["render_modes"]),
    }
    for name, (said, true) in facts.items():
        if said != true:
            raise Violation(f"the card says {name}={said!r}, the class {true!r}.", "mend the card.")
    return f"{env.prefixed!r} is made in a fresh process; card and class agree"


def _in_both_registries(env: EnvUnderTest, game: Any) -> None:
    import pettingzoo

    if (_interface(env) == "aec") != isinstance(game, pettingzoo.AECEnv):
        raise Violation(f"the card says {env.card.api!r}, the class is another.", "mend the card.")
    lacking = [kind for kind in ("aec", "parallel") if env.name not in getattr(pettingzoo, f"{kind}_registry")]
    if lacking:
        raise Violation(f"PettingZoo's {lacking[0]} registry lacks the id.", "leave registration to register(card).")


def vectors(env: EnvUnderTest) -> str:
    """D4: `make_vec`, sync and async without shared memory, gives what single environments give."""
    _gymnasium(env)
    wrong = env.workers.answer(1)["vector"]
    if wrong:
        raise Violation(wrong, "return fresh objects, one type per info key, and depend on no process.")
    return "sync == async == single environments over several episodes"
