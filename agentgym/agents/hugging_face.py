"""Local models: pretrained ones, and what a training run has learned."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym.agents.chat import chat_prompt
from agentgym.agents.constraint import AdmissibleOnly
from agentgym.core import ConfigError, DataError, require
from agentgym.core.files import LOG, MANIFEST, check_whole, read_object, write_whole

if TYPE_CHECKING:
    from agentgym.agents.engine import HuggingFaceEngine

HOME = "world.json"
CHECKPOINTS, CLONED, SAVED, STATE = "checkpoint-*", "cloned", "engine.json", "state.pt"


def hugging_face_policy(
    *,
    model: str,
    temperature: float = 0.0,
    max_tokens: int = 512,
    window: int | None = None,
    system: str = "",
    prompt: str = "",
    max_prompt_tokens: int | None = None,
    tools: bool = False,
    device: str | None = None,
    adapter: str | None = None,
    only_admissible: bool = False,
    keep_tokens: bool = False,
    concurrency: int = 16,
    top_p: float | None = None,
    top_k: int | None = None,
    stop: Sequence[str] = (),
) -> HuggingFaceEngine:
    """The agent `hf`: a pretrained chat model that is shown the manual and ends its answer with its action.

    Args:
        model: `smollm2` (SmolLM2-135M-Instruct, from a package), or a folder, a GGUF file or a hub id with weights,
            tokenizer and chat template.
        temperature: Of sampling; 0 takes the likeliest token each time.
        max_tokens: Most tokens of one answer.
        window: Earlier turns that are shown; None for all.
        system: Words with which the system message begins, or all of it where there is a prompt.
        prompt: A Jinja template of what is shown in a turn, in place of a conversation; see `agentgym.agents.template`.
        max_prompt_tokens: Most tokens that are shown in a turn; the oldest turns are left out first. None for no limit
            but the model's own.
        tools: Whether the chat template tells the model of the world's tools, for it to call them as it was taught.
        device: Such as `cpu` or `cuda:1`; None takes CUDA if there is any.
        adapter: A folder with low-rank adapters as `peft` writes them; None for none.
        only_admissible: Whether its answer is one of the actions that the world lists, token by token.
        keep_tokens: Whether the record of an episode holds the ids of all that was read and said, with their
            log-probabilities, for `agentgym export`.
        concurrency: Episodes that are played in one batch. More are faster and take memory for what each has read; the
            runner reads it, and in other batches rounding differs.
        top_p, top_k: Of sampling: only the likeliest tokens, up to a share or a number of them; None for all.
        stop: Texts at each of which an answer ends; it is heard without them.

    Raises:
        DataError: if there is no such model, or the adapter is of another one.
        ConfigError: if its tokenizer has no chat template, or one without tools where they are asked for, an argument
            is out of range, or the prompt is no template.
        MissingExtra: if torch, transformers, or what the weights come from is not installed.
    """
    if temperature < 0:
        raise ConfigError(f"temperature must not be negative, got {temperature}")
    if max_tokens < 1:
        raise ConfigError(f"max_tokens must be at least 1, got {max_tokens}")
    if concurrency < 1:
        raise ConfigError(f"concurrency must be at least 1, got {concurrency}")
    asked = chat_prompt(window, system, prompt, max_prompt_tokens)
    pretrained = _pretrained("the hf agent")
    engine: HuggingFaceEngine = pretrained.load_pretrained(
        model, max_tokens, "auto", device=device, temperature=temperature, prompt=asked, adapter=adapter, calls=tools
    )
    room = engine.context_limit - max_tokens
    if max_prompt_tokens is not None and max_prompt_tokens > room:
        raise ConfigError(
            f"max_prompt_tokens is {max_prompt_tokens}, but of the context of {engine.context_limit} an answer of "
            f"{max_tokens} leaves {room}; ask for fewer"
        )
    if only_admissible:
        engine.constraint = AdmissibleOnly(engine)
    engine.keep_tokens = keep_tokens
    engine.narrow(top_p, top_k, stop)
    return engine


def run_policy(
    *,
    path: str,
    temperature: float | None = None,
    device: str | None = None,
    only_admissible: bool = False,
    keep_tokens: bool = False,
    top_p: float | None = None,
    top_k: int | None = None,
    stop: Sequence[str] = (),
) -> HuggingFaceEngine:
    """The agent `run:PATH`: what a training run has learned, asked as it was asked in training.

    Args:
        path: The folder of a run, whose newest checkpoint is taken, or a folder with a saved engine.
        temperature: Of sampling; None for that of training.
        device: Such as `cpu` or `cuda:1`; None takes CUDA if there is any.
        only_admissible: Whether its answer is one of the actions that the world lists, token by token.
        keep_tokens, top_p, top_k, stop: As of `hugging_face_policy`.

    Raises:
        DataError: if there is no such run, or it has saved nothing.
        ConfigError: if an argument is out of range.
        MissingExtra: if torch or transformers is not installed.
    """
    folder = saved_engine(path)
    pretrained = _pretrained("the agent of a run")
    engine: HuggingFaceEngine = pretrained.load_engine(folder, device)
    if temperature is not None:
        if temperature < 0:
            raise ConfigError(f"temperature must not be negative, got {temperature}")
        engine.temperature = temperature
    if only_admissible:
        engine.constraint = AdmissibleOnly(engine)
    engine.keep_tokens = keep_tokens
    engine.narrow(top_p, top_k, stop)
    return engine


def saved_engine(path: str | Path) -> Path:
    """The newest engine that a run has saved and that is whole.

    Args:
        path: The folder of the run, or of the engine itself.

    Raises:
        DataError: if there is none.
    """
    folder = Path(path)
    if (folder / SAVED).is_file() and not (folder / MANIFEST).exists():
        return folder  # an engine that was written outside of a run, without checksums
    found = [folder] if (folder / SAVED).is_file() else [*sorted(folder.glob(CHECKPOINTS))[::-1], folder / CLONED]
    damage = ""
    for candidate in found:
        if candidate.is_dir():
            try:
                check_whole(candidate, without={STATE})  # what training goes on from, and no part of the policy
                return candidate
            except DataError as error:
                damage = damage or str(error)
                LOG.warning("%s cannot be played: %s", candidate, error)
    raise DataError(damage or f"{folder} holds no run that has saved a policy; check the path")


@dataclass(frozen=True)
class Home:
    """Where a run was trained.

    Attributes:
        id: Of the environment; "" if it is not known.
        options: Its constructor arguments, `split` left out.
        wrappers: Tables of the wrappers around it, by `name`, the first innermost.
    """

    id: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    wrappers: tuple[Mapping[str, Any], ...] = ()

    def write(self, run: Path) -> None:
        """Keep it in the folder of a run."""
        record = {"id": self.id, "options": dict(self.options), "wrappers": [dict(table) for table in self.wrappers]}
        text, file = json.dumps(record, indent=1), run / HOME
        if not file.is_file() or file.read_bytes() != text.encode():  # a run that is taken up again says the same
            write_whole(file, text)


def run_home(path: str | Path) -> Home:
    """Where a run was trained, as its folder says; an empty one for a folder that holds an engine alone.

    Args:
        path: The folder of the run, or of an engine within it.
    """
    for folder in (Path(path), Path(path).parent):
        if (folder / HOME).is_file():
            record = read_object(folder / HOME)
            try:
                return Home(record["id"], record["options"], tuple(record["wrappers"]))
            except (KeyError, TypeError) as error:
                raise DataError(f"{folder / HOME} says nothing of a world ({error})") from None
    return Home()


def _pretrained(purpose: str) -> Any:
    """The module that needs the extra, imported when a model is."""
    for package in ("torch", "transformers"):
        require(package, extra="train", purpose=purpose)
    from agentgym.agents import pretrained

    return pretrained
