"""What a worker process of the server holds: the environments of many sessions, worked on job by job."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple, TypeAlias

import gymnasium as gym
from gymnasium.error import Error as GymnasiumError

from agentgym.core import AgentGymError, ConfigError, Driver, LanguageEnv, Snapshot, drive
from agentgym.core.env import PLAYER
from agentgym.serve.wire import plain
from agentgym.vector.worker import EnvFactory

Event: TypeAlias = Sequence[Any]
"""One line of a session's log: `["reset", seed, options, generator]`, `["step", action]`, `["restore", reseed]`."""
DEMANDED = frozenset({"admissible_actions", "admissible_complete", "render", "state_key", "manual", "tools", "turn"})
REFUSALS = (AgentGymError, GymnasiumError)


class Rebuild(NamedTuple):
    """How an environment comes to where it was.

    Attributes:
        env: The name under which it is served.
        env_kwargs: Constructor arguments that the client chose.
        saved: A snapshot, as `Host` has given it; None begins at the first event.
        events: What happened after it.
    """

    env: str
    env_kwargs: Mapping[str, Any]
    saved: bytes | None
    events: Sequence[Event]


class SessionJob(NamedTuple):
    """One thing to do for one session.

    Attributes:
        session: Whose environment it is.
        work: `reset`, `step`, `restore`, `ask`, `save`, `facts` or `close`.
        given: Arguments of the work.
        rebuild: How the environment comes to be, if this process does not have it.
    """

    session: str
    work: str
    given: tuple[Any, ...]
    rebuild: Rebuild | None = None


class Done(NamedTuple):
    """What became of a job.

    Attributes:
        body: The answer as JSON text, in ASCII; what was wrong, if it was refused.
        kind: `ok`, `refused` (nothing has changed), or `broken` (the environment cannot go on).
        ended: Whether the episode is over.
        data: For `save` the snapshot; for `reset` without a seed the generator's state before it.
        last: The answer to the last event of a rebuild; empty if there was none.
        turn: How many requests have changed the session since it was opened.
    """

    body: str
    kind: str = "ok"
    ended: bool = False
    data: Any = None
    last: str = ""
    turn: int = 0


