"""The dialect of the original AgentGym (`agentenv`): a small HTTP interface for each world, as its clients speak it."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from agentgym.core.json_text import read_json
from agentgym.serve.errors import BAD_REQUEST, UNKNOWN, Refused
from agentgym.serve.host import Done
from agentgym.serve.sessions import Sessions
from agentgym.serve.state import Session

NUMBERS = 2**48  # of sessions, which its clients name by whole numbers
LONGEST_NUMBER = 20  # digits
TAGS = ("search", "answer")
_CALL = re.compile(r"(?:^|Action:)\s*(\w+)\s+with\s+Action Input:\s*(?=\{)")  # up to its arguments


def as_it_is(action: str) -> str:
    """An action in the words that our world takes too."""
    return action


def from_tags(action: str) -> str:
    """`<search>q</search>` as `search[q]`, for the pair of tags that begins first; what has no tags stays."""
    found = []
    for name in TAGS:
        begin = action.find(f"<{name}>")
        end = action.find(f"</{name}>", begin) if begin >= 0 else -1
        if end >= 0:
            found.append((begin, end, name))
    if not found:
        return action
    begin, end, name = min(found)
    return f"{name}[{action[begin + len(name) + 2 : end].strip()}]"


def from_tool(action: str) -> str:
    """`Action: NAME with Action Input: {...}` as a call of a tool; anything else stays, for the world to refuse.

    Of several calls the last one counts, and nothing may follow it.
    """
    text = action.strip()
    calls = list(_CALL.finditer(text)) if text.endswith("}") else []
    if not calls:
        return action
    try:
        arguments = read_json(text[calls[-1].end() :])
    except ValueError:
        return action
    return json.dumps({"name": calls[-1][1], "arguments": arguments}, ensure_ascii=False)


def fenced(action: str) -> str:
    """A statement of SQL in the fence that is taken as the last word."""
    return f"```sql\n{action}\n```"


@dataclass(frozen=True)
class EnvAdapter:
    """One of the original worlds, and what stands for it here.

    Attributes:
        ids: Names of ours that can stand for it; the first that is served does.
        index: What its clients call the number of a task.
        name: What its clients call a session.
        shown: What its clients call an observation.
        numbered: Whether `create` answers with the bare number of the session.
        scored: Whether the reward is the score so far, and not what the last action earned.
        full: The score of a task that is done; its controller takes 1 and 100 for a success.
        pair: Whether `reset` answers with a list of the observation and nothing; otherwise, if `numbered`, with a text.
        read: Puts an action into our words.
        env_kwargs: Constructor arguments that make ours like it.
    """

    ids: tuple[str, ...]
    index: str
    name: str = "id"
    shown: str = "observation"
    numbered: bool = False
    scored: bool = False
    full: float = 1.0
    pair: bool = False
    read: Callable[[str], str] = as_it_is
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)


def _tools(name: str) -> EnvAdapter:
    return EnvAdapter((name,), "id", "env_idx", numbered=True, scored=True, read=from_tool)


WORLDS: Mapping[str, EnvAdapter] = {
    "webshop": EnvAdapter(("WebShop-v1", "WebShopOriginal-v0"), "session_id", "env_idx", "state", True, pair=True),
    "alfworld": EnvAdapter(("ALFWorld-v0", "Household-v1"), "game"),
    "babyai": EnvAdapter(("BabyAI-v0",), "data_idx", scored=True),
    "sciworld": EnvAdapter(("ScienceWorld-v0",), "data_idx", scored=True, full=100.0),
    "textcraft": EnvAdapter(("TextCraft-v1",), "data_idx"),
    "maze": EnvAdapter(("Maze-v0",), "game"),
    "wordle": EnvAdapter(("Wordle-v0",), "seed"),
    "academia": _tools("Academia-v0"),
    "movie": _tools("Movie-v0"),
    "sheet": _tools("Sheet-v0"),
    "todo": _tools("Todo-v0"),
    "weather": _tools("Weather-v0"),
    "searchqa": EnvAdapter(("SearchQA-v0",), "id", "env_idx", numbered=True, read=from_tags),
    "sqlgym": EnvAdapter(
        ("SQL-v0",), "item_id", "env_idx", "state", True, pair=True, read=fenced, env_kwargs={"mode": "one-shot"}
    ),
}


def variant(name: str) -> str:
    """The name under which a world with `env_kwargs` is served beside its usual form."""
    return f"agentenv:{name}"


class AgentEnv:
    """Answers the original AgentGym's clients for one world.

    Args:
        sessions: Of the server.
        world: Which.
        env: Name of what is played.
        split: Where tasks are counted.
    """

    def __init__(self, sessions: Sessions, world: EnvAdapter, env: str, split: str):
        self._sessions, self.world, self._env, self._split = sessions, world, env, split

    async def create(self, owner: str, told: Mapping[str, Any]) -> Any:
        """Open a session, which begins with the first task; its number, bare or as an object.

        Args:
            owner: The client.
            told: Not read: what the original takes here names files of its server.
        """
        number = secrets.randbelow(NUMBERS)
        env_kwargs = {"split": self._split}
        session, _ = await self._sessions.create(owner, self._env, env_kwargs, name=str(number))
        begun = await self._sessions.reset(session, None, {"task": 0})
        if self.world.numbered:
            return number
        return {"id": number, **self._shown(begun), "reward": 0, "done": False}

    async def reset(self, owner: str, told: Mapping[str, Any]) -> Any:
        """Begin a task, which a whole number names.

        Args:
            owner: The client.
            told: Number of the session and of the task; without the latter the first task is begun.
        """
        session = self._find(owner, told)
        index = told.get(self.world.index)
        if index is not None and (isinstance(index, bool) or not isinstance(index, int)):
            raise Refused(BAD_REQUEST, f"{self.world.index} must be a whole number")
        begun = await self._sessions.reset(session, None, {"task": index or 0})
        if self.world.pair:
            return [_observation(begun), None]
        if self.world.numbered:
            return _observation(begun)
        info = json.loads(begun.body)["info"]
        more = {"task_description": info["instruction"], "reward": 0, "score": 0, "done": False}
        return {"id": told[self.world.name], **self._shown(begun), **more, **await self._possible(session)}

    async def step(self, owner: str, told: Mapping[str, Any]) -> Any:
        """Play an action.

        Args:
            owner: The client.
            told: Number of the session, and the action.
        """
        session, action = self._find(owner, told), self._sessions.checked_action(told.get("action"))
        done = await self._sessions.step(session, self.world.read(action))
        step = json.loads(done.body)
        score = self.world.full * (1.0 if step["info"]["success"] else step["info"]["progress"])
        played = {
            self.world.shown: step["observation"],
            "reward": score if self.world.scored else step["reward"],
            "score": score,
            "done": step["terminated"] or step["truncated"],
            "info": None,
        }
        return {**played, **await self._possible(session)}

    async def look(self, owner: str, what: str, told: Mapping[str, Any]) -> Any:
        """What a session shows: `observation`, `available_actions`, `instruction_text`, `filtered_vocab`, `detail`.

        Args:
            owner: The client.
            what: Which of them.
            told: Number of the session, as text.
        """
        session = self._find(owner, told)
        if what in ("observation", "detail", "instruction_text"):
            last = json.loads((await self._sessions.recall(session)).body)
            if what == "detail":
                return {**last, "deleted": False}
            return str(last["observation"]) if what == "observation" else last.get("info", {}).get("instruction", "")
        actions = (await self._possible(session, always=True))["available_actions"]
        if what == "filtered_vocab":
            return [action.removeprefix("guess ") for action in actions]
        if self.world.ids[0].startswith("WebShop"):
            clickables = [each[6:-1] for each in actions if each.startswith("click[")]
            return {"has_search_bar": any(each.startswith("search[") for each in actions), "clickables": clickables}
        return actions

    async def close(self, owner: str, told: Mapping[str, Any]) -> Any:
        """Close a session.

        Args:
            owner: The client.
            told: Its number.
        """
        self._sessions.close(self._find(owner, told))
        return True

    def _find(self, owner: str, told: Mapping[str, Any]) -> Session:
        number = told.get(self.world.name)
        if isinstance(number, bool) or not isinstance(number, int):
            raise Refused(BAD_REQUEST, f"{self.world.name} must be the whole number that create has given")
        session = self._sessions.find(owner, str(number))
        if session.env != self._env:
            raise Refused(UNKNOWN, "no such session in this world")
        return session

    def _shown(self, begun: Done) -> dict[str, Any]:
        return {self.world.shown: _observation(begun)}

    async def _possible(self, session: Session, always: bool = False) -> dict[str, Any]:
        """The actions that can be listed; only ALFWorld's clients want them with every answer."""
        if not always and "Household-v1" not in self.world.ids:
            return {}
        done = await self._sessions.ask(session, "admissible_actions")
        return {"available_actions": json.loads(done.body)["answer"] or []}


