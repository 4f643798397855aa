"""Every snippet and command of the README and the manual runs as a reader runs it: from an empty folder.

Files are saved under their names, commands run as the console script, the Python of a page as one program; PYTHONPATH
is not set. The first command of each kind (`FIRST`) is a process of its own, all else a fork of one that has imported
what they share. What takes long is shortened (`LITTLE`) or left to `make test-full` (`SLOW`), what cannot run in a test
is listed with the reason (`LEFT_OUT`). What a page names in passing, in `code`, must exist.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from agentgym.cli import app
from agentgym.cli.training import read_overrides
from docs.generate import NOTE
from tests.agents.pretrained import need_smollm2
from tests.agents.server import ChatServer, completion
from tests.docs.reader import Reader

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent  # of this environment: python, agentgym
PAGES = ["README.md"]
PAGES += [
    str(path.relative_to(ROOT)) for room in ("docs", "docs/tutorials") for path in sorted((ROOT / room).glob("*.md"))
]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:\{# |# )(\w+\.(?:py|toml|jinja))(?: #\})?\n")
INDENTED = re.compile(r"^ {4,}(?:\w+=\S+ )*(?:agentgym|python|make|torchrun) .*$", re.MULTILINE)
TEST_FILE = re.compile(r"tests/[\w/]+\.py")
SPAN = re.compile(r"`((?:agentgym|python -m|make|torchrun) [^`]+)`")
TORCH = [f"docs/tutorials/{name}.md" for name in ("train_llm", "train_sb3", "add_a_method", "evaluate_local")]
LONG = {*TORCH}  # what takes minutes; the quick suite follows the other pages
LONG |= {"README.md", "docs/directions.md", "docs/wrappers.md"} | {
    f"docs/tutorials/{name}.md"
    for name in ("add_a_game", "ask_a_model", "evaluate_endpoint", "games", "read_results", "record", "serve", "suites")
}
ADDING = ("add_a_world", "add_a_game", "add_a_simultaneous_game", "add_tools")
PATIENCE = 300  # seconds for one command
URL = "http://localhost:8000/v1"

TINY = (
    '--model.tiny "{ layers = 1, width = 32, heads = 2, vocabulary = 400, context = 1024 }" '
    "--clone.episodes 24 --clone.batch 8 "
    "--rollout.groups 2 --rollout.group_size 2 --update.updates 2 --update.learning_rate 1e-3 --callback []"
)
OVERRIDES = read_overrides(shlex.split(TINY))
LITTLE: dict[str, dict[str, str]] = {  # what the pages take their time for, in little; each must stand on its page
    "README.md": {
        "--episodes 200 --trials 4 --seed 0": "--episodes 4 --trials 2 --workers 1 --out runs/eval/NAME",
        "--model my-model --split test": "--model my-model --split test --episodes 2 --max-turns 2 --workers 1",
        "--agents random,simple,strong": "--agents random,simple --deals 2",
        "--update.updates 40 --seed 1": f"--seed 1 {TINY}",
        "--world.id Household-v1": f"--world.id Household-v1 --rollout.horizon 2 {TINY}",
        "train grpo --model path/or/hub-id": f"train grpo {TINY}",
        "train kuhn_self_play": f"train kuhn_self_play --update.ref_sync_every 1 {TINY}",
        "train tic_tac_toe_self_play": (  # a small vocabulary has no token for a whole action
            f"train tic_tac_toe_self_play --model.max_new_tokens 4 --update.steps 2 --update.ref_sync_every 1 {TINY}"
        ),
        "--no-python agentgym train grpo": f"--no-python agentgym train grpo --out runs/two {TINY}",
    },
    "docs/worlds.md": {"--suite all --agent random": "FrozenLake-v0 --agent random --episodes 2 --workers 0"},
    "docs/tutorials/train_sb3.md": {
        "total_timesteps=100_000": "total_timesteps=256",
        "n_steps=128": "n_steps=16",
        "batch_size=256": "batch_size=64",
        "tasks = 100": "tasks = 3",
        "--episodes 100": "--episodes 3 --workers 1",
    },
    "docs/tutorials/train_llm.md": {
        "--out runs/grpo\n": f"--out runs/grpo {TINY}\n",
        "--rollout.group_size 8 --loss.high 0.28": f"--loss.high 0.28 {TINY}",
        "--episodes 50": "--episodes 2 --workers 1",
        "--rollout.groups 2 --rollout.horizon 4 --update.updates 2": (
            "--rollout.groups 2 --rollout.group_size 2 --rollout.horizon 1 --update.updates 1 --model.max_new_tokens 2"
        ),
        "--out runs/early": f"--out runs/early {TINY}",
        "--out runs/textcraft\n": f"--out runs/textcraft --rollout.horizon 2 {TINY}\n",
        "--out runs/sokoban\n": f"--out runs/sokoban --rollout.horizon 2 {TINY}\n",
        "--out runs/quick\n": f"--out runs/quick {TINY}\n",
        "--rollout.workers '{ processes = 16 }'\n": f"--rollout.workers '{{ processes = 2 }}' {TINY}\n",
        "craft.toml --out runs/craft\n": f"craft.toml --out runs/craft --rollout.horizon 2 {TINY}\n",
        'recipe_table("grpo", {"update.updates": 60, "seed": 1})': f'recipe_table("grpo", {OVERRIDES | {"seed": 1}})',
    },
    "docs/tutorials/evaluate_endpoint.md": {
        "--episodes 50": "--episodes 2 --workers 1",
        "--episodes 20 --": "--episodes 2 --",
        "--trials 4": "--trials 2 --workers 1",
        "episodes=20": "episodes=2",
    },
    "docs/tutorials/ask_a_model.md": {"--episodes 20": "--episodes 1 --max-turns 2"},
    "docs/tutorials/suites.md": {
        "--agent expert --out runs/smoke": "--agent expert --episodes 2 --workers 0 --out runs/smoke"
    },
    "docs/tutorials/evaluate_local.md": {"--max-tokens 64 --episodes 16": "--max-tokens 2 --episodes 2 --max-turns 1"},
    "docs/tutorials/games.md": {"--games 10": "--games 1", "--deals 10": "--deals 2", "--episodes 10": "--episodes 2"},
    "docs/tutorials/read_results.md": {
        "--episodes 40 --out runs/lake/random": "--episodes 4 --workers 1 --out runs/lake/random",
        "--episodes 40 --out runs/lake/expert": "--episodes 4 --workers 1 --out runs/lake/expert",
        "--episodes 20": "--episodes 4 --workers 1",
    },
    "docs/tutorials/add_a_method.md": {
        'table = recipe_table("grpo") |': f'table = recipe_table("grpo", {OVERRIDES}) |',
    },
    "docs/tutorials/add_a_world.md": {"--split test\n": "--split test --episodes 4 --workers 1\n"},
    "docs/tutorials/add_tools.md": {"--split test\n": "--split test --episodes 4 --workers 1\n"},
}
SLOW = (  # many processes, long prompts or several trainings: in `make test-full`
    "agentgym check",
    "agentgym train craft.toml",
    "agentgym train gigpo",
    "agentgym train grpo --out runs/early",
    "agentgym train grpo --out runs/firm",
    "agentgym train quick.toml",
    "agentgym train sokoban",
    "agentgym train grpo --model",
    "agentgym train kuhn_self_play",
    "agentgym eval sealed_bids:Tutorial/SealedBids-v0 --agent run:runs/bids",
    "agentgym train tic_tac_toe_self_play",
    "torchrun",
    "agentgym report runs/train",
)
LEFT_OUT = {  # command as it stands on a page: why no test runs it
    "make demo": "installs and trains for three minutes; tests/baselines/test_demo.py runs the demo in little",
    "make test": "this test is a part of it",
    "python -m agentgym.baselines.bridges.sb3.forms --fields 20 --steps 8000 --out runs/forms": (
        "trains for minutes in a browser; tests/baselines/test_bridges_forms.py trains on small forms"
    ),
    "agentgym ui": "serves until it is stopped; tests/ui/test_server.py starts it",
    "agentgym check mypackage:Mine/World-v0": "stands for a package of the reader's; add_a_world.md checks a real one",
    "agentgym eval WebShop-v1 --agent hf --model path/or/hub-id --split test": (
        "wants pretrained weights; tests/agents/test_hugging_face.py plays tiny ones"
    ),
    "agentgym eval FrozenLake-v0 --agent hf:smollm2": "the same stands on evaluate_local.md",
    "agentgym eval FrozenLake-v0 --agent hf --model Qwen/Qwen2.5-0.5B-Instruct --split test --episodes 50": (
        "wants downloaded weights; tests/agents/test_hugging_face.py plays tiny ones"
    ),
    "agentgym eval FrozenLake-v0 --agent hf --model path/to/model.gguf --split test --episodes 50": (
        "stands for a file of the reader's; tests/agents/test_weights.py plays one"
    ),
    "agentgym serve Wordle-v0 Todo-v0 --port 8123": "serves until it is ended; the program on its page starts it too",
    "agentgym record --model smollm2 --out records --port 8124": "serves until it is ended; its page starts it too",
    "agentgym train record_grpo --records.world http://127.0.0.1:8123 --world.id FrozenLake-v0": (
        "waits for clients of its own; tests/serve/test_recording_commands.py starts it and sends them"
    ),
    "agentgym record --upstream http://gpu:8000/v1 --model Qwen/Qwen2.5-7B-Instruct --out records": (
        "serves until it is ended; tests/serve/test_recording_commands.py starts it before a server of ours"
    ),
    "agentgym eval --suite all --agent hf --model smollm2 --out runs/smollm2": "takes hours, with every world there is",
    "agentgym reproduce gigpo_over_grpo --pilot --seeds 4": "an hour: eight trainings; see test_planning.py",
    "agentgym reproduce pass_at_k": "hours: ten trainings; tests/reproduce/test_reproduce.py runs one in little",
    "OMP_NUM_THREADS=1 python tests/benchmarks/bench_generation.py": (
        "wants a checkout and measures for minutes; no test runs it: its figures are those of the day it ran"
    ),
    "agentgym train craft.toml --model Qwen/Qwen2.5-7B-Instruct --out runs/qwen": "wants a GPU and downloaded weights",
    (
        "agentgym train training_free_grpo --model Qwen/Qwen2.5-7B-Instruct --artifact.editor.agent "
        "hf:Qwen/Qwen2.5-7B-Instruct"
    ): "wants a GPU and downloaded weights; tests/train/test_proofs.py runs it with models behind a server",
    (
        "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve Qwen/Qwen2.5-7B-Instruct --enable-lora --max-lora-rank 16 "
        "--max-loras 2 --logprobs-mode processed_logprobs --generation-config vllm"
    ): "wants vLLM and a GPU; tests/agents/vllm_server.py answers in its place",
    (
        "agentgym train craft.toml --model Qwen/Qwen2.5-7B-Instruct --model.lora 16 --rollout.engine "
        "\"{ name = 'vllm', base_url = 'http://gpu:8000/v1', folder = '/shared/weights' }\" --out runs/served"
    ): "wants that server; tests/train/test_served.py trains against one of ours",
    (
        "agentgym train craft.toml --model Qwen/Qwen2.5-1.5B-Instruct --rollout.engine "
        "\"{ name = 'ray', actors = 8, gpus = 1 }\" --rollout.max_staleness 1 --out runs/cluster"
    ): "wants eight GPUs; tests/agents/test_ray_policy.py trains on a cluster of processes",
}


@dataclass(frozen=True)
class Page:
    """What a page lets its reader do: files by name, Python in its order, commands with their shortened forms."""

    name: str
    files: Mapping[str, str]
    python: str
    commands: tuple[tuple[str, str], ...]


def commands_of(text: str) -> list[str]:
    """The commands of the console blocks, without prompt and comment, in their order."""
    lines = [line for language, code in FENCE.findall(text) if language == "console" for line in code.splitlines()]
    assert all(line.startswith("$ ") for line in lines), "commands of a console block begin with `$ `"
    return [line.removeprefix("$ ").partition("  #")[0].strip() for line in lines]


def read(name: str, replaced: Mapping[str, str] | None = None) -> Page:
    """A page, with what takes long in little.

    Args:
        name: Its path in the project.
        replaced: Further texts to replace.
    """
    text = (ROOT / name).read_text(encoding="utf8")
    asked = commands_of(text)
    for long, short in {**LITTLE.get(name, {}), **(replaced or {})}.items():
        assert long in text, f"{name} no longer says {long!r}"
        text = text.replace(long, short)
    files, python = {}, []
    for language, code in FENCE.findall(text):
        if named := FILE.match(code):
            files[named[1]] = code
        elif language == "python":
            python.append(code)
    return Page(name, files, "\n".join(python), tuple(zip(asked, commands_of(text), strict=True)))


def kind(command: str) -> str:
    """What is claimed when a command is started for the first time: `agentgym eval`, `torchrun`."""
    return " ".join(command.split()[: 2 if command.startswith("agentgym") else 1])


def firsts() -> set[tuple[str, str]]:
    """Page and command of the first of each kind that a test runs, slow or not: a process of its own."""
    found: dict[tuple[str, bool], tuple[str, str]] = {}
    for name in PAGES:
        for command in commands_of((ROOT / name).read_text(encoding="utf8")):
            if command not in LEFT_OUT:
                found.setdefault((kind(command), command.startswith(SLOW)), (name, command))
    return set(found.values())


FIRST = firsts()


def start(folder: Path, *command: str) -> None:
    """Start a program of this environment in the folder; it must end well and is given no input."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = f"{PROGRAMS}{os.pathsep}{environment['PATH']}"  # as where it is activated
    done = subprocess.run(
        [str(PROGRAMS / command[0]), *command[1:]],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with Reader(tmp_path_factory.mktemp("reader")) as process:
        yield process


def follow(page: Page, folder: Path, slow: bool, reader: Reader) -> int:
    """Do what a page says: save its files, run its Python, then its commands.

    Args:
        page: See `read`.
        folder: An empty one.
        slow: Whether the slow commands run; otherwise the others.
        reader: Starts all but the first of each kind.

    Returns:
        How many commands and programs ran.
    """
    for name, text in page.files.items():
        (folder / name).write_text(text, encoding="utf8")
    imported = ["agentgym.cli", "agentgym.evaluate", *(["agentgym.train"] if slow or page.name in TORCH else [])]
    imported += ["openai"] * any(" endpoint " in command for command, _ in page.commands)

    def fork(*command: str) -> None:
        status, said = reader.start(folder, command, imported, PATIENCE)
        assert status == 0, f"{shlex.join(command)}\n{said}"

    ran = 0
    if page.python and not slow:
        (folder / "page.py").write_text(page.python, encoding="utf8")
        if page.name == PAGES[0]:
            start(folder, "python", "page.py")
        else:
            fork("page.py")
        ran += 1
    for asked, shortened in page.commands:
        if asked in LEFT_OUT or asked.startswith(SLOW) != slow:
            continue
        program, *words = shlex.split(shortened)
        if (page.name, asked) in FIRST or program != "agentgym":
            start(folder, program, *words)
        else:
            fork(str(PROGRAMS / program), *words)
        ran += 1
    return ran


def skip_without_libraries(name: str) -> None:
    if name in (PAGES[0], *TORCH):
        pytest.importorskip("torch", reason="the extra train is not installed")
    if "evaluate_local" in name:
        need_smollm2()
    if "sb3" in name:
        pytest.importorskip("sb3_contrib", reason="the extra sb3 is not installed")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=[pytest.mark.full] * (name in LONG) + [pytest.mark.xdist_group("torch")] * (name in TORCH)
        )
        for name in PAGES
        if (page := read(name)).python or page.commands
    ],
)
def test_a_page_does_what_it_says(name: str, tmp_path: Path, reader: Reader) -> None:
    skip_without_libraries(name)
    with ChatServer(lambda number, request: completion("inventory")) as server:
        asks = URL in (ROOT / name).read_text(encoding="utf8")
        assert follow(read(name, {URL: server.base_url} if asks else {}), tmp_path, False, reader) >= 1
        assert bool(server.requests) == asks
    if name.endswith("evaluate_endpoint.md"):
        lines = (tmp_path / "runs/craft/episodes.jsonl").read_text().splitlines()
        assert [json.loads(line)["turns"][0]["action"] for line in lines] == ["inventory"] * 2


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    ["README.md", *(f"docs/tutorials/{page}.md" for page in (*ADDING, "train_llm"))],
)
def test_a_page_does_what_it_says_slowly(name: str, tmp_path: Path, reader: Reader) -> None:
    skip_without_libraries(name)
    assert follow(read(name), tmp_path, True, reader) >= 1