class Host:
    """The environments of a worker process.

    Args:
        served: By name, how an environment is made. Constructor arguments of a client are added to it.
    """

    def __init__(self, served: Mapping[str, EnvFactory]):
        self._served = served
        self._held: dict[str, Driver] = {}
        for factory in served.values():
            factory.preload()

    def work(self, jobs: Sequence[SessionJob]) -> list[Done]:
        """Do jobs, one after the other; none of them raises."""
        return [self._do(job) for job in jobs]

    def close(self) -> None:
        """Close every environment."""
        for session in list(self._held):
            self._held.pop(session).close()

    def _do(self, job: SessionJob) -> Done:
        last = ""
        if job.session not in self._held and job.rebuild is not None:
            try:
                last = self._rebuild(job.session, job.rebuild)
            except REFUSALS as error:
                self._forget(job.session)
                return Done(str(error), "refused" if not job.rebuild.events else "broken")
            except Exception as error:
                self._forget(job.session)
                return Done(_told(error), "broken")
        try:
            done: Done = getattr(self, f"_{job.work}")(job.session, *job.given)
        except REFUSALS as error:
            return Done(str(error), "refused", last=last)
        except Exception as error:  # a world's bug ends its own session and no other
            self._forget(job.session)
            return Done(_told(error), "broken")
        return done._replace(last=last) if last else done

    def _rebuild(self, session: str, rebuild: Rebuild) -> str:
        factory = self._served[rebuild.env]
        made = EnvFactory(factory.spec, {**factory.kwargs, **rebuild.env_kwargs}, factory.wrappers)
        self._held[session] = drive(made())
        return self._come_to(session, rebuild.saved, rebuild.events)

    def _come_to(self, session: str, saved: bytes | None, events: Sequence[Event]) -> str:
        """Take up a snapshot, or nothing, and do again what happened since; the answer to the last of it."""
        driver, last = self._held[session], ""
        if saved is not None:
            snapshot: Snapshot = ForkingPickler.loads(saved)  # a process of this server made it; no client held it
            driver.restore(snapshot)
        for event in events:
            if event[0] == "reset":
                _, seed, options, generator = event
                if generator is not None:
                    driver.world.np_random.bit_generator.state = generator
                last = self._reset(session, seed, options).body
            elif event[0] == "step":
                last = self._step(session, event[1]).body
            else:
                last = self._stand(driver, event[1]).body
        return last

    def _forget(self, session: str) -> None:
        driver = self._held.pop(session, None)
        if driver is not None:
            try:
                driver.close()
            except Exception:  # it is broken already, and its process goes on with others
                self._held.pop(session, None)

    def _facts(self, session: str) -> Done:
        driver = self._held[session]
        env, world = driver.env, driver.world
        assert isinstance(world, LanguageEnv)
        modes = world.metadata["render_modes"]
        facts = {
            "env": env.spec.id,
            "split": world.split,
            "max_turns": world.max_turns,
            "observation_length": env.observation_space.max_length,
            "action_length": env.action_space.max_length,
            "manual": driver.told("manual", PLAYER),
            "line": driver.told("line", PLAYER),
            "tools": driver.told("tools", PLAYER),
            "render_mode": world.render_mode,
            "metadata": {**world.metadata, "render_modes": [mode for mode in modes if mode != "human"]},  # not here
        }
        return Done(json.dumps(facts))

    def _reset(self, session: str, seed: int | None, options: Mapping[str, Any] | None) -> Done:
        driver = self._held[session]
        generator = driver.world.np_random.bit_generator.state if seed is None else None
        driver.reset(seed=seed, options=options)
        result = driver.result(PLAYER)
        body = json.dumps({"observation": result.observation, "info": result.info})
        return Done(body, ended=result.truncated, data=generator)

    def _step(self, session: str, action: str) -> Done:
        env = self._held[session].env
        observation, reward, terminated, truncated, info = env.step(action)
        body = json.dumps(
            {
                "observation": observation,
                "reward": reward,
                "terminated": terminated,
                "truncated": truncated,
                "info": info,
            }
        )
        return Done(body, ended=terminated or truncated, data=float(reward))

    def _save(self, session: str) -> Done:
        return Done("{}", data=bytes(ForkingPickler.dumps(self._held[session].snapshot())))

    def _restore(self, session: str, saved: bytes | None, events: Sequence[Event], reseed: int | None) -> Done:
        self._come_to(session, saved, events)
        return self._stand(self._held[session], reseed)

    @staticmethod
    def _stand(driver: Driver, reseed: int | None) -> Done:
        """Where an episode stands that has been taken up elsewhere."""
        if reseed is not None:
            driver.reseed(reseed)
        snapshot = driver.snapshot()
        player = snapshot.players[PLAYER]
        stand = {
            "observation": snapshot.exchange[1],
            "terminated": player.terminated,
            "truncated": player.truncated,
        }
        return Done(json.dumps(stand), ended=player.terminated or player.truncated)

    def _ask(self, session: str, name: str) -> Done:
        if name not in DEMANDED:
            raise ConfigError(f"cannot ask for {name!r}; expected one of {', '.join(sorted(DEMANDED))}")
        found = self._held[session].env.get_wrapper_attr(name)
        return Done(json.dumps({"answer": plain(found() if callable(found) else found)}))

    def _close(self, session: str) -> Done:
        driver = self._held.pop(session, None)
        if driver is not None:
            driver.close()
        return Done("{}")


def _told(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"


def make_factory(env_id: str, env_kwargs: Mapping[str, Any]) -> EnvFactory:
    """How a served environment is made.

    Args:
        env_id: Full id.
        env_kwargs: Constructor arguments that whoever starts the server chose.
    """
    return EnvFactory(gym.spec(env_id.rpartition(":")[2]), {"disable_env_checker": True, **env_kwargs})