def _observation(begun: Done) -> str:
    return str(json.loads(begun.body)["observation"])


def agentenv_routes(server: Any, guarded: Callable[..., Any]) -> list[BaseRoute]:
    """The routes of every original world for which one of ours is served.

    `/agentenv/WORLD` is what its clients take for the address of a server, and `/agentenv/WORLD/SPLIT` counts the tasks
    of another split than `train`.

    Args:
        server: Whose sessions they open.
        guarded: Makes a handler that only clients with a token reach.
    """

    def found(request: Request) -> AgentEnv:
        name = request.path_params["world"]
        world = WORLDS.get(name)
        served = [each for each in (world.ids if world else ()) if each in server.cards]
        if world is None or not served:
            raise Refused(UNKNOWN, f"no world {name[:40]!r} of the original AgentGym is served")
        env = variant(name) if world.env_kwargs else served[0]
        return AgentEnv(server.sessions, world, env, request.path_params.get("split", "train"))

    def post(work: str) -> Callable[[Request, str], Any]:
        async def respond(request: Request, owner: str) -> Response:
            """Do the work of the route for `owner`, with the object in the body of the `request`."""
            told = _object(await server.body(request))
            return _json(await getattr(found(request), work)(owner, told))

        return respond

    def get(what: str) -> Callable[[Request, str], Any]:
        async def respond(request: Request, owner: str) -> Response:
            """Look at the session of `owner` whose number the `request` has in its query."""
            world = found(request)
            told = request.query_params.get(world.world.name, "")
            number = int(told) if told.isdecimal() and len(told) <= LONGEST_NUMBER else None
            return _json(await world.look(owner, what, {world.world.name: number}))

        return respond

    async def hello(request: Request, owner: str) -> Response:
        """Say that the world of the `request` is here, to any `owner` of a token."""
        found(request)
        return _json("ok")

    routes: list[BaseRoute] = []
    for base in ("/agentenv/{world}", "/agentenv/{world}/{split}"):
        for work in ("create", "step", "reset", "close"):
            routes.append(Route(f"{base}/{work}", guarded(server, post(work)), methods=["POST"]))
        for what in ("observation", "available_actions", "instruction_text", "filtered_vocab", "detail"):
            routes.append(Route(f"{base}/{what}", guarded(server, get(what))))
    return [*routes, Route("/agentenv/{world}/", guarded(server, hello))]


def _object(body: bytes) -> dict[str, Any]:
    try:
        given = read_json(body or b"{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise Refused(BAD_REQUEST, "the body is an object of JSON")
    return given


def _json(value: Any) -> Response:
    return Response(json.dumps(value), media_type="application/json")
