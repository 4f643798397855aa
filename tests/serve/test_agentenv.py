"""The original AgentGym's clients: what they send, and they themselves with its controller.

The original is no part of this project, and what PyPI calls `agentenv` is another one: `AGENTGYM_AGENTENV_SOURCE` names
the folder `agentenv` of a checkout of WooooDyy/AgentGym (tried with 3ef9235).
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

import agentgym
from agentgym.serve.agentenv import WORLDS, AgentEnv, as_it_is, fenced, from_tags, from_tool
from agentgym.serve.errors import Refused
from tests.serve.conftest import Inside, Running, inside, starter

STANDING = {  # world, our id, keyword arguments, what the clients call them
    "webshop": ("WebShop-v1", {}, "WebshopEnvClient"),
    "alfworld": ("Household-v1", {}, "AlfWorldEnvClient"),
    "babyai": ("BabyAI-v0", {}, "BabyAIEnvClient"),
    "sciworld": ("ScienceWorld-v0", {}, "SciworldEnvClient"),
    "textcraft": ("TextCraft-v1", {}, "TextCraftEnvClient"),
    "maze": ("Maze-v0", {}, "MazeEnvClient"),
    "wordle": ("Wordle-v0", {}, "WordleEnvClient"),
    "academia": ("Academia-v0", {}, "AcademiaEnvClient"),
    "movie": ("Movie-v0", {}, "MovieEnvClient"),
    "sheet": ("Sheet-v0", {}, "SheetEnvClient"),
    "todo": ("Todo-v0", {}, "TodoEnvClient"),
    "weather": ("Weather-v0", {}, "WeatherEnvClient"),
    "searchqa": ("SearchQA-v0", {}, "SearchQAEnvClient"),
    "sqlgym": ("SQL-v0", {"mode": "one-shot"}, "SqlGymEnvClient"),
}
NEEDED = {"BabyAI-v0": "minigrid", "ScienceWorld-v0": "scienceworld"}
SLOW = ("babyai", "sciworld")
EACH = [pytest.param(world, marks=[pytest.mark.full] if world in SLOW else []) for world in STANDING]
TASK = 5
SOURCE = Path(os.environ.get("AGENTGYM_AGENTENV_SOURCE") or "WooooDyy/AgentGym/agentenv")
original = pytest.mark.skipif(
    not (SOURCE / "agentenv" / "controller").is_dir(),
    reason="AGENTGYM_AGENTENV_SOURCE names no folder `agentenv` of a checkout of WooooDyy/AgentGym",
)


def installed(name: str) -> bool:
    """Whether a world's engine is there."""
    return name not in NEEDED or importlib.util.find_spec(NEEDED[name]) is not None


def require_engine(world: str) -> None:
    if not installed(STANDING[world][0]):
        pytest.skip(f"{NEEDED[STANDING[world][0]]} is not installed")


@pytest.fixture
def envs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The original's module of clients."""
    monkeypatch.syspath_prepend(str(SOURCE))
    return importlib.import_module("agentenv.envs")


@pytest.fixture(scope="module")
def every_world() -> Iterator[Running]:
    with starter() as begin:
        yield begin(*(name for name, _, _ in STANDING.values() if installed(name)))


def solved(world: str) -> Iterator[tuple[str, str, float, bool]]:
    """A good player's episode here: what it would say to an original world, and what follows."""
    name, env_kwargs, _ = STANDING[world]
    env = agentgym.make(name, **env_kwargs).unwrapped
    text, _ = env.reset(options={"task": TASK})
    yield "", text, 0.0, False
    ended = False
    while not ended:
        action = env.oracle_action() if world == "sciworld" else env.expert_action()  # which has no expert
        text, reward, terminated, truncated, info = env.step(action)
        ended = terminated or truncated
        if WORLDS[world].scored:
            reward = WORLDS[world].full * (1.0 if info["success"] else info["progress"])
        yield said(world, action), text, reward, ended
    assert info["success"]
    env.close()


def said(world: str, action: str) -> str:
    """An action of ours as an agent of the original says it."""
    if WORLDS[world].read is from_tool:
        call = json.loads(action)
        return f"Thought: so be it.\nAction: {call['name']} with Action Input: {json.dumps(call['arguments'])}"
    if world == "searchqa":
        name, _, rest = action.partition("[")
        return f"<think>so be it</think> <{name}>{rest[:-1]}</{name}>"
    if world == "sqlgym":
        return f"Thought: so be it.\n\nAction: ```sql\n{action}\n```"
    spoken = " ".join(action.removeprefix("guess ")) if world == "wordle" else action
    return f"Thought:\nso be it.\n\nAction:\n{spoken}"


