"""`TalkGame`: the agent and the user as two players, each with tools of its own; any policy may hold either seat."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from agentgym.core import LanguageAEC
from agentgym.core.grammar import Call
from agentgym.core.outcome import JointOutcome
from agentgym.core.rng import stream_seed
from agentgym.core.tasks import Task
from agentgym.core.tool_grammar import ToolGrammar
from agentgym.envs._kit.tools.functions import Toolbox, ToolError
from agentgym.envs._kit.tools.questions import render, written
from agentgym.envs._kit.tools.talk import AGENT, RESPOND, SILENCE, USER, ScriptedUser
from agentgym.envs._kit.tools.world import ToolConfig, arguments_for


@dataclass(slots=True)
class SeatState:
    """What changes in a game of an agent and a user.

    Attributes:
        data: What the tools of both read and change.
        mover: Who is to act: 0 the agent, 1 the user.
        talk: The conversation, who and what.
        calls: Tool calls made by each.
    """

    data: Any
    mover: int = 0
    talk: list[tuple[str, str]] = field(default_factory=list)
    calls: list[int] = field(default_factory=lambda: [0, 0])


class TalkGame(LanguageAEC, ABC):
    """A tool world for two: `agent_0`, who is to help, and `user_1`, who wants something; base of each.

    Each has a toolbox of its own, both over the same data, and acts until it says something with `respond`; then it is
    the other's turn. A subclass sets `toolboxes`, made with `Toolbox.only` or apart; says in `_meet` what the data of a
    task are and who the user is; and in `_finish` what it is worth when one of them ends the conversation. The user is
    told its scenario at the start, the agent only the first words. The expert of the user's seat is the script.

    Attributes:
        toolboxes: Of the agent and of the user; `spoken` is `RESPOND` in both.

    Args:
        budget: Tool calls that each may make; then only `respond` and the final call are taken. None: no limit.
        delay: Real seconds that every tool call sleeps.
    """

    toolboxes: ClassVar[tuple[Toolbox, Toolbox]]
    player_names = ("agent_0", "user_1")
    talk = True
    default_rule = f'`respond` with "{SILENCE}"'
    config = ToolConfig()
    grammar: ToolGrammar
    _state: SeatState

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "toolboxes" in vars(cls):
            cls.grammar = cls.toolboxes[0].grammar
        super().__init_subclass__(**kwargs)

    @abstractmethod
    def _meet(self, task: Task) -> tuple[Any, ScriptedUser]:
        """The data of a task, and its user."""

    @abstractmethod
    def _finish(self, player: str, arguments: Mapping[str, Any]) -> JointOutcome:
        """What the end is worth; the outcome must be `over`."""

    def _altered(self, player: str, call: Call, text: str) -> str:
        """The result of a call as the player sees it; a subclass may change it."""
        return text

    def player_grammar(self, player: str) -> ToolGrammar:
        """The tools of a player."""
        return self._toolbox(player).grammar

    def _toolbox(self, player: str) -> Toolbox:
        return self.toolboxes[self.possible_agents.index(player)]

    def _role(self, player: str) -> str:
        return (AGENT, USER)[self.possible_agents.index(player)]

    def _team(self, player: str) -> str:
        return "all"

    def _reset(self, task: Task) -> None:
        data, self._script = self._meet(task)
        self._state = SeatState(data, talk=[(USER, self._script.opening)])
        agent, user = self.possible_agents
        self.say(user, self._script.opening, to=[agent])

    def _brief(self, player: str) -> str:
        lines = [self.task.instruction, f"You are {player}, the {self._role(player)}."]
        if self._role(player) == USER:
            lines += [f'You began with: "{self._script.opening}"', self._script.scenario]
        return "\n".join(lines)

    def _to_move(self) -> str:
        return self.possible_agents[self._state.mover]

    def _step(self, player: str, call: Call) -> JointOutcome:
        state, box, budget = self._state, self._toolbox(player), self.config.budget
        place = state.mover
        if call.name == box.final.name:
            self.record({"type": "tool_call", "tool": call.name, "arguments": dict(call.slots)}, to=[player])
            end = self._finish(player, call.slots)
            if not end.over:
                raise AssertionError(f"{self.card.id}: _finish must end the game")
            return end
        if call.name == RESPOND.name:
            return self._respond(player, call["content"])
        if budget is not None and state.calls[place] >= budget:
            return self._refused(f"The budget of {budget} tool calls is spent; respond, or call {box.final.name}.")
        try:
            value = box.run(call.name, state.data, call.slots)
        except ToolError as error:
            return self._refused(str(error))
        if self.config.delay:
            time.sleep(self.config.delay)
        state.calls[place] += 1
        self.send_message(self._altered(player, call, render(value)), to=[player])
        self.record({"type": "tool_call", "tool": call.name, "arguments": dict(call.slots)}, to=[player])
        self.add_cost("duration", box[call.name].seconds, to=[player])
        return JointOutcome()

    def _refused(self, reason: str) -> JointOutcome:
        outcome: JointOutcome = self.refuse(reason)
        return outcome

    def _respond(self, player: str, content: str) -> JointOutcome:
        """Say something to the other, whose turn it then is."""
        state = self._state
        state.talk = [*state.talk, (self._role(player), content)]
        state.mover = 1 - state.mover
        self.say(player, content)
        self.record({"type": "said", "player": player, "content": content})
        return JointOutcome()

    def _key_state(self) -> Any:
        state = self._state
        return [state.data, state.mover, state.talk, state.calls if self.config.budget is not None else []]

    # Players.

    def _default(self, player: str) -> str:
        return written((RESPOND.name, {"content": SILENCE}))

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        """A random tool of the player with arguments that fit its schema."""
        heard = [word.strip(',.?"') for _, said in self._state.talk for word in said.split()] or ["x"]
        tools = self.player_grammar(player).tools
        chosen = tools[int(rng.integers(len(tools)))]["function"]
        given = arguments_for(chosen["parameters"], rng, lambda drawn: heard[int(drawn.integers(len(heard)))] or "x")
        return written((chosen["name"], given))

    def _scripted(self) -> str:
        """What the user's script does next: its reply, or the end of the conversation."""
        state = self._state
        if len(state.talk) > 1 and state.talk[-1][0] == USER:  # it was refused or called a tool, and has said its part
            return self._default(self.possible_agents[1])
        said = self._script.reply(state.talk, stream_seed("tools.talk", self.task.id, len(state.talk)))
        if said.over:
            return written((self.toolboxes[1].final.name, {}))
        return written((RESPOND.name, {"content": said.text}))
