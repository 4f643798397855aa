"""The other process: makes one object, an environment or a host of several, and serves it until its pipe closes."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec, load_env_creator

from agentgym.core import AgentGymError, Driver, EnvCard, drive, find_card
from agentgym.wrappers.players import wrap_players

LOST = (EOFError, BrokenPipeError, ConnectionResetError)  # how a pipe fails whose other end is gone
CLOSE_LIMIT = 5.0  # seconds to close an environment before its process is ended
T = TypeVar("T")
Wrap = Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]
NO_FORMATS: Mapping[str, Sequence[Wrap]] = {}


class WorkerError(AgentGymError):
    """An environment in another process raised an error that cannot be raised again here as it was."""


@dataclass(frozen=True)
class EnvFactory:
    """How an environment is made, in this process or another.

    Attributes:
        spec: The specification of a Gymnasium id, or the card of a game of several players: what this process has
            registered is not known to another.
        kwargs: Constructor arguments.
        wrappers: Put around the environment, the first innermost.
        formats: Put around each player of a game, the first innermost; `drive` alone sees to them.
    """

    spec: EnvSpec | EnvCard
    kwargs: Mapping[str, Any]
    wrappers: Sequence[Wrap] = ()
    formats: Mapping[str, Sequence[Wrap]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        kwargs: Mapping[str, Any],
        wrappers: Sequence[Wrap] = (),
        formats: Mapping[str, Sequence[Wrap]] = NO_FORMATS,
    ) -> EnvFactory:
        """The factory of an id, whatever its interface.

        Args:
            name: The full id; `module:id` imports the module first.
            kwargs: Constructor arguments.
            wrappers: Put around the environment, the first innermost.
            formats: Put around each player of a game, the first innermost.
        """
        known = find_card(name)
        if known is not None and known.api != "gymnasium":
            return cls(known, kwargs, wrappers, formats)
        return cls(gym.spec(name.rpartition(":")[2]), {"disable_env_checker": True, **kwargs}, wrappers, formats)

    def preload(self) -> None:
        """Import what it needs, which may take longer than any step; what goes wrong is raised when it is made."""
        if isinstance(self.spec.entry_point, str):
            with contextlib.suppress(Exception):
                load_env_creator(self.spec.entry_point)

    def __call__(self) -> Any:
        """Make it."""
        if isinstance(self.spec, EnvCard):
            env: Any = load_env_creator(self.spec.entry_point)(**self.kwargs)
        else:
            env = gym.make(self.spec, **self.kwargs)
        for wrapper in self.wrappers:
            env = wrapper(env)
        return env

    def drive(self) -> Driver:
        """Make it, and a driver of it in which each player has its own wrappers."""
        if not self.formats:
            return drive(self())
        driver: Driver = wrap_players(self(), self.formats)
        return driver


@dataclass(frozen=True)
class Raised:
    """An exception as plain data: exceptions themselves often cannot be unpickled."""

    module: str
    name: str
    message: str
    trace: str

    @classmethod
    def of(cls, error: BaseException) -> Raised:
        """What was raised, with its traceback."""
        kind = type(error)
        return cls(kind.__module__, kind.__qualname__, str(error), "".join(traceback.format_exception(error)))

    def error(self, index: int) -> BaseException:
        """The same kind of exception where this process knows it; otherwise a `WorkerError`. The trace is a note."""
        kind = getattr(sys.modules.get(self.module), self.name, None)
        error: BaseException = WorkerError(f"{self.name}: {self.message}")
        if isinstance(kind, type) and issubclass(kind, Exception):
            try:
                error = kind(self.message)
            except TypeError:  # its constructor wants something else than a message
                error = WorkerError(f"{self.name}: {self.message}")
        error.add_note(f"raised in the process of environment {index}:\n{self.trace}")
        return error


class _Deserted(Exception):
    """Whoever started this process is gone."""


def main(number: int, deserted: int) -> None:
    """Serve an object over the pipe of a file descriptor.

    The parent sends what makes the object. The answer is what `shape_of` tells of it; from then on each
    `(command, arguments)` gets one answer. An exception is answered as `Raised`, also one that an answer raises which
    cannot be sent. When the parent is gone the object is closed, and whatever that says is said to nobody.

    Args:
        number: Of the file descriptor.
        deserted: The signal that comes when the parent is gone, which ends this process until there is an object.
    """
    pipe = Connection(number)
    with contextlib.suppress(_Deserted):
        _serve(pipe, deserted)
    pipe.close()


def _serve(pipe: Connection, deserted: int) -> None:
    try:
        held: Any = _alone(_told(pipe))
    except Exception as error:
        _tell(pipe, Raised.of(error))
        return
    signal.signal(deserted, lambda *_: None)  # from here on there is something to close
    try:
        _tell(pipe, shape_of(held))
        while True:
            command, arguments = _told(pipe)
            if command == "close":
                return
            _send(pipe, answered(held, command, arguments))
    finally:
        held.close()


def _told(pipe: Connection) -> Any:
    """What the parent sends next."""
    try:
        return pipe.recv()
    except LOST:
        _be_silent()
        raise _Deserted from None


def _tell(pipe: Connection, answer: Any) -> None:
    _send(pipe, ForkingPickler.dumps(answer))


def _send(pipe: Connection, answer: Any) -> None:
    try:
        pipe.send_bytes(answer)
    except LOST:
        _be_silent()
        raise _Deserted from None


def _be_silent() -> None:
    """Print nothing more: the terminal is that of another program by now."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)


def answered(held: Any, command: str, arguments: Any) -> Any:
    """The answer to a command, pickled, or what it raised.

    Args:
        held: The object.
        command, arguments: What is asked of it.
    """
    try:
        return ForkingPickler.dumps(_do(held, command, arguments))
    except Exception as error:
        return ForkingPickler.dumps(Raised.of(error))


def shape_of(held: Any) -> tuple[Any, ...] | None:
    """Observation space, action space, metadata and render mode of a Gymnasium environment; None of anything else."""
    if not isinstance(held, gym.Env):
        return None
    return held.observation_space, held.action_space, dict(held.metadata), held.render_mode


def _alone(work: Callable[[], T]) -> T:
    """What `work` returns or raises; a process that it forked and that comes back here as well ends.

    It would answer a second time, and close what is not its own.
    """
    own = os.getpid()
    try:
        return work()
    finally:
        if os.getpid() != own:
            os._exit(0)


def _do(held: Any, command: str, arguments: Any) -> Any:
    return _alone(partial(_asked, held, command, arguments))


def _asked(held: Any, command: str, arguments: Any) -> Any:
    if command == "step":
        return held.step(arguments)
    if command == "reset":
        seed, options = arguments
        return held.reset(seed=seed, options=options)
    if command == "call":
        name, args, kwargs = arguments
        found = held.get_wrapper_attr(name) if isinstance(held, gym.Env) else getattr(held, name)
        return found(*args, **kwargs) if callable(found) else found
    if command == "set":
        return held.set_wrapper_attr(*arguments)
    if command == "generator":
        if arguments is not None:
            held.unwrapped.np_random.bit_generator.state = arguments
        return held.unwrapped.np_random.bit_generator.state
    raise WorkerError(f"unknown command {command!r}")
