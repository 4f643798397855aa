"""Models and policies as rivals in a game that one agent plays: asked action by action, each as the player that it is.

A rival is shown what it is shown in a match: its player's manual, its own conversation, its tools, its prompt. What it
has seen and said is plain data (`agentgym.core.rivals.Talk`), of which the conversation is made again for every action,
so that a game with a rival is saved, restored and copied like any other. A local model reads it all again each time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from agentgym.agents import make_agent
from agentgym.agents.policy import FAILURES, Generation, Policy
from agentgym.core import ConfigError, Driver, EngineFailure
from agentgym.core.rivals import Rival, Talk
from agentgym.rollout.conversation import Conversation, Told
from agentgym.rollout.episode import Episode
from agentgym.rollout.places import Briefing, briefing, reminder
from agentgym.rollout.roles import Role

KEPT = 8  # agents by name that a process keeps, as games in it share them


@dataclass(frozen=True, slots=True)
class RivalTurn:
    """A turn of a rival."""

    seen: str
    instruction: str
    answer: Generation


class RivalTable:
    """A game as a conversation of one of its players sees it.

    Args:
        driver: Of the game.
        player: Whose conversation it is.
    """

    def __init__(self, driver: Driver, player: str):
        self._driver = driver
        self.id: str = driver.world.card.id
        self.briefings: Mapping[str, Briefing] = {player: briefing(driver, player)}

    def ask(self, place: int, player: str, name: str, *arguments: Any) -> Any:
        """Call a method that is asked of a player, as `EnvPool.ask` does.

        Args:
            place: Not looked at: a rival plays one game.
            player: Whom it is about.
            name: The method.
            arguments: What it takes besides.
        """
        return self._driver.ask(name, player, *arguments)


class PolicyRival(Rival):
    """A policy that plays players of a game.

    Args:
        policy: Who plays; it carries nothing from one conversation to another, as no policy does.
    """

    def __init__(self, policy: Policy):
        self._policy, self._role = policy, Role(policy, trainable=False)

    def check(self, driver: Driver) -> None:
        """Raise ConfigError if it calls tools and the game has none."""
        if getattr(self._policy, "calls", False):
            for player in driver.players:
                if not driver.told("tools", player):
                    raise ConfigError(
                        f"{driver.world.card.id} has no tools to call for {player}; leave out the rival's option tools"
                    )

    def act(self, driver: Driver, player: str, talk: Talk, rng: np.random.Generator) -> Talk:
        """Its next action, in a conversation that is built anew from the talk.

        Args:
            driver: Of the game, in which the player is to act.
            player: Whom it plays.
            talk: What it has seen and said as this player.
            rng: What the policy draws from.

        Returns:
            The talk with this turn, and with its tokens and costs added.

        Raises:
            EngineFailure: if the policy fails, or its context has no room for another turn.
        """
        result = driver.result(player)
        instruction = str(result.info["instruction"])
        try:
            conversation = self._conversation(driver, player, talk, instruction)
            if not conversation.ask(result.observation, result.info):
                raise EngineFailure(f"the rival {player} has no room in its context for another turn")
            read = conversation.whole_input
            (said,) = self._policy.open([rng]).generate([read])
            if said.error is not None:
                raise said.error
        except FAILURES as error:
            raise EngineFailure(f"the rival {player} has no answer: {error}") from error
        conversation.said = said
        reply = None if said.reply is None else replace(said.reply, seconds=0.0, tries=1)
        tokens = len(said.token_ids) + (len(read) if self._policy.reads == "tokens" else 0)
        tokens += reply.prompt_tokens + reply.completion_tokens if reply else 0
        kept = Generation(said.text, said.token_ids, (0.0,) * len(said.token_ids), said.closed, reply=reply)
        return Talk(
            (*talk.turns, RivalTurn(result.observation, instruction, kept)),
            conversation.words,
            talk.tokens + tokens,
            talk.cost + (reply.cost if reply else 0.0),
        )

    def _conversation(self, driver: Driver, player: str, talk: Talk, instruction: str) -> Conversation:
        """The conversation so far, made of what was seen and said."""
        table = RivalTable(driver, player)
        first = talk.turns[0].instruction if talk.turns else instruction
        told = Told(player, table, 0)
        words = reminder(table.briefings[player], first, player, many=len(driver.players) > 1)
        conversation = Conversation(player, self._role, told, words, Episode(instruction, "", 0, 0))
        for turn in talk.turns:
            info = {"instruction": turn.instruction, "action_valid": True, "failure": ""}
            conversation.ask(turn.seen, info)
            conversation.said = turn.answer
            conversation.settle(0.0, info, "", key="", digest="", whole=False)
        return conversation


def make_rival(who: Any, options: Mapping[str, Any]) -> PolicyRival:
    """What `agentgym.core.rivals.make_rival` makes.

    Args:
        who: The name of an agent, see `agentgym.agents.agent_kind`; or a policy.
        options: Of an agent by name; JSON-safe.

    Raises:
        UnknownName, ConfigError, MissingExtra: in one line that says what to do.
    """
    if not isinstance(who, str):
        if options:
            raise ConfigError(f"the options {', '.join(options)} have no effect on a policy that is there already")
        return PolicyRival(who)
    try:
        text = json.dumps(dict(options), sort_keys=True)
    except (TypeError, ValueError):
        raise ConfigError(f"the options of the rival {who!r} must be JSON-safe, got {dict(options)!r}") from None
    return _named(who, text)


@lru_cache(KEPT)
def _named(name: str, options: str) -> PolicyRival:
    return PolicyRival(make_agent(name, **json.loads(options)))