@original
@pytest.mark.parametrize("world", EACH)
def test_its_own_clients_play_our_worlds(every_world: Running, envs: Any, world: str) -> None:
    require_engine(world)
    client = getattr(envs, STANDING[world][2])(env_server_base=f"{every_world.url}/agentenv/{world}", data_len=TASK + 1)
    steps = solved(world)
    _, first, _, _ = next(steps)
    client.reset(TASK)
    assert world == "wordle" or first in client.observe()  # a word game begins with the client's own words
    for words, text, reward, ended in steps:
        step = client.step(words)
        assert (step.state, step.reward, step.done) == (text, reward, ended)
    assert ended
    if hasattr(client, "close"):
        client.close()


@original
@pytest.mark.parametrize("world", EACH)
def test_its_controller_evaluates_an_agent(every_world: Running, envs: Any, world: str) -> None:
    """One task at a time: for several its `Evaluator` takes the truth of an array, which raises."""
    require_engine(world)
    controller = importlib.import_module("agentenv.controller")
    script, rewards = zip(*[(words, reward) for words, _, reward, _ in solved(world)][1:], strict=True)

    class Scripted(controller.APIAgent):
        def __init__(self) -> None:
            self._lines = iter(script)

        def generate(self, conversation: Any) -> tuple[str, str]:
            return next(self._lines), ""

    arguments = {"env_server_base": f"{every_world.url}/agentenv/{world}", "data_len": 10}
    task = getattr(envs, STANDING[world][2].replace("EnvClient", "Task"))(client_args=arguments, n_clients=1)
    shown = controller.Evaluator(Scripted(), [task]).eval(max_rounds=len(script), idxs=[TASK])
    assert (shown.score, shown.success) == (rewards[-1], 1.0)
    assert rewards[-1] == WORLDS[world].full


class Client:
    """Sends what the original's clients send."""

    def __init__(self, url: str, world: str):
        self.base, self.world = f"{url}/agentenv/{world}", WORLDS[world]
        made = self.post("create", {"id": 0, "minecraft_dir": "/etc", "commands": None, "goal": None}, number=None)
        self.number = made if self.world.numbered else made["id"]

    def post(self, path: str, data: dict[str, Any], number: int | None = -1) -> Any:
        named = {} if number is None else {self.world.name: self.number if number == -1 else number}
        answer = requests.post(f"{self.base}/{path}", json={**data, **named}, timeout=60)
        answer.raise_for_status()
        return answer.json()

    def get(self, path: str) -> Any:
        answer = requests.get(f"{self.base}/{path}?{self.world.name}={self.number}", timeout=60)
        answer.raise_for_status()
        return answer.json()


@pytest.mark.full
@pytest.mark.parametrize("world", EACH)
def test_what_its_clients_send_is_played(every_world: Running, world: str) -> None:
    require_engine(world)
    client, steps = Client(every_world.url, world), solved(world)
    _, first, _, _ = next(steps)
    known = client.world
    begun = client.post("reset", {known.index: 0, "world_type": "Text"})
    begun = client.post(
        "reset", {known.index: TASK, "world_type": "Text"} if known.index != known.name else {"id": TASK}
    )
    shown = begun[0] if known.pair else begun if known.numbered else begun[known.shown]
    assert shown == client.get("observation") == first
    for words, text, reward, ended in steps:
        if known.read is as_it_is:
            words = words.rpartition("Action:\n")[2]
        elif known.read is fenced:  # its client takes the statement out of the fence
            words = words.partition("```sql\n")[2].removesuffix("\n```")
        step = client.post("step", {"action": words})
        assert (step[known.shown], step["reward"], step["done"]) == (text, reward, ended)
    assert client.post("close", {}) is True
    with pytest.raises(requests.HTTPError, match="404"):
        client.get("observation")


@pytest.mark.full
def test_what_can_be_done_is_listed(every_world: Running) -> None:
    shop = Client(every_world.url, "webshop")
    assert shop.get("available_actions") == {"has_search_bar": True, "clickables": []}
    assert shop.get("instruction_text") in shop.get("observation")
    house = Client(every_world.url, "alfworld")
    begun = house.post("reset", {"game": 1, "world_type": "Text"})
    assert begun["available_actions"] == house.get("available_actions") == sorted(begun["available_actions"])
    words = Client(every_world.url, "wordle").get("filtered_vocab")
    assert "crane" in words
    assert {len(word) for word in words} == {5}
    maze = Client(every_world.url, "maze")
    assert set(maze.get("available_actions")) <= {"move up", "move down", "move left", "move right"}


