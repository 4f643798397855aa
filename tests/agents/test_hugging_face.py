"""Local models: a small random decoder with a tokenizer trained here, saved and loaded like any other."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import pytest

import agentgym  # noqa: F401
from agentgym.agents import AgentFailure, HuggingFaceModel, agent_rng, make_agent
from agentgym.core import ConfigError

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
transformers = pytest.importorskip("transformers", reason="the extra `train` is not installed")

CONTEXT = 256
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
TALK = [{"role": "system", "content": "walk"}, {"role": "user", "content": "where to?"}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama with 2 layers of width 32 and a byte-level tokenizer, saved."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    path = tmp_path_factory.mktemp("model")
    specials = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        ["left right up down"], trainers.BpeTrainer(special_tokens=specials, initial_alphabet=alphabet, vocab_size=300)
    )
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>")
    fast.chat_template = TEMPLATE
    fast.save_pretrained(path)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = transformers.LlamaConfig(
            vocab_size=len(fast), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            max_position_embeddings=CONTEXT, eos_token_id=fast.eos_token_id, bos_token_id=None,
        )  # fmt: skip
        transformers.LlamaForCausalLM(config).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def greedy(folder: Path) -> HuggingFaceModel:
    return HuggingFaceModel(str(folder), device="cpu")


def test_greedy_answers_are_those_of_transformers(folder: Path, greedy: HuggingFaceModel) -> None:
    """The own loop with its cache against the library's generation."""
    reply = greedy.complete(TALK, max_tokens=20)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    ids = tokenizer.apply_chat_template(TALK, add_generation_prompt=True, return_tensors="pt", return_dict=True)
    out = model.generate(**ids, max_new_tokens=20, do_sample=False)[0, ids["input_ids"].shape[1] :]
    assert reply.text == tokenizer.decode(out, skip_special_tokens=True)
    assert reply.prompt_tokens == ids["input_ids"].shape[1]
    assert reply.completion_tokens == len(out)
    assert reply.cost == 0


def test_samples_follow_their_own_seed(folder: Path) -> None:
    model = HuggingFaceModel(str(folder), temperature=1.0, device="cpu")
    torch.manual_seed(1)
    state = torch.get_rng_state()
    one = model.complete(TALK, seed=5, max_tokens=12)
    assert torch.equal(torch.get_rng_state(), state), "nobody else's random numbers are used"
    torch.manual_seed(2)
    assert model.complete(TALK, seed=5, max_tokens=12) == one
    assert model.complete(TALK, seed=6, max_tokens=12) != one


def test_samples_have_the_distribution_of_the_model(folder: Path) -> None:
    """First tokens of 400 samples at a low temperature against the softmax of the scaled logits."""
    model = HuggingFaceModel(str(folder), temperature=0.05, device="cpu")
    ids = model._encode(TALK)
    with torch.inference_mode():
        chances = torch.softmax(model._model(ids).logits[0, -1].float() / 0.05, -1)
    drawn = [model._generate(ids, 1, seed)[0] for seed in range(400)]
    likeliest = int(chances.argmax())
    share, expected = drawn.count(likeliest) / 400, float(chances[likeliest])
    assert 0.05 < expected < 0.95, "the test could not fail otherwise"
    assert abs(share - expected) < 4 * (expected * (1 - expected) / 400) ** 0.5


def test_an_answer_ends_at_the_end_token(greedy: HuggingFaceModel) -> None:
    ids = greedy._encode(TALK)
    first = greedy._generate(ids, 5, seed=0)
    try:
        greedy._stops = frozenset({first[2]})
        written = greedy._generate(ids, 5, seed=0)
        assert written == first[: first.index(first[2]) + 1]
        reply = greedy.complete(TALK, max_tokens=5)
        assert reply.completion_tokens == len(written)
    finally:
        greedy._stops = greedy._stop_ids()


def test_the_context_is_a_limit(greedy: HuggingFaceModel) -> None:
    long = [{"role": "user", "content": "x" * (CONTEXT - 10)}]
    reply = greedy.complete(long, max_tokens=500)
    assert reply.prompt_tokens + reply.completion_tokens <= CONTEXT
    with pytest.raises(AgentFailure, match=f"the model reads {CONTEXT}; show fewer turns with window"):
        greedy.complete([{"role": "user", "content": "x" * CONTEXT}])


def test_it_plays(folder: Path) -> None:
    env = gym.make("agentgym:AgentGym/FrozenLake-v0", max_turns=2)
    agent = make_agent("hf", model=str(folder), max_tokens=4, window=0, device="cpu")
    observation, info = env.reset(seed=0)
    agent.begin(env, observation, info, agent_rng(0))
    with pytest.raises(AgentFailure):  # the manual alone is longer than this model's context
        agent.act(observation, info)
    assert agent.reply is None


def test_models_that_cannot_be_used(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no model folder") as caught:
        make_agent("hf", model=str(tmp_path))
    assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match="cannot be had from the hub"):
        make_agent("hf", model="nobody/no-such-model")
    with pytest.raises(ConfigError, match="device"):
        make_agent("hf", model=str(folder), device="abacus")
    with pytest.raises(ConfigError, match="temperature"):
        make_agent("hf", model=str(folder), temperature=-1.0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = None
    tokenizer.save_pretrained(tmp_path)
    transformers.AutoModelForCausalLM.from_pretrained(folder).save_pretrained(tmp_path)
    (tmp_path / "chat_template.jinja").unlink(missing_ok=True)
    with pytest.raises(ConfigError, match="has no chat template; use an instruction-tuned model"):
        make_agent("hf", model=str(tmp_path))


def test_a_template_that_refuses(folder: Path) -> None:
    model = HuggingFaceModel(str(folder), device="cpu")
    model._tokenizer.chat_template = "{{ raise_exception('no system message, please') }}"
    with pytest.raises(ConfigError, match="no system message, please"):
        model.complete(TALK)
