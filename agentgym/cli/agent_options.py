"""The options of agents, which every command that plays has: who a model is, how it is asked, what it may cost."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentgym.core import AgentGymError, ConfigError
from agentgym.core.json_text import read_json

if TYPE_CHECKING:
    from agentgym.evaluate import Agent

PANEL = "Model agents (endpoint, hf)"
ASKED = "How models are asked"

Model = Annotated[
    str | None,
    typer.Option(rich_help_panel=PANEL, help="Name on the server; for hf smollm2, a folder, a GGUF file or a hub id."),
]
BaseUrl = Annotated[str | None, typer.Option(rich_help_panel=PANEL, help="Such as http://localhost:8000/v1.")]
ApiKeyEnv = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=PANEL,
        help="Environment variable with the key for this server; OPENAI_API_KEY is sent to OpenAI alone.",
    ),
]
Temperature = Annotated[float | None, typer.Option(min=0, rich_help_panel=PANEL, help="Sampling temperature.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, rich_help_panel=PANEL, help="Most tokens of one answer.")]
Window = Annotated[
    int | None,
    typer.Option(min=0, rich_help_panel=PANEL, help="Turns of history shown besides the first; all by default."),
]
Timeout = Annotated[
    float | None, typer.Option(rich_help_panel=PANEL, help="Seconds from a question to the end of its answer.")
]
Retries = Annotated[int | None, typer.Option(min=0, rich_help_panel=PANEL, help="Tries after the first.")]
PriceIn = Annotated[float | None, typer.Option(min=0, rich_help_panel=PANEL, help="Dollars per million tokens read.")]
PriceOut = Annotated[
    float | None, typer.Option(min=0, rich_help_panel=PANEL, help="Dollars per million tokens written.")
]
Prices = Annotated[
    str | None, typer.Option(rich_help_panel=PANEL, help="TOML file with a table of prices for each model.")
]
TopP = Annotated[float | None, typer.Option(rich_help_panel=PANEL, help="Nucleus of sampling, at most 1.")]
TopK = Annotated[
    int | None,
    typer.Option(min=1, rich_help_panel=PANEL, help="For hf and run: how many of the likeliest tokens may be said."),
]
Stop = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", rich_help_panel=PANEL, help="For hf and run: an answer ends here; repeatable."),
]
ExtraBody = Annotated[
    str | None, typer.Option(rich_help_panel=PANEL, help="JSON object of further parameters of each question.")
]
Drop = Annotated[
    list[str] | None, typer.Option(rich_help_panel=PANEL, help="A parameter not to send: seed or max_tokens.")
]
LimitName = Annotated[
    str | None,
    typer.Option(rich_help_panel=PANEL, help="What the server calls the limit: max_tokens or max_completion_tokens."),
]
Tools = Annotated[
    bool | None,
    typer.Option("--tools", rich_help_panel=PANEL, help="Offer the world's tools; the model calls them natively."),
]
KeepThinking = Annotated[
    bool | None,
    typer.Option("--keep-thinking", rich_help_panel=PANEL, help="Show the model its earlier thoughts as well."),
]
Concurrency = Annotated[
    int | None,
    typer.Option(min=1, rich_help_panel=PANEL, help="Conversations under way at once; by default 8, for hf 16."),
]
MaxCost = Annotated[
    float | None, typer.Option(rich_help_panel=PANEL, help="Dollars after which the run stops, to be continued.")
]
MaxTotalTokens = Annotated[
    int | None, typer.Option(rich_help_panel=PANEL, help="Tokens after which the run stops, to be continued.")
]
Device = Annotated[str | None, typer.Option(rich_help_panel=PANEL, help="Such as cpu or cuda:1.")]
Adapter = Annotated[
    str | None,
    typer.Option(rich_help_panel=PANEL, help="For hf: a folder with low-rank adapters, as peft writes them."),
]
OnlyAdmissible = Annotated[
    bool | None,
    typer.Option(
        "--only-admissible",
        rich_help_panel=ASKED,
        help="For hf and run: the answer is one of the actions that the world lists, token by token.",
    ),
]

KeepTokens = Annotated[
    bool | None,
    typer.Option(
        "--keep-tokens",
        rich_help_panel=PANEL,
        help="For hf and run: records hold the ids of what was read and said, for agentgym export.",
    ),
]

Wrap = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[=JSON]",
        rich_help_panel=ASKED,
        help='Wrapper to play through, the innermost first, such as ReAct or History={"turns": 4}; repeatable.',
    ),
]
Prompt = Annotated[
    Path | None,
    typer.Option(metavar="FILE", rich_help_panel=ASKED, help="Jinja template of what is shown in each turn."),
]
System = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT|@FILE",
        rich_help_panel=ASKED,
        help="Words before the manual in the system message; with --prompt, all of that message.",
    ),
]
Shots = Annotated[
    int | None,
    typer.Option(min=1, rich_help_panel=ASKED, help="Episodes of the expert on tasks of train that are shown first."),
]
Pictures = Annotated[
    bool | None, typer.Option("--pictures", rich_help_panel=ASKED, help="Show an endpoint what the world draws.")
]
MaxPromptTokens = Annotated[
    int | None,
    typer.Option(
        min=1, rich_help_panel=ASKED, help="Most tokens that are shown in a turn; the oldest turns are left out first."
    ),
]

OPTIONS: dict[str, Any] = {
    "model": Model,
    "base_url": BaseUrl,
    "api_key_env": ApiKeyEnv,
    "temperature": Temperature,
    "max_tokens": MaxTokens,
    "window": Window,
    "timeout": Timeout,
    "retries": Retries,
    "price_in": PriceIn,
    "price_out": PriceOut,
    "prices": Prices,
    "top_p": TopP,
    "top_k": TopK,
    "stop": Stop,
    "extra_body": ExtraBody,
    "drop": Drop,
    "limit_name": LimitName,
    "tools": Tools,
    "keep_thinking": KeepThinking,
    "concurrency": Concurrency,
    "max_cost": MaxCost,
    "max_total_tokens": MaxTotalTokens,
    "device": Device,
    "adapter": Adapter,
    "only_admissible": OnlyAdmissible,
    "keep_tokens": KeepTokens,
    "wrap": Wrap,
    "prompt": Prompt,
    "system": System,
    "shots": Shots,
    "pictures": Pictures,
    "max_prompt_tokens": MaxPromptTokens,
}
BESIDE = ("wrap", "shots")  # what is told to whoever plays the agent, and not to the agent


def with_agents(command: Callable[..., int]) -> Callable[..., int]:
    """A command that takes the options of agents beside its own, which it reads from its context.

    Args:
        command: Its first parameter is the context.
    """
    own = inspect.signature(command, eval_str=True).parameters
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in OPTIONS.items()
    ]

    @functools.wraps(command)
    def run(**given: Any) -> int:
        return command(**{name: value for name, value in given.items() if name in own})

    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own.values()]
    run.__signature__ = inspect.Signature([*parameters, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*parameters, *shared)}
    del run.__wrapped__
    return run


def asking(context: typer.Context) -> dict[str, Any]:
    """What the caller said of agents: `agent_options`, `wrap` and `shots`, as `evaluate` and `match` take them.

    Raises:
        ConfigError: if a file cannot be read, or holds something else than it should.
    """
    wrap, shots = (context.params.get(name) for name in BESIDE)
    return {"agent_options": agent_options(context), "wrap": list(wrap or ()), "shots": shots or 0}


def agent_options(context: typer.Context) -> dict[str, Any]:
    """The options that the agent itself is made with.

    Raises:
        ConfigError: as `asking`.
    """
    given = {name: context.params.get(name) for name in OPTIONS if name not in BESIDE}
    given |= {name: list(given[name] or ()) for name in ("drop", "stop")}
    options = {name: value for name, value in given.items() if value is not None and value != []}
    if "extra_body" in options:
        try:
            options["extra_body"] = read_json(options["extra_body"])
        except ValueError as error:
            raise ConfigError(f"--extra-body must be a JSON object: {error}") from None
    return _with_files(options)


def agent_said(said: str) -> str | Agent:
    """An agent as a caller names it: `NAME`, or `NAME {"option": value, ...}` with options of its own.

    Its own options come before those of the command line, which go to every agent; `wrap` is a list, and `prompt` names
    a file, as there.

    Args:
        said: The words.

    Raises:
        ConfigError: if what follows the name is no JSON object, or holds something else than it should.
    """
    from agentgym.evaluate import Agent

    name, brace, rest = said.partition(" {")
    if not brace:
        return said
    try:
        own = read_json("{" + rest)
    except ValueError as error:
        raise ConfigError(f"what follows {name!r} must be a JSON object of its options: {error}") from None
    wrap, shots = own.get("wrap", []), own.get("shots", 0)
    if not isinstance(wrap, list) or not all(isinstance(each, (str, dict)) for each in wrap):
        raise ConfigError(f"wrap of {name!r} must be a list of wrappers, got {wrap!r}")
    if type(shots) is not int or shots < 0:
        raise ConfigError(f"shots of {name!r} must be a whole number of at least 0, got {shots!r}")
    for option in ("system", "prompt"):
        if not isinstance(own.get(option, ""), str):
            raise ConfigError(f"{option} of {name!r} must be a text, got {own[option]!r}")
    return Agent.said(name.strip(), _with_files(own))


def agents_said(words: Sequence[str]) -> list[str | Agent]:
    """Agents from words of one or of several with commas between them; one with options of its own stands alone.

    Args:
        words: What was said.
    """
    found: list[str | Agent] = []
    for each in words:
        found += [agent_said(each)] if " {" in each else [name for name in each.split(",") if name]
    return found


def _with_files(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with the texts of the files that they name."""
    read = dict(options)
    if read.get("system", "").startswith("@"):
        read["system"] = _read("--system", Path(read["system"][1:]))
    if "prompt" in read:
        read["prompt"] = _template(Path(read["prompt"]))
    return read


def _template(file: Path) -> str:
    from agentgym.agents.template import used_variables

    text = _read("--prompt", file)
    try:
        used_variables(text)
    except AgentGymError as error:
        raise type(error)(f"{file}: {error}") from None
    return text


def _read(option: str, file: Path) -> str:
    try:
        text = file.read_text(encoding="utf8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise ConfigError(f"{option} {file} cannot be read ({reason}); give a file of text") from None
    if not text.strip():
        raise ConfigError(f"{option} {file} is empty; give a file of text")
    return text
