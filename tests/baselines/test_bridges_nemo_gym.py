"""NeMo Gym: its own agent plays a served world through our resources server, where it is installed."""

from __future__ import annotations

import contextlib
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

WHY = "NeMo Gym is not installed: pip install nemo-gym, into an environment of its own with Python 3.12"
pytest.importorskip("nemo_gym", reason=WHY)

from nemo_gym import global_config, server_utils  # noqa: E402
from nemo_gym.cli.setup_command import setup_env_command  # noqa: E402
from omegaconf import OmegaConf  # noqa: E402
from responses_api_agents.simple_agent.app import (  # noqa: E402
    ModelServerRef,
    ResourcesServerRef,
    SimpleAgent,
    SimpleAgentConfig,
)
from starlette.applications import Starlette  # noqa: E402
from starlette.requests import Request  # noqa: E402
from starlette.responses import JSONResponse  # noqa: E402
from starlette.routing import Route  # noqa: E402

from agentgym.baselines.bridges import nemo_gym_server  # noqa: E402
from tests.baselines.calling import Call, oracle_calls  # noqa: E402
from tests.serve.conftest import Running, serving, starter  # noqa: E402

RESOURCES, MODEL, AGENT = "agentgym_worlds", "policy_model", "simple_agent"
LAKE = {"size": 3, "slippery": False}
TASK = 3


def scripted(calls: list[Call], asked: list[dict[str, Any]]) -> Starlette:
    """A model behind OpenAI's responses that makes calls, one a request, and then says that it is done."""

    async def answer(request: Request) -> JSONResponse:
        asked.append(await request.json())
        number = len(asked) - 1
        if number < len(calls):
            made = calls[number]
            told = json.dumps(made["arguments"])
            output: dict[str, Any] = {
                "type": "function_call",
                "call_id": f"c{number}",
                "name": made["name"],
                "arguments": told,
            }
        else:
            said = [{"type": "output_text", "text": "done", "annotations": []}]
            output = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": said}
        whole = {"id": f"r{number}", "created_at": 0.0, "model": "scripted", "object": "response", "output": [output]}
        return JSONResponse({**whole, "parallel_tool_calls": False, "tool_choice": "auto", "tools": []})

    return Starlette(routes=[Route("/v1/responses", answer, methods=["POST"])])


@pytest.fixture(scope="module")
def worlds() -> Iterator[Running]:
    with starter() as begin:
        yield begin("Todo-v0")


@pytest.fixture(scope="module")
def lake() -> Iterator[Running]:
    with starter() as begin:
        yield begin("FrozenLake-v0", "--env", "size=3", "--env", "slippery=false")


@contextlib.contextmanager
def gym(
    url: str, world: str, calls: list[Call], monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, str, list[Any]]]:
    """NeMo Gym's agent with its two servers; addresses of the agent and of ours, and what the model was asked."""
    monkeypatch.setattr(server_utils, "get_global_config_dict", lambda **options: OmegaConf.create({}))
    monkeypatch.setattr(server_utils, "_GLOBAL_AIOHTTP_CLIENT", None)  # bound to a loop that ends
    asked: list[dict[str, Any]] = []
    addresses: dict[str, str] = {}
    places = OmegaConf.create({})
    head = server_utils.BaseServerConfig(host="127.0.0.1", port=0)
    client = server_utils.ServerClient(head_server_config=head, global_config_dict=places)
    common = {"host": "127.0.0.1", "port": 0, "entrypoint": "app.py"}
    config = nemo_gym_server.WorldsConfig(**common, name=RESOURCES, domain="agent", url=url, world=world)
    agent_config = SimpleAgentConfig(
        **common,
        name=AGENT,
        resources_server=ResourcesServerRef(type="resources_servers", name=RESOURCES),
        model_server=ModelServerRef(type="responses_api_models", name=MODEL),
    )
    ours = nemo_gym_server.WorldsServer(config=config, server_client=client)
    agent = SimpleAgent(config=agent_config, server_client=client)
    with contextlib.ExitStack() as running:
        for name, kind, app in (
            (RESOURCES, "resources_servers", ours.setup_webserver()),
            (MODEL, "responses_api_models", scripted(calls, asked)),
            (AGENT, "responses_api_agents", agent.setup_webserver()),
        ):
            addresses[name] = running.enter_context(serving(app))
            host, _, port = addresses[name].removeprefix("http://").partition(":")
            places[name] = {kind: {name: {"host": host, "port": int(port)}}}
        yield addresses[AGENT], addresses[RESOURCES], asked


