"""What an agent may do to a container, and what becomes of one whose process was killed, on a daemon of a few lines."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
from types import SimpleNamespace

import pytest

from agentgym.core import EngineFailure
from agentgym.envs._kit.sandbox.containers import PLACE, Container
from agentgym.envs._kit.sandbox.images import OWNER, owner, remove_orphans
from agentgym.envs._kit.sandbox.tool import Lost


class DockerError(Exception):
    pass


class APIError(DockerError):
    pass


class NotFound(APIError):
    pass


ERRORS = SimpleNamespace(DockerException=DockerError, APIError=APIError, NotFound=NotFound)
LEFT = {"shown": b"done\n", "status": b"0\n", "folder": b"/home\n"}


class Daemon:
    """A container with bash until a command takes it away; it tells errors as the daemon of Docker does."""

    id = "held"

    def __init__(self):
        self.client = SimpleNamespace(api=self)
        self.broken: Exception | None = None

    def exec_create(self, container, words, environment):
        self._answer()
        return {"Id": words[4]}

    def exec_start(self, made, detach):
        if made == "rm /bin/bash":
            self.broken = APIError("500 Server Error: OCI runtime exec failed")

    def exec_inspect(self, made):
        self._answer()
        return {"Running": False}

    def put_archive(self, place, data):
        self._answer()

    def get_archive(self, path):
        self._answer()
        data = LEFT[path.removeprefix(f"{PLACE}/")]
        held = io.BytesIO()
        with tarfile.open(fileobj=held, mode="w") as archive:
            entry = tarfile.TarInfo("file")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        return [held.getvalue()], {"size": len(data)}

    def _answer(self):
        if self.broken is not None:
            raise self.broken


def test_a_container_that_an_agent_has_broken_is_lost_and_not_left_out():
    container = Container(Daemon(), ERRORS)
    assert container.run("ls", "/", 1.0, by_player=True).output == "done\n"
    with pytest.raises(Lost):
        container.run("rm /bin/bash", "/", 1.0, by_player=True)
    with pytest.raises(Lost):
        container.run("ls", "/", 1.0)
    with pytest.raises(Lost):
        container.put({"tests/run.sh": b"exit 0"})


def test_before_an_agent_has_done_anything_it_is_the_engines_failure():
    container = Container(Daemon(), ERRORS)
    container.held.broken = APIError("500 Server Error")
    for act in (lambda: container.put({}), lambda: container.run("ls", "/", 1.0, by_player=True)):
        with pytest.raises(EngineFailure, match="500 Server Error"):
            act()


@pytest.mark.parametrize("error", [ConnectionResetError("gone"), DockerError("the client")])
def test_a_daemon_that_is_gone_is_the_engines_failure_at_any_time(error):
    container = Container(Daemon(), ERRORS)
    container.run("ls", "/", 1.0, by_player=True)
    container.held.broken = error
    with pytest.raises(EngineFailure):
        container.run("ls", "/", 1.0, by_player=True)


class Held(SimpleNamespace):
    def remove(self, force):
        self.gone = force


def test_containers_of_processes_that_were_killed_are_taken_away():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        killed = owner(other.pid)
        other.kill()
    assert killed
    elsewhere = killed.replace("pid:[", "pid:[9")
    earlier = " ".join([*owner(os.getpid()).split(" ")[:2], "1"])  # another process that had our number
    labels = [killed, earlier, owner(os.getpid()), elsewhere, "", "words"]
    held = [Held(labels={OWNER: label}, gone=False) for label in labels]
    client = SimpleNamespace(containers=SimpleNamespace(list=lambda all, filters: held if all else []))
    remove_orphans(client, ERRORS)
    assert [each.gone for each in held] == [True, True, False, False, False, False]
