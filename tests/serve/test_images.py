"""The images and the compose file: what they run exists, and where a Docker daemon runs, they are built and started."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from typer.main import get_command

import agentgym
from agentgym.cli import app

yaml = pytest.importorskip("yaml", reason="pyyaml is not installed: pip install -c constraints.txt '.[docker]'")

ROOT = Path(__file__).parents[2]
FILES = ("Dockerfile", "Dockerfile.train")
BASE = os.environ.get("AGENTGYM_IMAGE_BASE", "")  # in place of Docker Hub's; must have Python and venv
STANDARD = re.search(r"^ARG BASE=(\S+)$", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)[1]  # type: ignore[index]
WHEELS = os.environ.get("AGENTGYM_IMAGE_WHEELS", "")  # folder of packages, where no index can be reached
LARGEST = 400e6  # bytes of the server's image
USER = "61000:61000"
HOSTED = ("--network", "host")  # a daemon without a bridge has no other network
COPIED = ("agentgym", "envs", "wrappers", "assets", "baselines")
BESIDE = ("pyproject.toml", "setup.py", "constraints.txt", "README.md", "LICENSE", "THIRD_PARTY.md")


def instructions(name: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, each with what follows."""
    text = re.sub(r"^#.*\n", "", (ROOT / name).read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in text.splitlines() if line.strip()]


def check_command(words: list[str]) -> None:
    """A command of ours parses, with all its options."""
    group: Any = get_command(app)
    command = group.commands[words[0]]
    with command.make_context(words[0], words[1:]):
        pass


def compose() -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return told


@pytest.mark.parametrize("name", FILES)
def test_an_image_runs_a_command_of_ours_as_nobody(name: str) -> None:
    told = instructions(name)
    last = told[max(place for place, (word, _) in enumerate(told) if word == "FROM") :]
    final = dict(last)
    assert final["USER"] == USER
    assert json.loads(final["ENTRYPOINT"]) == ["agentgym"]
    check_command(json.loads(final["CMD"]))
    kept = [rest for word, rest in last if word in ("COPY", "ADD")]
    assert kept == ["--from=build /opt/agentgym /opt/agentgym"]  # no pip, no source, nothing of the build
    copied = {word for kind, rest in told if kind == "COPY" for word in rest.split()[:-1]}
    assert set(COPIED) <= copied


def test_the_server_says_how_it_is() -> None:
    final = dict(instructions("Dockerfile"))
    arguments = json.loads(final["CMD"])
    port = arguments[arguments.index("--port") + 1]
    assert final["EXPOSE"] == port
    assert f":{port}/health" in final["HEALTHCHECK"]


def test_what_goes_into_a_build_is_named() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} >= {*COPIED, *BESIDE}


def test_converted_models_are_kept_where_there_is_room() -> None:
    """Half a gigabyte for the packaged model: the services' /tmp holds as much in all."""
    told = instructions("Dockerfile.train")
    (kept,) = [rest.partition("=")[2] for word, rest in told if word == "ENV" and rest.startswith("AGENTGYM_CACHE=")]
    assert kept.startswith(dict(told)["VOLUME"] + "/")


def test_services_are_locked_up_and_wait_for_each_other() -> None:
    services = compose()["services"]
    assert set(services) == {"worlds", "recorder", "client"}
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), name
        assert not service.get("privileged"), name
    waits = services["client"]["depends_on"]
    assert waits == {name: {"condition": "service_healthy"} for name in ("worlds", "recorder")}
    for name in ("worlds", "recorder"):
        check_command(services[name]["command"])
    script = services["recorder"]["entrypoint"][2].replace("$$", "$")
    variable = services["recorder"]["command"][-1]
    assert f"{variable}=" in script
    assert subprocess.run(["sh", "-n", "-c", script], check=False).returncode == 0
    assert services["client"]["entrypoint"] == ["python", "-m", "agentgym.baselines.record_episode"]


def docker(*arguments: str, **options: Any) -> str:
    """What the client of Docker prints."""
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"docker {shlex.join(arguments)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout.strip()


def has_daemon() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


def build_arguments() -> dict[str, str]:
    """Where images are built from, if it is not Docker Hub and the index of packages."""
    return {**({"BASE": BASE} if BASE else {}), **({"PIP_NO_INDEX": "1"} if WHEELS else {})}