def test_sessions_of_one_world_are_unknown_to_another(every_world: Running) -> None:
    maze, wordle = Client(every_world.url, "maze"), Client(every_world.url, "wordle")
    maze.number = wordle.number
    with pytest.raises(requests.HTTPError, match="404"):
        maze.post("step", {"action": "move up"})


@pytest.mark.parametrize("data", [{}, {"id": "1"}, {"id": True}, {"id": 1.5}, {"id": None}, {"id": -1}, {"id": 2**80}])
def test_numbers_must_be_known(every_world: Running, data: dict[str, Any]) -> None:
    for path in ("step", "reset", "close"):
        answer = requests.post(f"{every_world.url}/agentenv/maze/{path}", json={"action": "x", **data}, timeout=60)
        assert answer.status_code in (400, 404)
        assert "error" in answer.json()


def test_a_number_of_thousands_of_digits_is_none(every_world: Running) -> None:
    answer = requests.get(f"{every_world.url}/agentenv/maze/observation?id={'9' * 5000}", timeout=60)
    assert (answer.status_code, "whole number" in answer.json()["error"]) == (400, True)


def test_what_is_too_long_is_refused_before_it_is_read() -> None:
    def never(action: str) -> str:
        raise AssertionError("it was read")

    async def play(here: Inside) -> None:
        world = AgentEnv(here.sessions, replace(WORLDS["wordle"], read=never), "Wordle-v0", "train")
        number = (await world.create("me", {}))["id"]
        for action in ("x" * 65_537, 3, None):
            with pytest.raises(Refused, match="action must be a text of at most 65536 characters"):
                await world.step("me", {"id": number, "action": action})

    inside(play, "Wordle-v0")


@pytest.mark.parametrize("unit", ["<search>", "</search><answer>", "Action: a with Action Input: {", "Action:  a  "])
def test_texts_are_read_in_time_linear_in_their_length(unit: str) -> None:
    began = time.process_time()
    for end in ("", "}"):
        text = (unit * 100_000)[:400_000] + end
        assert (from_tool(text), from_tags(text)) == (text, text)
    assert time.process_time() - began < 3


def test_what_a_session_of_the_original_shows_comes_again_after_a_new_start(tmp_path: Path) -> None:
    shown: list[Any] = []
    looks = ("observation", "detail", "instruction_text")

    async def play(here: Inside) -> None:
        world = AgentEnv(here.sessions, WORLDS["wordle"], "Wordle-v0", "train")
        shown.append((await world.create("me", {}))["id"])
        await world.step("me", {"id": shown[0], "action": "crane"})
        shown.extend([await world.look("me", what, {"id": shown[0]}) for what in looks])

    async def look_again(here: Inside) -> None:
        world = AgentEnv(here.sessions, WORLDS["wordle"], "Wordle-v0", "train")
        found = [await world.look("me", what, {"id": shown[0]}) for what in looks]
        assert found == shown[1:]

    inside(play, "Wordle-v0", state=tmp_path)
    inside(look_again, "Wordle-v0", state=tmp_path)


def test_other_splits_have_addresses_of_their_own(every_world: Running) -> None:
    client = Client(every_world.url, "wordle")
    client.base += "/test"
    client.number = client.post("create", {}, number=None)["id"]
    client.post("reset", {"seed": 3})
    env = agentgym.make("Wordle-v0", split="test").unwrapped
    assert client.get("detail")["info"]["task_id"] == env.tasks("test")[3].id


@pytest.mark.parametrize(
    ("said_", "read"),
    [
        ('Action: f with Action Input: {"a": 1}', '{"name": "f", "arguments": {"a": 1}}'),
        ('f with Action Input: {"a": {"b": "}"}}', '{"name": "f", "arguments": {"a": {"b": "}"}}}'),
        ("Action: f with Action Input: {'a': 1}", "Action: f with Action Input: {'a': 1}"),
        ("f()", "f()"),
        ('Action: f with Action Input: {"a": 1}\nAction: g with Action Input: {}', '{"name": "g", "arguments": {}}'),
        ("Action: f with Action Input: {} and so on", "Action: f with Action Input: {} and so on"),
    ],
)
def test_calls_of_tools_are_read(said_: str, read: str) -> None:
    assert from_tool(said_) == read


def test_tags_are_read() -> None:
    assert from_tags("<think>a</think><search> b\nc </search>") == "search[b\nc]"
    assert from_tags("<answer>x</answer> <search>y</search>") == "answer[x]"
    assert from_tags("search[b]") == "search[b]"
    assert from_tags("</search><search>a<answer>b</answer>") == "answer[b]"
    assert from_tags("<search><search>a</search></search>") == "search[<search>a]"
