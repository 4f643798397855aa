"""The agent and the user as two players: tools, manual and turns of each, a policy in either seat, exact copies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core import EnvCard, JointOutcome, Tool, register
from agentgym.core.rng import stream
from agentgym.core.tasks import FiniteTaskSet, Task
from agentgym.envs.tools import kit
from agentgym.rollout import EnvPool, EpisodeSpec, collect
from tests.rollout.players import Scripted

AGENT, USER = "agent_0", "user_1"
CLOSE = Tool("finish", "End the conversation.", {"type": "object", "properties": {}})
Phone = dict[str, Any]


@kit.tool({"number": "555-07"})
def find_line(phone: Phone, number: str) -> dict[str, Any]:
    """Look up a line in the books of the company."""
    if number != phone["number"]:
        raise kit.ToolError(f"There is no line {number[:20]!r}; ask the user for the number.")
    return {"roaming": phone["roaming"], "blocked": phone["blocked"]}


@kit.tool({"number": "555-07"})
def allow_roaming(phone: Phone, number: str) -> str:
    """Let a line roam."""
    find_line.run(phone, number)
    phone["roaming"] = True
    return "done"


@kit.tool({"on": False})
def set_airplane_mode(phone: Phone, on: bool) -> str:
    """Switch the airplane mode of your phone."""
    phone["airplane"] = on
    return "on" if on else "off"


@kit.tool({})
def look_at_screen(phone: Phone) -> dict[str, Any]:
    """See what your phone shows."""
    return {"airplane_mode": phone["airplane"], "bars": 4 if phone["roaming"] and not phone["airplane"] else 0}


ALL = kit.Toolbox(
    (find_line, allow_roaming, set_airplane_mode, look_at_screen), CLOSE, "All of it.", spoken=kit.RESPOND
)


class PhoneDesk(kit.TalkGame):
    """A phone that does not work abroad: one half is mended at the desk, the other in the user's hands."""

    card = EnvCard(
        id="SeatTest/PhoneDesk-v0", kind="tools", api="aec", players=2,
        entry_point="tests.envs.test_tools_seats:PhoneDesk",
        citation="none", description="A phone abroad.", splits={"train": 8, "val": 8, "test": 8}, max_turns=30,
        deterministic=True, oracle_success=1.0, tools=True, events=kit.SEAT_EVENTS, costs=kit.COSTS,
    )  # fmt: skip
    toolboxes = (
        ALL.only(["find_line", "allow_roaming"], "You work at the desk of a phone company."),
        ALL.only(["set_airplane_mode", "look_at_screen"], "You hold your phone in your hands."),
    )

    def tasks(self, split: str) -> FiniteTaskSet:
        names = [str(number) for number in range(8)]
        return FiniteTaskSet(split, names, lambda name: Task(f"{split}-{name}", split, "Mend the phone.", {"n": name}))

    def _meet(self, task: Task) -> tuple[Phone, kit.ScriptedUser]:
        rng = stream("tests.phone", task.id)
        number = f"555-{int(rng.integers(10, 99))}"
        phone = {"number": number, "roaming": False, "blocked": False, "airplane": bool(rng.integers(2))}
        facts = (kit.Fact(("number", "line"), f"My number is {number}."), kit.Fact(("bars", "screen"), "I will look."))
        goal = kit.Goal(("roaming is on",), "I want to call from abroad.")
        return phone, kit.ScriptedUser("My phone does not work here.", facts, (goal,))

    def _finish(self, player: str, arguments: Mapping[str, Any]) -> JointOutcome:
        phone = self._state.data
        won = phone["roaming"] and not phone["airplane"]
        return JointOutcome(dict.fromkeys(self.agents, float(won)), over=True, winners=self.agents if won else ())

    def _expert(self, player: str) -> str:
        said = [text for who, text in self._state.talk if who == "user"]
        if player == USER:
            told = self._state.talk[-1][1]
            if "airplane" in told and self._state.data["airplane"]:
                return call("set_airplane_mode", on=False)
            return self._scripted()
        number = next((text.split()[-1].strip(".") for text in said if "My number" in text), "")
        if not number:
            return call("respond", content="What is your number?")
        if not self._state.data["roaming"]:
            return call("allow_roaming", number=number)
        return call("respond", content="Your roaming is on now; switch airplane mode off.")

    _oracle = _expert


register(PhoneDesk.card)


