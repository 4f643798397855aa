"""NeMo Gym: worlds of `agentgym serve` behind a resources server, for its agents, its rollouts and what trains on them.

    agentgym serve Todo-v0 --port 8123
    python -m agentgym.baselines.bridges.nemo_gym_server --url http://127.0.0.1:8123 --world Todo-v0 > rows.jsonl

NeMo Gym starts a resources server from a folder below the current one, here `resources_servers/agentgym_worlds`. Its
`app.py` is two lines,

    from agentgym.baselines.bridges.nemo_gym_server import WorldsServer
    WorldsServer.run_webserver()

its `requirements.txt`, from which NeMo Gym makes a virtual environment, is one (or a checkout's path and `[nemo]`),

    agentgym-suite[nemo]

and its `worlds.yaml` names the server of worlds:

    agentgym_worlds:
      resources_servers:
        agentgym_worlds: {entrypoint: app.py, domain: agent, url: "http://127.0.0.1:8123", world: Todo-v0}

A rollout is a session: `/seed_session` begins the task of a row, a call of a function is an action, `/verify` pays what
the world paid. Run one worker: the sessions are held in its memory. NeMo Gym 0.4.0 wants Python 3.12, and releases of
openai and mcp that are older than what `constraints.txt` names, so it is installed apart.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse
from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseSeedSessionRequest,
    BaseSeedSessionResponse,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)
from nemo_gym.server_utils import SESSION_ID_KEY
from pydantic import ConfigDict, PrivateAttr
from starlette.concurrency import run_in_threadpool

import agentgym
from agentgym.baselines.bridges.world_tools import WorldTools

REFUSED, FAILED = 400, 503


class WorldsConfig(BaseResourcesServerConfig):
    """Where the worlds are."""

    url: str
    """Of `agentgym serve`."""
    world: str
    """What is played there."""
    token_env: str = ""
    """Environment variable with the token at that server; empty where it wants none."""
    most: int = 1024
    """Rollouts at once; one more ends the oldest, which nobody has verified."""


class WorldsSeedRequest(BaseSeedSessionRequest):
    """What of a row begins an episode."""

    task: int
    split: str = "train"


class WorldsVerifyRequest(BaseVerifyRequest):
    """A row with what the agent answered."""

    model_config = ConfigDict(extra="allow")


class WorldsVerifyResponse(BaseVerifyResponse):
    """The same with what the world said of it: the reward is the return of the episode."""

    model_config = ConfigDict(extra="allow")
    success: bool
    progress: float
    ended: bool


class WorldsServer(SimpleResourcesServer):
    """A resources server whose functions are those of a world: its own tools, or `act` where its actions are words."""

    config: WorldsConfig
    _playing: dict[str, WorldTools] = PrivateAttr(default_factory=dict)

    def setup_webserver(self) -> FastAPI:
        """Every path but NeMo Gym's own is a function."""
        app = super().setup_webserver()
        app.post("/{function}")(self.call)
        return app

    async def seed_session(self, request: Request, body: WorldsSeedRequest) -> BaseSeedSessionResponse:
        """Begin the task of a row in a session of its own at the server of worlds.

        Args:
            request: Of HTTP; its cookie names the rollout.
            body: Which task.
        """
        name = request.session[SESSION_ID_KEY]
        for old in [name, *list(self._playing)[: max(0, len(self._playing) + 1 - self.config.most)]]:
            await self._end(old)
        self._playing[name] = await run_in_threadpool(self._begin, body)
        return BaseSeedSessionResponse()

    async def call(self, function: str, request: Request) -> PlainTextResponse:
        """Play an action; the answer is what the world shows.

        Args:
            function: That the model calls; one that there is not is the world's to refuse.
            request: Of HTTP; its body holds the arguments.
        """
        tools = self._find(request)
        try:
            arguments = json.loads(await request.body() or b"{}")
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return PlainTextResponse("The arguments of a call are an object of JSON.", REFUSED)
        return PlainTextResponse(await run_in_threadpool(tools.call, function, arguments))

    async def verify(self, request: Request, body: WorldsVerifyRequest) -> WorldsVerifyResponse:
        """Pay what the world paid, and end the session.

        Args:
            request: Of HTTP; its cookie names the rollout.
            body: The row, with what the agent answered.
        """
        tools = self._find(request)
        await self._end(request.session[SESSION_ID_KEY])
        if tools.info.get("failure"):  # a rollout in which the world failed is left out, and not paid 0
            raise HTTPException(FAILED, f"the world failed: {tools.info['failure']}")
        return WorldsVerifyResponse(
            **body.model_dump(),
            reward=tools.total,
            success=tools.info["success"],
            progress=tools.info["progress"],
            ended=tools.over,
        )

    def _begin(self, body: WorldsSeedRequest) -> WorldTools:
        token = os.environ[self.config.token_env] if self.config.token_env else None
        tools = WorldTools(agentgym.connect(self.config.url, self.config.world, split=body.split, token=token))
        tools.begin(body.task)
        return tools

    def _find(self, request: Request) -> WorldTools:
        tools = self._playing.get(request.session.get(SESSION_ID_KEY, ""))
        if tools is None:
            raise HTTPException(REFUSED, "no episode is under way in this session; call /seed_session first")
        return tools

    async def _end(self, name: str) -> None:
        tools = self._playing.pop(name, None)
        if tools is not None:
            await run_in_threadpool(tools.env.close)


def rows(url: str, world: str, split: str, count: int, token: str | None = None) -> list[dict[str, Any]]:
    """The first tasks of a split as rows of a data set of NeMo Gym.

    Args:
        url: Of the server of worlds.
        world: What is played there.
        split: Where tasks are counted.
        count: How many.
        token: At that server.
    """
    tools = WorldTools(agentgym.connect(url, world, split=split, token=token))
    functions = [{"type": "function", "strict": False, **function} for function in tools.functions]
    made = []
    for task in range(count):
        spoken = [{"role": "system", "content": tools.manual}, {"role": "user", "content": tools.begin(task)}]
        asked = {"input": spoken, "tools": functions, "parallel_tool_calls": False}
        made.append({"responses_create_params": asked, "task": task, "split": split})
    tools.env.close()
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Write rows, one a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True, help="the server of worlds")
    parser.add_argument("--world", default="Todo-v0", help="what is played there (%(default)s)")
    parser.add_argument("--split", default="train", help="its split (%(default)s)")
    parser.add_argument("--count", type=int, default=64, help="how many tasks (%(default)s)")
    given = parser.parse_args(arguments)
    for row in rows(given.url, given.world, given.split, given.count):
        sys.stdout.write(json.dumps(row) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
