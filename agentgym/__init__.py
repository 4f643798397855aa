"""AgentGym: Gymnasium and PettingZoo environments for language agents, with baselines and a small trainer.

`import agentgym` registers every id, so that `gymnasium.make("AgentGym/WebShop-v1")` works; without the import,
`gymnasium.make("agentgym:AgentGym/WebShop-v1")` does the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium as gym

from agentgym import _checkout  # noqa: F401 (first: the rooms below stand beside this folder in a checkout)
from agentgym.core import EnvCard, LanguageEnv, card, catalog, find_card, fork, full_id, register, restore, snapshot
from agentgym.core.generated import set_seed_source
from agentgym.core.interpreter import set_interpreter_source
from agentgym.core.rivals import set_rival_source
from agentgym.envs import CARDS

if TYPE_CHECKING:
    from agentgym.serve import connect
    from agentgym.vector import make_vec

__version__ = "0.2.0"
__all__ = [
    "EnvCard",
    "LanguageEnv",
    "card",
    "catalog",
    "connect",
    "fork",
    "make",
    "make_vec",
    "register",
    "restore",
    "snapshot",
]

set_seed_source("agentgym.assets.records:seeds")
set_interpreter_source("agentgym.envs._kit.sandbox.tool:open_interpreter")
set_rival_source("agentgym.rollout.rivals:make_rival")
for _card in CARDS:
    register(_card)


def make(name: str, **kwargs: Any) -> Any:
    """An environment by id, with or without its namespace: `agentgym.make("WebShop-v1", split="test")`.

    A world with one player comes from `gymnasium.make`, a game of many from `pettingzoo.make` under the interface that
    its card names, `aec` or `parallel`.

    Args:
        name: The id; `module:id` imports the module that registers it first.
        kwargs: Constructor arguments, such as `split`.
    """
    wanted = find_card(name)
    if wanted is None and name in gym.registry:  # one of Gymnasium's own, which has no namespace
        return gym.make(name, **kwargs)
    if wanted is None or wanted.api == "gymnasium":
        return gym.make(full_id(name), **kwargs)
    import pettingzoo

    return pettingzoo.make(wanted.api, wanted.id, **kwargs)


def __dir__() -> list[str]:
    """With the names that are loaded when they are first asked for."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """`make_vec` and `connect`, whose floors are loaded when they are first asked for."""
    if name == "make_vec":
        from agentgym.vector import make_vec

        return make_vec
    if name == "connect":
        from agentgym.serve import connect

        return connect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