@pytest.mark.parametrize(("world", "arguments"), [("Todo-v0", {}), ("FrozenLake-v0", LAKE)])
def test_its_agent_plays_to_the_end_and_is_paid_what_the_world_pays(
    worlds: Running, lake: Running, monkeypatch: pytest.MonkeyPatch, world: str, arguments: dict[str, Any]
) -> None:
    url = lake.url if arguments else worlds.url
    calls, shown, total = oracle_calls(world, TASK, "train", **arguments)
    row = nemo_gym_server.rows(url, world, "train", TASK + 1)[TASK]
    assert row["responses_create_params"]["input"][1]["content"] == shown[0]
    with gym(url, world, calls, monkeypatch) as (agent, _, asked):
        answer = requests.post(f"{agent}/run", json=row, timeout=120)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["reward"], told["success"], told["progress"], told["ended"]) == (total, True, 1.0, True)
    assert (told["task"], told["split"]) == (TASK, "train")
    heard = [each["output"] for each in told["response"]["output"] if each["type"] == "function_call_output"]
    assert heard == shown[1:]
    assert [each["name"] for each in asked[0]["tools"]] == [
        each["name"] for each in row["responses_create_params"]["tools"]
    ]


def test_what_is_no_call_of_an_episode_is_refused(lake: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with gym(lake.url, "FrozenLake-v0", [], monkeypatch) as (_, ours, _), requests.Session() as session:
        unseeded = session.post(f"{ours}/act", json={"action": "down"}, timeout=60)
        assert (unseeded.status_code, "call /seed_session first" in unseeded.text) == (400, True)
        assert session.post(f"{ours}/seed_session", json={"split": "train"}, timeout=60).status_code == 422
        assert session.post(f"{ours}/seed_session", json={"task": 1}, timeout=60).status_code == 200
        assert session.post(f"{ours}/act", data=b"[1]", timeout=60).status_code == 400
        first = session.post(f"{ours}/act", json={"action": "down"}, timeout=60)
        assert first.status_code == 200
        assert session.post(f"{ours}/seed_session", json={"task": 1}, timeout=60).status_code == 200
        assert session.post(f"{ours}/act", json={"action": "down"}, timeout=60).text == first.text  # it begins anew


def test_its_launcher_takes_the_folder_that_the_module_describes(tmp_path: Path) -> None:
    blocks = [block for block in (nemo_gym_server.__doc__ or "").split("\n\n") if block.startswith("    ")]
    app, requirements, described = (textwrap.dedent(block) for block in blocks[-3:])
    folder = tmp_path / "resources_servers" / RESOURCES
    folder.mkdir(parents=True)
    for name, text in (("app.py", app), ("requirements.txt", requirements), ("worlds.yaml", described)):
        (folder / name).write_text(text + "\n")
    settings = OmegaConf.create(
        {
            global_config.HEAD_SERVER_DEPS_KEY_NAME: [],
            global_config.UV_VENV_DIR_KEY_NAME: str(tmp_path),
            global_config.PYTHON_VERSION_KEY_NAME: "3.12",
            global_config.SKIP_VENV_IF_PRESENT_KEY_NAME: False,
        }
    )
    assert "requirements.txt" in setup_env_command(folder, settings, RESOURCES)
    told = OmegaConf.to_container(OmegaConf.load(folder / "worlds.yaml"))
    config = nemo_gym_server.WorldsConfig(
        **told[RESOURCES]["resources_servers"][RESOURCES], name=RESOURCES, host="127.0.0.1", port=0
    )
    assert (config.world, config.url) == ("Todo-v0", "http://127.0.0.1:8123")
    assert (folder / config.entrypoint).is_file()
    assert "nemo_gym_server import WorldsServer" in app
