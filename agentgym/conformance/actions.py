"""Checks of actions: refusals and tries, the admissible list, samples, and the grammar that explains them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import NotApplicable, Violation, describe
from agentgym.conformance.play import PLENTY, Play, act, begin, stand
from agentgym.conformance.texts import HOSTILE, RUNNABLE, spoiled
from agentgym.core import Call, Driver, Invalid, StepResult, fingerprint
from agentgym.core.rng import stream
from agentgym.core.text import objection

REFUSE = "refuse what is not possible with self.refuse(reason) (simultaneous: _objection), before changing anything."
BASE = "leave step to the base class."


def _standing(driver: Driver, but: str = "") -> dict[str, Any]:
    """All that a refused action of a player must leave alone."""
    world = driver.world
    standing = {
        "the state": fingerprint(world._key_state()),
        "np_random": str(world.np_random.bit_generator.state),
        "whose turn it is": driver.to_act,
        "what others see": [driver.result(player).observation for player in driver.active if player != but],
    }
    if len(driver.players) == 1:  # several players have their tries counted
        standing["state_key"] = driver.state_key()
        if world.card.snapshot != "none":
            standing["snapshot().digest(turn=False)"] = world.snapshot().digest(turn=False)
    return standing


def invalid_actions(env: EnvUnderTest) -> str:
    """A4: a bad action raises nothing and voids no episode: it is refused with a reason, costs a turn, changes nothing.

    Where all act at once it counts as the stated default; where they act in turns, the others do not notice.
    """
    driver = env.world(max_turns=PLENTY, **({"tries": PLENTY} if env.in_turns else {}))
    for walk in env.walks:
        if walk.crash:
            raise Violation(f"the {walk.agent} walk ended in {walk.crash}", REFUSE)
    texts = [*HOSTILE, *RUNNABLE, *spoiled(driver.world)]
    refused = 0
    for number, text in enumerate(texts):
        if number % 8 == 0 or driver.ended:
            stand(driver, number, number // 8 % 4)
        refused += _said(env, driver, text)
    for wrong in (7, b"x"):
        stand(driver, 1, 0)
        try:
            act(driver, dict.fromkeys(driver.to_act, wrong))
        except TypeError:
            continue
        raise Violation("an action that is no string is taken.", f"{BASE} It raises TypeError.")
    return f"{refused} bad actions refused, {len(texts) - refused} odd ones understood"


def _said(env: EnvUnderTest, driver: Driver, text: str) -> bool:
    """Let the first player that is to act say a text; whether it was refused."""
    player = driver.to_act[0]
    before, turn = _standing(driver, player), driver.world.turn
    twin = driver.fork() if env.simultaneous and env.card.snapshot != "none" else None
    try:
        act(driver, {player: text})
    except Exception as error:  # any exception is the finding
        raise Violation(f"the action {text!r:.60} raised {describe(error)}", REFUSE) from error
    result = driver.result(player)
    if result.info["failure"]:
        raise Violation(
            f"the action {text!r:.60} made the environment fail: {result.info['failure']!r:.200}.",
            "answer it as a wrong action; what an agent says must not end an episode that nobody scores.",
        )
    if wrong := objection([result.observation, result.info]):
        raise Violation(
            f"the answer to {text!r:.60} shows what is no plain text: {wrong}",
            "refuse such a text in the grammar with agentgym.core.text.objection, or show it with clean.",
        )
    if result.info["action_valid"]:
        if text == "":
            raise Violation("the empty action is accepted.", "refuse it; the empty string is never valid.")
        return False
    _refusal_told(driver, text, result)
    if driver.world.turn != turn + 1:
        raise Violation(f"the refused action {text!r:.60} did not cost a turn.", BASE)
    if twin is not None:
        default = twin.ask("_default", player)
        act(twin, {player: default})
        if twin.state_key() != driver.state_key():
            raise Violation(f"the refused action {text!r:.60} does not count as {default!r}.", REFUSE)
    if not env.simultaneous:
        if result.truncated and driver.world.turn == driver.world.max_turns:
            return True  # the limit of turns, which some worlds set below what was asked for
        if result.terminated or result.truncated:
            raise Violation(f"the refused action {text!r:.60} ended the episode.", "let it only cost a turn.")
        changed = [name for name, value in _standing(driver, player).items() if value != before[name]]
        if changed:
            raise Violation(f"the refused action {text!r:.60} changed {', '.join(changed)}.", REFUSE)
    return True


def _refusal_told(driver: Driver, text: str, result: StepResult) -> None:
    error, shown = result.info["error"], result.observation
    if not error or (error not in shown and len(shown) < driver.world.observation_length):
        raise Violation(
            f"the refusal of {text!r:.60} does not say why: {error!r:.80}, observation {shown!r:.80}.",
            "refuse with self.refuse(reason); the observation must hold info['error'].",
        )


def tries(env: EnvUnderTest) -> str:
    """A4: after three refused tries in a row, or as many as were asked for, the stated default is played."""
    env.world()
    if not env.in_turns:
        raise NotApplicable("nobody waits for a player who is refused")
    for asked in (None, 1, 2):
        driver = env.world(**({} if asked is None else {"tries": asked}), max_turns=PLENTY)
        for seed in range(4):
            stand(driver, seed, seed)
            [player] = driver.to_act
            default, twin = driver.ask("_default", player), driver.fork()
            if isinstance(driver.world.parse(default, player), Invalid):
                raise Violation(f"the default {default!r:.80} does not parse.", "let _default return an action.")
            for number in range(asked or 3):
                if driver.to_act != [player] or (driver.state_key() == twin.state_key() and number):
                    raise Violation(f"a player loses its turn after {number} refused tries.", BASE)
                act(driver, {player: ""})
            act(twin, {player: default})
            if driver.state_key() != twin.state_key():
                raise Violation(f"the last refusal is not played as {default!r:.80}.", BASE)
            if not driver.ended and repr(default) not in driver.result(player).observation:
                raise Violation("a player is not told what was played for it.", BASE)
    if env.sample.world.default_rule not in env.sample.told("manual", env.players[0]):
        raise Violation("the manual does not say what the default is.", "state it in default_rule.")
    return "3, 1 and 2 tries"


def admissible(env: EnvUnderTest) -> str:
    """A7, M5: the admissible actions are sorted, unique, none too few, each accepted; listing them changes nothing."""
    driver = env.world()
    listed = tried = 0
    for seed in range(3):
        begin(driver, Play("random", seed))
        rng = stream("conformance.admissible", seed)
        for turn in range(16):
            before, chosen = _standing(driver), {}
            for player in driver.to_act:
                actions = driver.admissible_actions(player)
                if actions is None:
                    raise NotApplicable("the world lists no actions here; sample_action stands in")
                _orderly(driver, player, actions)
                tried += _accepted(driver, player, actions, rng, f"seed {seed}, turn {turn}")
                chosen[player] = actions[int(rng.integers(len(actions)))]
                listed += 1
            if _standing(driver) != before:
                raise Violation("admissible_actions() changes the world.", "leave state and np_random alone.")
            _nothing_listed(driver, [player for player in driver.players if player not in driver.to_act])
            step = act(driver, chosen)
            for player, action in chosen.items():
                _taken(action, step.results[player], f"seed {seed}, turn {turn}")
            if driver.ended:
                _nothing_listed(driver, driver.players)
                break
    return f"{listed} lists, {tried} actions tried beside those played"


def _nothing_listed(driver: Driver, players: Any) -> None:
    if any(driver.admissible_actions(player) != [] for player in players):
        raise Violation("a player that is not to act has admissible actions.", "leave that to the base.")


def _orderly(driver: Driver, player: str, actions: list[str]) -> None:
    if not actions:
        raise Violation("no action is admissible while the episode goes on.", "list at least one, such as giving up.")
    if actions != sorted(set(actions)):
        raise Violation(f"the admissible actions are no sorted set: {actions!r:.200}.", "list each action once.")
    for action in actions:
        if action not in driver.action_space(player):
            raise Violation(f"the admissible action {action!r:.80} is outside its space.", "raise action_length.")
        if isinstance(driver.world.parse(action, player), Invalid):
            raise Violation(f"the admissible action {action!r:.80} does not parse.", "use the grammar's words.")


def _accepted(driver: Driver, player: str, actions: list[str], rng: np.random.Generator, where: str) -> int:
    """Try admissible actions on forks; one only where a fork plays the whole episode again."""
    if driver.world.card.snapshot == "none":
        return 0
    most = 12 if driver.world.card.snapshot == "copy" else 1
    chosen = (
        actions if len(actions) <= most else [actions[int(i)] for i in rng.choice(len(actions), most, replace=False)]
    )
    for action in chosen:
        twin = driver.fork()
        act(twin, {player: action})
        _taken(action, twin.result(player), where)
    return len(chosen)


def _taken(action: str, result: StepResult, where: str) -> None:
    if not result.info["action_valid"]:
        raise Violation(
            f"{where}: the admissible action {action!r:.80} was refused: {result.info['error']!r:.120}.",
            "list only what _step accepts in this state.",
        )


def samples(env: EnvUnderTest) -> str:
    """A7: `sample_action` works in every state, is well formed, obeys its generator and changes nothing."""
    driver = env.world()
    count = 0
    for seed in range(4):
        begin(driver, Play("random", 50 + seed))
        rng = stream("conformance.samples", seed)
        for _ in range(25):
            before, chosen = _standing(driver), {}
            for player in driver.to_act:
                twin = copy.deepcopy(rng)
                chosen[player] = driver.sample_action(player, rng)
                if driver.sample_action(player, twin) != chosen[player]:
                    raise Violation("sample_action gives two actions for one generator state.", "draw from its rng.")
                _complete(driver, player, chosen[player])
                count += 1
            if _standing(driver) != before:
                raise Violation("sample_action changes the world.", "draw from its rng; leave the state alone.")
            act(driver, chosen)
            if driver.ended:
                break
    return f"{count} samples"


def _complete(driver: Driver, player: str, action: str) -> None:
    """A sample parses, and where the list claims to be complete, a sample that is accepted is on it."""
    world = driver.world
    call = world.parse(action, player)
    if action not in driver.action_space(player) or not isinstance(call, Call):
        raise Violation(f"sample_action gives {action!r:.80}, which does not parse.", "use the grammar's words.")
    actions = driver.admissible_actions(player)
    if actions is None or not world.admissible_complete or world.card.snapshot != "copy":
        return
    if any(world.parse(listed, player) == call for listed in actions):
        return
    twin = driver.fork()
    act(twin, {player: action})
    if twin.result(player).info["action_valid"]:
        raise Violation(
            f"{action!r:.80} is accepted but not among the {len(actions)} admissible actions, which claim to be all.",
            "list it, or set admissible_complete = False.",
        )


def grammar(env: EnvUnderTest) -> str:
    """A11: manual and parser agree: every example parses and stands in the manual; the first observation explains."""
    driver = env.world()
    step = begin(driver, Play("random", 1))
    count = 0
    for player, result in step.results.items():
        examples, manual = driver.told("examples", player), driver.told("manual", player)
        if not examples:
            raise Violation("the grammar has no worked example.", "give each Command or Tool one.")
        for example in examples:
            if not isinstance(driver.world.parse(example, player), Call):
                raise Violation(f"the example {example!r:.80} does not parse.", "mend the example or the grammar.")
            if example not in manual:
                raise Violation(f"the manual lacks the example {example!r:.80}.", "render the manual from the grammar.")
        limit = f"{driver.world.action_length} characters"
        if limit not in manual:
            raise Violation(
                f"the manual of {player} does not say that {limit} are read.", "leave player_manual to core."
            )
        for needed in (driver.told("line", player), result.info["instruction"], "" if env.alone else player):
            if needed not in result.observation:
                raise Violation(
                    f"the first observation of {player} lacks {needed!r:.80}.",
                    "tell the task at the start (_reset, _brief) and leave reset, which appends the grammar's line.",
                )
        if len(result.observation) >= driver.world.observation_length:
            raise Violation(f"the first observation of {player} is cut.", "raise observation_length.")
        for tool in driver.told("tools", player):
            if tool.get("type") != "function" or not {"name", "description", "parameters"} <= set(tool["function"]):
                raise Violation(f"{tool!r:.120} is no JSON-Schema tool.", "describe tools with ToolGrammar.")
        count += len(examples)
    return f"{count} examples parse"
