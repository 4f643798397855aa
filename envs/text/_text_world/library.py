"""Games that were made: compiled once, kept by what they are made of, several at a time."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count, environ
from pathlib import Path

from agentgym.assets.cache import cache_root, derived_folder
from agentgym.core.errors import EngineFailure, require
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec
from agentgym.envs.text import TEXT_WORLD
from agentgym.envs.text._text_world.engine import VERSION, package
from agentgym.envs.text._text_world.games import make_game

FORMAT = 1  # of the folders
STORY, FACTS = "game.z8", "game.json"
SECONDS = 120  # for each of the two compilers


def game_file(root: Path | None, spec: Spec) -> Path:
    """The compiled game of a specification, made unless it is there.

    Args:
        root: Folder of the games; None for `text_world` in the cache folder.
        spec: As `make_game` takes it.
    """
    name = fingerprint({**spec, "textworld": VERSION, "format": FORMAT})[:32]
    return derived_folder(root or cache_root() / "text_world", name, lambda folder: _build(folder, spec)) / STORY


def make_all(root: Path | None, specs: Sequence[Spec], workers: int | None = None) -> list[Path]:
    """The compiled games of many specifications, several at a time, with a progress bar on the terminal.

    Args:
        root: As in `game_file`.
        specs: As `make_game` takes them.
        workers: Games made at a time; by default as many as there are processors.
    """
    from rich.console import Console
    from rich.progress import track

    package()
    with ThreadPoolExecutor(workers or cpu_count() or 1) as pool:
        made = pool.map(lambda spec: game_file(root, spec), specs)
        return list(track(made, "games", total=len(specs), console=Console(stderr=True)))


def _build(folder: Path, spec: Spec) -> None:
    game = make_game(spec)
    game.save(str(folder / FACTS))
    inform = require("textworld.generator.inform7.world2inform7", extra="worlds", purpose=TEXT_WORLD.id)
    home = Path(inform.I7_DEFAULT_PATH) / "share" / "inform7"
    with tempfile.TemporaryDirectory(prefix="inform-") as name:
        project = Path(name)  # the first compiler writes into it, and into a home directory, which it is here as well
        (project / "Source").mkdir()
        (project / "Build").mkdir()
        (project / "uuid.txt").touch()
        (project / "Source" / "story.ni").write_text(inform.generate_inform7_source(game), encoding="utf-8")
        _run(
            [home / "Compilers" / "ni", "--internal", home / "Internal", "--format=.z8", "--project", project], project
        )
        _run([home / "Compilers" / "inform6", "-E2wSv8F0", project / "Build" / "auto.inf", folder / STORY], project)


def _run(command: Sequence[str | Path], home: Path) -> None:
    """Run a compiler.

    Raises:
        EngineFailure: if it fails, or takes too long.
    """
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            [str(part) for part in command],
            env={**environ, "HOME": str(home)},
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineFailure(f"the compiler {name} of textworld failed: {error}") from error
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace").strip()[-500:]
        raise EngineFailure(f"the compiler {name} of textworld failed with {done.returncode}: {said}")