def has_compose() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what Docker may see of the checkout, where it can be built."""
    if not has_daemon():
        pytest.skip("no Docker daemon answers")
    if not BASE and subprocess.run(["docker", "pull", STANDARD], capture_output=True, check=False).returncode:
        pytest.skip(f"{STANDARD} cannot be had here: name an image with Python and venv in AGENTGYM_IMAGE_BASE")
    context = tmp_path_factory.mktemp("context")
    for name in COPIED:
        shutil.copytree(ROOT / name, context / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*BESIDE, *FILES, "compose.yaml", ".dockerignore"):
        shutil.copy(ROOT / name, context / name)
    if WHEELS:
        shutil.copytree(WHEELS, context / "wheels")
    return context


@pytest.fixture(scope="module")
def image(context: Path) -> Iterator[str]:
    """The server's image."""
    extra = [word for name, value in build_arguments().items() for word in ("--build-arg", f"{name}={value}")]
    docker("build", *HOSTED, *extra, "-t", "agentgym-server-test", str(context), timeout=1500)
    yield "agentgym-server-test"
    docker("rmi", "-f", "agentgym-server-test")


@pytest.fixture
def started(image: str, tmp_path: Path) -> Iterator[str]:
    """A container of it, locked up as the compose file locks it up."""
    (tmp_path / "tokens").write_text("t" * 32 + "\n")
    (tmp_path / "tokens").chmod(0o644)
    locked = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges")
    mounted = ("-v", f"{tmp_path / 'tokens'}:/run/secrets/tokens:ro")
    command = ("serve", "FrozenLake-v0", "--host", "127.0.0.1", "--tokens", "/run/secrets/tokens", "--state", "/state")
    name = docker("run", "-d", *locked, *mounted, *HOSTED, image, *command)
    try:
        yield name
    finally:
        docker("rm", "-f", "-v", name)


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_the_server_of_the_image_is_small_locked_up_healthy_and_plays(image: str, started: str) -> None:
    assert int(docker("image", "inspect", "-f", "{{.Size}}", image)) < LARGEST
    until, state = time.monotonic() + 120, ""
    while state != "healthy" and time.monotonic() < until:
        time.sleep(1.0)
        state = docker("inspect", "-f", "{{.State.Health.Status}}", started)
    assert state == "healthy", docker("logs", started)
    assert docker("exec", started, "id", "-u") == USER.partition(":")[0]
    written = subprocess.run(["docker", "exec", started, "touch", "/opt/agentgym/x"], capture_output=True, check=False)
    assert written.returncode != 0
    assert requests.get("http://127.0.0.1:8000/v1/envs", timeout=30).status_code == 401
    env, here = (
        agentgym.connect("http://127.0.0.1:8000", "FrozenLake-v0", token="t" * 32),
        agentgym.make("FrozenLake-v0"),
    )
    assert env.reset(seed=3) == here.reset(seed=3)
    assert env.step("down") == here.step("down")
    env.close()
    docker("stop", "-t", "20", started)
    log = subprocess.run(["docker", "logs", started], capture_output=True, text=True, check=True).stderr
    assert json.loads(log.splitlines()[-1])["event"] == "ended"


@pytest.mark.skipif(not has_compose(), reason="there is no Compose 2: `docker compose version` fails")
def test_compose_reads_its_file_and_hands_build_arguments_on(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("t" * 32 + "\n")
    command = ("compose", "-f", str(ROOT / "compose.yaml"), "--project-directory", str(tmp_path), "config")
    for given in ({}, {"BASE": "base:1", "PIP_NO_INDEX": "1"}):
        unset = {name: value for name, value in os.environ.items() if name not in ("BASE", "PIP_NO_INDEX")}
        services = yaml.safe_load(docker(*command, env={**unset, **given}))["services"]
        for name in ("worlds", "recorder"):
            told = services[name]["build"].get("args") or {}
            assert {key: value for key, value in told.items() if value is not None} == given


@pytest.mark.full
@pytest.mark.timeout(5400)
@pytest.mark.skipif(not has_compose(), reason="there is no Compose 2: `docker compose version` fails")
def test_compose_plays_an_episode_through_server_and_recorder(context: Path) -> None:
    """The file as it stands; it tags `agentgym-server` and `agentgym-train`, as it does for its users."""
    if subprocess.run(["docker", "network", "inspect", "bridge"], capture_output=True, check=False).returncode:
        pytest.skip("the Docker daemon was started without a bridge, so containers have no network of their own")
    (context / "tokens").write_text("t" * 32 + "\n")
    (context / "tokens").chmod(0o644)
    project = ("compose", "-p", "agentgym-test", "--project-directory", str(context))
    options: dict[str, Any] = {"cwd": context, "env": {**os.environ, **build_arguments()}}
    try:
        docker(*project, "up", "--build", "--exit-code-from", "client", timeout=5000, **options)
        container = docker(*project, "ps", "--all", "--quiet", "client", **options)
        outcome = json.loads(docker("logs", container).splitlines()[-1])  # those of Compose begin lines with an escape
        assert (outcome["env"], outcome["seed"]) == ("FrozenLake-v0", 0)
        assert outcome["rewards"]
    finally:
        docker(*project, "down", "-v", **options)
