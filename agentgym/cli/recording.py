"""`agentgym record`: a model behind OpenAI's chat completions, all of whose tokens are written down."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentgym.cli.serving import read_tokens
from agentgym.core import ConfigError, require

if TYPE_CHECKING:
    from agentgym.agents.engine import HuggingFaceEngine
    from agentgym.serve.metrics import Log
    from agentgym.serve.upstream import Upstream

UPSTREAM = "In place of a model of ours"


def record(
    out: Annotated[Path, typer.Option(help="Folder of the records.")],
    model: Annotated[
        str,
        typer.Option(
            help="smollm2, the folder of a run or of weights, a GGUF file or a hub id; with --upstream, its name there."
        ),
    ],
    upstream: Annotated[
        str, typer.Option(rich_help_panel=UPSTREAM, help="Base URL of a server that answers, such as vLLM's, with /v1.")
    ] = "",
    upstream_key_env: Annotated[
        str, typer.Option(rich_help_panel=UPSTREAM, help="Environment variable with the key for that server.")
    ] = "",
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond this machine it needs --tokens.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8001,
    tokens: Annotated[
        Path | None, typer.Option(help="File with a token a line, one for each client; by default nobody is asked.")
    ] = None,
    world: Annotated[str, typer.Option(help="Address of the server of worlds, which rewards are asked of.")] = "",
    world_token_env: Annotated[str, typer.Option(help="Environment variable with the token for that server.")] = "",
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Most tokens of an answer, where a client names none; by default 512.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="Such as cpu or cuda:1; by default CUDA if there is any.")] = None,
    sessions: Annotated[int, typer.Option(min=1, help="Sessions at once.")] = 1024,
    body: Annotated[int, typer.Option(min=1024, help="Bytes of a request.")] = 4 * 2**20,
) -> None:
    """Answer OpenAI's chat completions with a model, or pass on another server's, and keep every token for training."""
    for module in ("starlette", "uvicorn"):
        require(module, extra="serve", purpose="agentgym record")
    if upstream and (max_tokens is not None or device is not None):
        raise ConfigError("--max-tokens and --device are the upstream's own; leave them out with --upstream")
    if upstream_key_env and not upstream:
        raise ConfigError("--upstream-key-env has no effect without --upstream")
    if upstream_key_env and not os.environ.get(upstream_key_env):
        raise ConfigError(f"the environment variable {upstream_key_env} is not set; --upstream-key-env names it")
    from agentgym.serve.access import Access, require_tokens
    from agentgym.serve.metrics import Log
    from agentgym.serve.record_app import RecordServer, RecordSettings, make_record_app
    from agentgym.serve.run import listen

    allowed = read_tokens(tokens)
    require_tokens(host, Access(allowed))
    log = Log()
    if upstream:
        speaker: HuggingFaceEngine | Upstream = _relay(
            upstream, model, os.environ.get(upstream_key_env, "") if upstream_key_env else "", log
        )
    else:
        speaker = _local(model, 512 if max_tokens is None else max_tokens, device)
    token = os.environ.get(world_token_env, "") if world_token_env else ""
    settings = RecordSettings(out, Path(model).name or model, allowed, world, token, sessions, body=body)
    server = RecordServer(settings, speaker)
    listen(make_record_app(server), log, [settings.model], host, port, body, settings.patience)


def _relay(url: str, model: str, key: str, log: Log) -> Upstream:
    from agentgym.serve.upstream import NO_IDS, Upstream

    said = f"{NO_IDS}: its answers are recorded in words with log-probabilities, and cannot be learned from"
    return Upstream(url, model, key, tell=lambda: log.note("no_token_ids", why=said))


def _local(model: str, max_tokens: int, device: str | None) -> HuggingFaceEngine:
    for module in ("torch", "transformers"):
        require(module, extra="train", purpose="agentgym record")
    from agentgym.agents.hugging_face import CHECKPOINTS, SAVED, hugging_face_policy, run_policy

    folder = Path(model)
    if (folder / SAVED).is_file() or any(folder.glob(CHECKPOINTS)):
        engine = run_policy(path=model, device=device)
        engine.max_new_tokens = max_tokens
        return engine
    return hugging_face_policy(model=model, temperature=1.0, max_tokens=max_tokens, device=device)
