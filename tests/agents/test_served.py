"""A policy that a server samples says what the same policy says in the process, from the weights of its version."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import peft
import pytest
import torch

from agentgym.agents.policy import Generation
from agentgym.agents.pretrained import load_pretrained
from agentgym.agents.served import ServedPolicy
from agentgym.agents.vllm import VLLMServer
from agentgym.core import ConfigError, DataError
from agentgym.train import HuggingFaceEngine
from tests.agents.pretrained import need_smollm2
from tests.agents.vllm_server import VLLM
from tests.serve.conftest import serving

Make = Callable[..., HuggingFaceEngine]
Open = Callable[..., tuple[ServedPolicy, VLLM]]
NEAR = 1e-4  # nats between the same sum in other batches
SEEN = ("red", "blue", "green")


def adapted(engine: HuggingFaceEngine) -> HuggingFaceEngine:
    """The engine with low-rank adapters that say something."""
    config = peft.LoraConfig(r=2, lora_alpha=4, target_modules="all-linear")
    engine.model = peft.get_peft_model(engine.model, config).eval()
    move(engine)
    engine.version = 0
    return engine


def move(engine: HuggingFaceEngine) -> None:
    """What an update does: every weight that learns is another one, and the version counts."""
    generator = torch.Generator().manual_seed(engine.version)
    with torch.no_grad():
        for weight in engine.model.parameters():
            if weight.requires_grad:
                weight += 0.3 * torch.randn(weight.shape, generator=generator)
    engine.version += 1


@pytest.fixture
def open_policy(tmp_path: Path) -> Iterator[Open]:
    running = contextlib.ExitStack()

    def begin(mine: HuggingFaceEngine, its: HuggingFaceEngine, shares_device: bool = False, **options: Any) -> Any:
        vllm = VLLM(its, **options)
        url = running.enter_context(serving(vllm.app))
        server = VLLMServer(f"{url}/v1", api_key=options.get("key", ""), timeout=60, retries=0)
        return ServedPolicy(mine, server, tmp_path / "weights", shares_device), vllm

    with running:
        yield begin


def talk(policy: Any) -> list[Generation]:
    """Two turns of three conversations, one of which is left after the first, and one of which begins anew."""
    session = policy.open([np.random.default_rng(row) for row in range(3)])
    said: list[Generation] = session.generate([policy.encode_first(each) for each in SEEN])
    session.select_rows([2, 0])
    session.reset_rows([1])
    later = [policy.encode_next("pink", closed=said[2].closed), policy.encode_first("pink")]
    return said + list(session.generate(later))


def same(mine: Sequence[Generation], told: Sequence[Generation]) -> None:
    assert [each.error for each in told] == [None] * len(mine)
    assert [each.token_ids for each in told] == [each.token_ids for each in mine]
    assert [(each.text, each.closed) for each in told] == [(each.text, each.closed) for each in mine]
    for one, other in zip(mine, told, strict=True):
        assert other.logprobs == pytest.approx(one.logprobs, abs=NEAR)


@pytest.mark.parametrize("lora", [False, True])
def test_greedy_answers_are_those_of_the_policy_in_the_process(
    make_engine: Make, open_policy: Open, lora: bool
) -> None:
    engine = make_engine(0, max_new_tokens=4)
    if lora:
        adapted(engine)
    policy, vllm = open_policy(engine, make_engine(0 if lora else 1), slots=1)
    engine.temperature = 0.0
    untold = [each.token_ids for each in talk(vllm.engine)]
    for version in range(3):
        told = talk(policy)
        same(talk(engine), told)
        assert {each.version for each in told} == {version}
        assert [each.token_ids for each in told] != untold, "the server's own weights would have said something else"
        untold = [each.token_ids for each in told]
        move(engine)
    assert len(list(policy.folder.iterdir())) == 1, "weights that nothing is sampled from are removed"
    assert len(vllm.adapters) == lora
    assert not +vllm.amiss


def test_log_probabilities_are_those_that_the_trainer_computes(make_engine: Make, open_policy: Open) -> None:
    engine = make_engine(0, max_new_tokens=8, temperature=0.7)
    policy, _ = open_policy(engine, make_engine(1))
    prompts = [policy.encode_first(each) for each in SEEN]
    said = policy.open([np.random.default_rng(row) for row in range(3)]).generate(prompts)
    scored = engine.score(prompts, [each.token_ids for each in said])
    for each, mine in zip(said, scored, strict=True):
        assert each.logprobs == pytest.approx(mine, abs=NEAR)
    assert len({each.token_ids for each in said}) == 3


def test_the_generators_of_rows_alone_decide_what_is_sampled(make_engine: Make, open_policy: Open) -> None:
    policy, _ = open_policy(make_engine(0, max_new_tokens=8), make_engine(1))
    one, two, other = (
        policy.open([np.random.default_rng(seed)]).generate([policy.encode_first("red")])[0] for seed in (0, 0, 1)
    )
    assert one.token_ids == two.token_ids != other.token_ids


def test_all_rows_are_asked_at_once(make_engine: Make, open_policy: Open) -> None:
    policy, vllm = open_policy(make_engine(0), make_engine(1))
    policy.push()
    vllm.before = threading.Barrier(3).wait  # type: ignore[assignment]
    prompts = [policy.encode_first(each) for each in SEEN]
    said = policy.open([np.random.default_rng(row) for row in range(3)]).generate(prompts)
    assert [each.error for each in said] == [None] * 3


@pytest.mark.timeout(300)
def test_smollm2_with_adapters(open_policy: Open) -> None:
    need_smollm2()
    engine, its = (load_pretrained("smollm2", 6, torch.float32, device="cpu") for _ in range(2))
    config = peft.LoraConfig(r=2, target_modules="all-linear", init_lora_weights=False)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        engine.model = peft.get_peft_model(engine.model, config).eval()
    policy, vllm = open_policy(engine, its)
    engine.temperature = 0.0
    asked = [engine.encode_first("Name a color.")]
    mine, told = (each.open([np.random.default_rng(0)]).generate(asked) for each in (engine, policy))
    same(mine, told)
    assert [*vllm.asked] == [*vllm.adapters]


def test_weights_are_sent_once_a_version(make_engine: Make, open_policy: Open) -> None:
    engine = make_engine(0)
    policy, vllm = open_policy(engine, make_engine(1))
    for _ in range(2):
        talk(policy)
    assert vllm.orders == ["collective_rpc", "reset_prefix_cache"]
    move(engine)
    talk(policy)
    assert vllm.orders == ["collective_rpc", "reset_prefix_cache"] * 2


@pytest.mark.parametrize("lora", [False, True])
def test_an_answer_under_way_comes_from_the_weights_that_began_it(
    make_engine: Make, open_policy: Open, lora: bool
) -> None:
    engine = adapted(make_engine(0)) if lora else make_engine(0)
    engine.temperature = 0.0
    policy, vllm = open_policy(engine, make_engine(0))
    prompt, rng = policy.encode_first("red"), np.random.default_rng(0)
    (before,) = engine.open([rng]).generate([prompt])
    policy.push()
    held, begun = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        assert held.wait(60)

    vllm.before = hold
    first = policy.start(prompt, rng)
    assert begun.wait(60)
    vllm.before = lambda: None
    move(engine)
    (after,) = engine.open([rng]).generate([prompt])
    assert before.token_ids != after.token_ids or before.logprobs != pytest.approx(after.logprobs, abs=0.01)
    if not lora:  # they have to be waited for
        threading.Timer(0.3, held.set).start()
    second = policy.start(prompt, rng)
    same([after], [policy.hear(second)])
    held.set()
    same([before], [policy.hear(first)])
    assert (first.version, second.version) == (0, 1)
    assert len(vllm.adapters) == (2 if lora else 0)
    for _ in range(2):
        move(engine)
        policy.push()
        assert len(vllm.adapters) == lora, "adapters of which nothing is sampled are unloaded"
    assert not +vllm.amiss


def test_the_adapters_of_a_run_that_was_killed_are_no_hindrance(make_engine: Make, open_policy: Open) -> None:
    engine = adapted(make_engine(0))
    engine.temperature = 0.0
    policy, vllm = open_policy(engine, make_engine(0))
    policy.push()
    again = ServedPolicy(engine, policy.server, policy.folder)
    same(talk(engine), talk(again))
    move(engine)
    engine.version = 0  # another run of the same version
    other = ServedPolicy(engine, policy.server, policy.folder)
    same(talk(engine), talk(other))
    assert not +vllm.amiss


def test_a_server_on_the_same_device_sleeps_until_it_is_asked(make_engine: Make, open_policy: Open) -> None:
    engine = make_engine(0)
    policy, vllm = open_policy(engine, make_engine(1), shares_device=True)
    vllm.asleep = True  # as a run that was killed may have left it
    talk(policy)
    policy.rest()
    policy.rest()
    assert vllm.asleep
    move(engine)
    talk(policy)
    assert [each for each in vllm.orders if each in ("sleep", "wake_up")] == ["wake_up", "sleep", "wake_up"]
    assert not vllm.asleep
    assert not +vllm.amiss
    apart, other = open_policy(engine, make_engine(1))
    talk(apart)
    apart.rest()
    assert "sleep" not in other.orders


@pytest.mark.parametrize("what", ["another model", "raw"])
def test_a_server_that_tells_other_numbers_is_refused(make_engine: Make, open_policy: Open, what: str) -> None:
    engine = make_engine(0, max_new_tokens=8)
    if what == "raw":
        engine.temperature = 0.05
    else:
        adapted(engine)
    its = make_engine(0 if what == "raw" else 1)
    if what == "another model":
        move(its)
    policy, _ = open_policy(engine, its, raw=what == "raw")
    with pytest.raises(ConfigError, match=r"nats less or more likely .* --logprobs-mode processed_logprobs"):
        talk(policy)


def test_the_first_sampling_that_can_be_compared_is(make_engine: Make, open_policy: Open) -> None:
    engine = adapted(make_engine(0, max_new_tokens=8))
    its = make_engine(1)
    move(its)
    policy, _ = open_policy(engine, its)
    engine.temperature = 0.0  # as an evaluation may ask for
    talk(policy)
    engine.temperature = 1.0
    with pytest.raises(ConfigError, match="nats less or more likely"):
        talk(policy)


def test_a_model_of_two_names(make_engine: Make, tmp_path: Path) -> None:
    vllm = VLLM(make_engine(1), alias="other")
    with serving(vllm.app) as url:
        for name in ("", "served", "other"):
            policy = ServedPolicy(make_engine(0), VLLMServer(f"{url}/v1", name, retries=0), tmp_path)
            assert [each.error for each in talk(policy)] == [None] * 5
        with pytest.raises(ConfigError, match="serves no model 'third'; it serves: served, other"):
            ServedPolicy(make_engine(0), VLLMServer(f"{url}/v1", "third", retries=0), tmp_path)


def test_the_shorter_context_counts(make_engine: Make, open_policy: Open) -> None:
    policy, _ = open_policy(make_engine(0), make_engine(1), limit=60)
    assert policy.context_limit == 60
    longer, _ = open_policy(make_engine(0), make_engine(1), limit=10**6)
    assert longer.context_limit == longer.engine.context_limit


def test_what_a_server_does_not_do_is_refused(make_engine: Make, open_policy: Open) -> None:
    engine = make_engine(0)
    engine.narrow(stop=["x"])
    with pytest.raises(ConfigError, match="leave out top_p, top_k, stop"):
        open_policy(engine, make_engine(1))


def test_a_folder_that_cannot_be_written(make_engine: Make, open_policy: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    policy, _ = open_policy(make_engine(0), make_engine(1))
    policy.folder = tmp_path / "file" / "weights"
    with pytest.raises(DataError, match="could not be written"):
        talk(policy)