def call(tool: str, /, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def desk(place: int = 0, **kwargs: Any) -> Any:
    env = agentgym.make("SeatTest/PhoneDesk-v0", **kwargs)
    env.reset(seed=1, options={"task": place})
    return env


def tool_names(env: Any, player: str) -> set[str]:
    return {each["function"]["name"] for each in env.unwrapped.player_grammar(player).tools}


def test_each_player_has_its_own_tools_and_manual() -> None:
    env = desk().unwrapped
    assert tool_names(env, AGENT) == {"find_line", "allow_roaming", "respond", "finish"}
    assert tool_names(env, USER) == {"set_airplane_mode", "look_at_screen", "respond", "finish"}
    assert "desk of a phone company" in env.player_manual(AGENT)
    assert "allow_roaming" not in env.player_manual(USER)
    assert "set_airplane_mode" not in env.player_manual(AGENT)
    pool = EnvPool("SeatTest/PhoneDesk-v0", split="val")
    told = {player: {each["function"]["name"] for each in pool.briefings[player].tools} for player in pool.players}
    pool.close()
    assert told == {AGENT: tool_names(env, AGENT), USER: tool_names(env, USER)}


def test_what_one_has_the_other_cannot_call_and_does_not_see() -> None:
    env = desk()
    world = env.unwrapped
    assert "My phone does not work here." in world.observe(AGENT)["text"]
    assert "555-" not in world.observe(AGENT)["text"]
    assert "My number is 555-" in world.observe(USER)["text"]
    before = world.state_key()
    env.step(call("set_airplane_mode", on=False))
    assert "there is no tool 'set_airplane_mode'" in world.observe(AGENT)["text"]
    assert world._state.data == desk().unwrapped._state.data
    assert world.agent_selection == AGENT
    assert world.state_key() != before, "a refused action counts as one of three tries"
    env.step(call("respond", content="What do you see?"))
    assert world.agent_selection == USER
    env.step(call("look_at_screen"))
    assert world.agent_selection == USER, "a call of a tool does not end the turn"
    assert '"bars": 0' in world.observe(USER)["text"]
    assert "bars" not in world.observe(AGENT)["text"], "what a tool tells is told to who called it"
    assert [event["type"] for event in world.infos[USER]["events"]] == ["tool_call"]
    assert world.infos[USER]["costs"] == {"duration": 1.0}


@pytest.mark.parametrize("place", range(8))
def test_both_experts_together_mend_the_phone(place: int) -> None:
    env = desk(place, split="val")
    world = env.unwrapped
    while not world.ended:
        env.step(world.expert_action(world.agent_selection))
    assert all(world.infos[player]["success"] for player in (AGENT, USER))


def test_a_game_is_copied_exactly() -> None:
    env = desk().unwrapped
    for _ in range(3):
        env.step(env.expert_action(env.agent_selection))
    twin = env.fork()
    other = desk().unwrapped
    other.restore(env.snapshot())
    while not env.ended:
        action = env.expert_action(env.agent_selection)
        for each in (env, twin, other):
            each.step(action)
        assert env.state_key() == twin.state_key() == other.state_key()
    assert all(each.infos[AGENT]["success"] for each in (env, twin, other))


def test_a_policy_may_hold_either_seat() -> None:
    """The user's seat too is played by whoever is put there, and reads its own scenario."""
    lines = {
        AGENT: [call("respond", content="Your number?"), call("finish")],
        USER: [call("look_at_screen"), call("respond", content="I forgot.")],
    }
    read: dict[str, str] = {}

    def policy(player: str) -> Any:
        said = iter(lines[player])

        def answer(prompt: str, rng: np.random.Generator) -> str:
            read[player] = read.get(player, "") + prompt
            return next(said)

        made: Any = Scripted(answer, context_limit=100_000)
        made.max_new_tokens = 200
        return made

    pool = EnvPool("SeatTest/PhoneDesk-v0", split="val")
    played = collect(pool, {player: policy(player) for player in (AGENT, USER)}, [EpisodeSpec(0, 0, 0, (0,))])
    pool.close()
    assert {len(episode.turns) for episode in played} == {2}
    assert "I forgot." in read[AGENT]
    assert "My number is 555-" in read[USER]
    assert "My number is 555-" not in read[AGENT]


def test_a_budget_counts_for_each_and_silence_is_played_for_nonsense() -> None:
    env = desk(budget=1).unwrapped
    number = env._state.data["number"]
    env.step(call("find_line", number=number))
    env.step(call("allow_roaming", number=number))
    assert "The budget of 1 tool calls is spent; respond, or call finish." in env.observe(AGENT)["text"]
    for _ in range(2):
        env.step("nonsense")
    assert env.agent_selection == USER, "after three refused tries the agent has said nothing"
    env.step(call("look_at_screen"))
    assert env.infos[USER]["action_valid"]


def test_random_players_never_stall() -> None:
    for place in range(4):
        env = desk(place).unwrapped
        rng = np.random.default_rng(place)
        steps = 0
        while not env.ended:
            env.step(env.sample_action(env.agent_selection, rng))
            steps += 1
        assert steps <= env.max_turns
