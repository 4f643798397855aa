"""What a provider refuses for what the agent said is the agent's loss; what the options or the server lack is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.agents import ContextOverflow
from agentgym.agents.content_policy import refuses_content
from agentgym.core import ContentRefused, EndpointError
from agentgym.evaluate import evaluate, replay
from tests.agents.server import Answer, ChatServer, completion
from tests.agents.test_endpoint import TALK, always, endpoint

AZURE = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        "type": None, "param": "prompt", "code": "content_filter", "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": True}}},
    }
}  # fmt: skip
FLAGGED = "Invalid prompt: your prompt was flagged as potentially violating our usage policy."
REFUSALS: list[Any] = [
    AZURE,
    {"error": {"message": "no", "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
    {"error": {"message": FLAGGED, "type": "invalid_request_error", "param": None, "code": "invalid_prompt"}},
    {"error": {"message": "Rejected as a result of our safety system.", "code": "content_policy_violation"}},
    {"error": {"message": "Your request was rejected as a result of our safety system.", "code": None}},
    {"error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}},
    {"error": {"type": "invalid_request_error", "message": "messages.3: all messages must have non-empty content"}},
    {"error": {"message": "ContentPolicyViolationError: blocked by content filter", "code": "400"}},
    {"error": {"message": "Content Exists Risk", "type": "invalid_request_error", "code": "invalid_request_error"}},
    {"code": "data_inspection_failed", "message": "Output data may contain inappropriate content."},
    {"error": "this was flagged by moderation"},
    {"detail": "Prompt violates our content policy"},
    b"<h1>blocked for safety</h1>",
]  # fmt: skip
OPTIONS: list[Any] = [
    {"error": {"message": "Unknown parameter: 'content_filter'.", "code": "unknown_parameter"}},
    {"error": {"message": "content policy", "param": "temperature", "code": "invalid_value"}},
    {"error": {"message": "Extra inputs are not permitted: content_filter"}},
    {"error": {"message": "The model `content-filter` does not exist", "code": "model_not_found"}},
    {"error": {"message": "The model does not exist, see our content policy", "code": None}},
    {"error": {"message": "max_tokens is too large", "type": "invalid_request_error", "code": None}},
    {"error": {"message": ["nested", {"garbage": None}], "code": {"a": 1}, "innererror": [1]}},
    [1, 2], None, b"", b"[" * 100_000, b"\xff\xfe", {"error": None},
]  # fmt: skip


def sent(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


@pytest.mark.parametrize("body", REFUSALS)
def test_refusals_of_content_are_told_from_all_others(body: Any) -> None:
    assert refuses_content(400, sent(body))
    for status in (401, 403, 404, 408, 413, 429, 500, 502, 503, 529):
        assert not refuses_content(status, sent(body))
    with (
        always(Answer(sent(body), status=400)) as server,
        pytest.raises(ContentRefused, match="what the conv") as caught,
    ):
        endpoint(server).complete(TALK)
    assert len(server.requests) == 1
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("body", OPTIONS)
def test_what_the_options_lack_is_no_refusal_of_content(body: Any) -> None:
    assert not refuses_content(400, sent(body))
    with always(Answer(sent(body), status=400)) as server, pytest.raises(EndpointError) as caught:
        endpoint(server).complete(TALK)
    assert not isinstance(caught.value, ContentRefused)
    assert "\n" not in str(caught.value)


def test_a_conversation_that_is_too_long_stays_one() -> None:
    said = {"error": {"message": "maximum context length is 9", "code": "context_length_exceeded"}}
    with always(Answer(said, status=400)) as server, pytest.raises(ContextOverflow):
        endpoint(server).complete(TALK)


@pytest.mark.parametrize("choice", [{}, {"message": None}, {"message": {"role": "assistant"}}])
def test_an_answer_that_a_filter_kept_back_is_an_answer(choice: dict[str, Any]) -> None:
    body = {"choices": [{**choice, "finish_reason": "content_filter"}]}
    with always(Answer(body)) as server:
        reply = endpoint(server).complete(TALK)
    assert (reply.text, reply.finish_reason) == ("", "content_filter")


def refusing(word: str, answer: Answer, says: str) -> ChatServer:
    """A provider that refuses a conversation in which the model has said a word."""

    def script(number: int, request: dict[str, Any]) -> Answer:
        said = [each["content"] for each in request["body"]["messages"] if each["role"] == "assistant"]
        return answer if any(word in text for text in said) else completion(says)

    return ChatServer(script)


def play(server: ChatServer, out: Path, **options: Any) -> Any:
    given = {"model": "m", "base_url": server.base_url, "retries": 0, **options}
    return evaluate("FrozenLake-v0", "endpoint", episodes=6, workers=1, out=out, agent_options=given)


def test_an_agent_whose_own_words_are_refused_has_lost_and_the_run_goes_on(tmp_path: Path) -> None:
    with refusing("bomb", Answer(AZURE, status=400), "bomb\nAction: look at the bomb") as server:
        summary = play(server, tmp_path).summary
    assert (summary.episodes, summary.scored, summary.outages, summary.left_out) == (6, 6, 0, 0)
    assert summary.stops == {"refused": 6}
    assert summary.success.value == 0
    assert all(each.same for each in replay(tmp_path)), "and is replayed so"


@pytest.mark.parametrize(
    ("status", "body"),
    [(400, {"error": {"message": "Unknown parameter: 'x'"}}), (401, AZURE), (503, AZURE), (404, AZURE)],
)
def test_what_is_not_for_its_words_is_left_out(tmp_path: Path, status: int, body: Any) -> None:
    with (
        refusing("bomb", Answer(body, status=status), "bomb") as server,
        pytest.raises(EndpointError, match=f"each of the first.*status {status}"),
    ):
        play(server, tmp_path)


def test_before_an_agent_has_spoken_its_words_are_not_what_is_refused(tmp_path: Path) -> None:
    with always(Answer(AZURE, status=400)) as server, pytest.raises(EndpointError, match=r"status 400.*content_filter"):
        play(server, tmp_path)


def test_a_model_that_refuses_or_is_filtered_plays_on_and_is_shown_as_such(tmp_path: Path) -> None:
    answers = [completion(None, refusal="I will not."), completion("", ends="content_filter")]
    with ChatServer(lambda number, request: answers[number % 2]) as server:
        result = play(server, tmp_path, concurrency=1)
    assert (result.summary.scored, result.summary.outages) == (6, 0)
    reasons = {turn.finish_reason for episode in result.episodes for turn in episode.turns}
    assert "content_filter" in reasons
    assert any(turn.answer.refusal for episode in result.episodes for turn in episode.turns)