def test_slow_commands_have_their_test() -> None:
    slow = {name for name in PAGES for command, _ in read(name).commands if command.startswith(SLOW)}
    assert slow == {
        "README.md",
        *(f"docs/tutorials/{page}.md" for page in ADDING),
        "docs/tutorials/train_llm.md",
    }


def test_what_is_left_out_stands_on_a_page() -> None:
    stand = {command for name in PAGES for command in commands_of((ROOT / name).read_text(encoding="utf8"))}
    assert set(LEFT_OUT) <= stand
    assert all(len(reason.split()) > 3 for reason in LEFT_OUT.values())
    named = {file for reason in LEFT_OUT.values() for file in TEST_FILE.findall(reason)}
    assert named
    assert {file for file in named if not (ROOT / file).exists()} == set()


def test_every_command_stands_in_a_block_that_is_read() -> None:
    for name in PAGES:
        text = FENCE.sub("", (ROOT / name).read_text(encoding="utf8"))
        assert INDENTED.findall(text) == [], f"{name}: put it into a console block"


def test_the_first_of_each_kind_is_a_process_of_its_own() -> None:
    kinds = {kind(command) for _, command in FIRST}
    assert {"agentgym eval", "agentgym play", "agentgym train", "agentgym check", "torchrun"} <= kinds
    assert len({command for _, command in FIRST}) < sum(len(read(name).commands) for name in PAGES) / 2


