"""`agentgym record`: a model behind OpenAI's chat completions, all of whose tokens are written down."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from agentgym.cli.serving import read_tokens
from agentgym.core import require


def record(
    model: Annotated[str, typer.Option(help="smollm2, the folder of a run or of weights, a GGUF file or a hub id.")],
    out: Annotated[Path, typer.Option(help="Folder of the records.")],
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond this machine it needs --tokens.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8001,
    tokens: Annotated[
        Path | None, typer.Option(help="File with a token a line, one for each client; by default nobody is asked.")
    ] = None,
    world: Annotated[str, typer.Option(help="Address of the server of worlds, which rewards are asked of.")] = "",
    world_token_env: Annotated[str, typer.Option(help="Environment variable with the token for that server.")] = "",
    max_tokens: Annotated[int, typer.Option(min=1, help="Most tokens of an answer, where a client names none.")] = 512,
    device: Annotated[str | None, typer.Option(help="Such as cpu or cuda:1; by default CUDA if there is any.")] = None,
    sessions: Annotated[int, typer.Option(min=1, help="Sessions at once.")] = 1024,
    body: Annotated[int, typer.Option(min=1024, help="Bytes of a request.")] = 4 * 2**20,
) -> None:
    """Answer OpenAI's chat completions with a model, and keep every token for training."""
    for module in ("starlette", "uvicorn"):
        require(module, extra="serve", purpose="agentgym record")
    for module in ("torch", "transformers"):
        require(module, extra="train", purpose="agentgym record")
    from agentgym.agents.hugging_face import CHECKPOINTS, SAVED, hugging_face_policy, run_policy
    from agentgym.serve.access import Access, require_tokens
    from agentgym.serve.metrics import Log
    from agentgym.serve.record_app import RecordServer, RecordSettings, make_record_app
    from agentgym.serve.run import listen

    allowed = read_tokens(tokens)
    require_tokens(host, Access(allowed))
    folder = Path(model)
    if (folder / SAVED).is_file() or any(folder.glob(CHECKPOINTS)):
        engine = run_policy(path=model, device=device)
        engine.max_new_tokens = max_tokens
    else:
        engine = hugging_face_policy(model=model, temperature=1.0, max_tokens=max_tokens, device=device)
    token = os.environ.get(world_token_env, "") if world_token_env else ""
    settings = RecordSettings(out, folder.name or model, allowed, world, token, sessions, body=body)
    server = RecordServer(settings, engine)
    listen(make_record_app(server), Log(), [settings.model], host, port, body)
