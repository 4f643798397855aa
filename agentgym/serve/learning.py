"""A recording endpoint that learns: whenever enough sessions have ended, the policy that answers takes a step."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from agentgym.serve.access import Access, require_tokens
from agentgym.serve.metrics import Log
from agentgym.serve.record_app import RecordServer, RecordSettings, make_record_app
from agentgym.serve.run import listen

if TYPE_CHECKING:
    import uvicorn

    from agentgym.train.records import RecordTrainer

TOLD = ("return", "success", "episodes", "kept", "stale", "mismatch")  # of an update, in the log


class LearningServer(RecordServer):
    """A recording endpoint whose model is a trainer's, and learns from the sessions that end here.

    Questions that come after the outcome that makes a round whole are answered by the policy as it is after the update,
    and wait for that. An answer under way is finished first.

    Args:
        settings: How it is set up; records stand where the trainer reads them.
        trainer: Who learns.
        log: Told of every update.

    Attributes:
        server: What ends when the last update is done.
        failed: What an update raised; None if none did.
    """

    def __init__(self, settings: RecordSettings, trainer: RecordTrainer, log: Log):
        super().__init__(settings, trainer.engine)
        self.trainer, self._log = trainer, log
        self.server: uvicorn.Server | None = None
        self.failed: BaseException | None = None
        self._learning: asyncio.Future[Any] | None = None

    async def outcome(self, request: Request, owner: str) -> Response:
        """Answer `POST /sessions/NAME/outcome`, and learn if that makes a round whole.

        Args:
            request: Of HTTP.
            owner: The client.
        """
        answer = await super().outcome(request, owner)
        self._begin()
        return answer

    def _begin(self) -> None:
        """Let an update follow what is being sampled, if there is a round for it."""
        if self._learning is None and not self._over() and self.trainer.ready():
            self._learning = self.speaker.alone(self._step)
            self._learning.add_done_callback(self._learned)

    def _over(self) -> bool:
        trainer = self.trainer
        return bool(trainer.stopped) or trainer.update >= trainer.recipe.update.updates or self.failed is not None

    def _step(self) -> dict[str, Any]:
        self.trainer.engine.max_new_tokens = (
            self.trainer.recipe.model.max_new_tokens
        )  # questions have limits of their own
        return self.trainer.train_step()

    def _learned(self, done: asyncio.Future[Any]) -> None:
        self._learning = None
        self.failed = None if done.cancelled() else done.exception()
        if self.failed is None and not done.cancelled():
            figures = done.result()
            self._log.note("update", update=figures["update"] + 1, **{name: figures.get(name) for name in TOLD})
        if self._over():
            if self.server is not None:
                self.server.should_exit = True
            return
        self._begin()


def learn(trainer: RecordTrainer, tokens: Sequence[str] = (), world_token: str = "") -> None:
    """Answer and learn until the recipe's last update; rounds that are on record already are learned from first.

    Args:
        trainer: Of a recipe with `[records]` and no folder there; it must have a run's folder.
        tokens: One for each client; empty for one client on this machine.
        world_token: Of this endpoint at the server of worlds.

    Raises:
        ConfigError: if the port is taken, or the address is open to other machines and there are no tokens.
        DataError: if a session cannot be learned from.
    """
    config = trainer.recipe.records
    assert config is not None
    require_tokens(config.host, Access(tokens))
    while trainer.update < trainer.recipe.update.updates and not trainer.stopped and trainer.ready():
        trainer.train_step()
    if trainer.update >= trainer.recipe.update.updates or trainer.stopped:
        return
    log = Log()
    settings = RecordSettings(trainer.records, trainer.folder.name, tokens, config.world, world_token)
    server = LearningServer(settings, trainer, log)

    def made(uvicorn_server: uvicorn.Server) -> None:
        server.server = uvicorn_server

    app = make_record_app(server)
    listen(app, log, [settings.model], config.host, config.port, settings.body, settings.patience, made)
    if server.failed is not None:
        raise server.failed