# What is named in passing


def spans() -> Iterator[tuple[str, list[str]]]:
    """Page and words of each command in `code` within a sentence or a table."""
    for name in PAGES:
        text = FENCE.sub("", (ROOT / name).read_text(encoding="utf8"))
        for span in SPAN.findall(text):
            yield name, shlex.split(span.replace("\\|", "|"))


def known_options(command: str) -> set[str]:
    """The options of a command of `agentgym`."""
    found: Any = get_command(app)
    return {option for parameter in found.commands[command].params for option in (*parameter.opts, "--help")}


def test_commands_named_in_passing_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf8"), re.MULTILINE))
    commands: Any = get_command(app)
    seen = set()
    for page, (program, *words) in spans():
        where = f"{page}: {program} {shlex.join(words)}"
        if program == "agentgym":
            assert words[0] in commands.commands, where
            given = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert words[0] == "train" or given <= known_options(words[0]), where
        elif program == "make":
            assert words[0] in targets, where
        elif program == "python":
            assert find_spec(words[1]) is not None, where
        seen.add(program)
    assert {"agentgym", "make", "python"} <= seen


def test_pages_are_found() -> None:
    assert len(PAGES) == 36


def test_links_lead_somewhere_or_the_page_says_what_is_missing() -> None:
    """A page that does not read as it stands in the repository says so below its title."""
    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf8")
        links = re.findall(r"\]\((?!https?:|#)([^)\s]+)\)", FENCE.sub("", text))
        missing = [link for link in links if not ((ROOT / name).parent / link.partition("#")[0]).exists()]
        incomplete = bool(missing or re.search(r"<!-- \w+ -->", text))
        assert (f"\n\n{NOTE}" in text) == incomplete, f"{name}: {missing}"
