"""What the server refuses, with the status that each dialect tells."""

from __future__ import annotations

from agentgym.core import AgentGymError

BAD_REQUEST, NO_TOKEN, FORBIDDEN, UNKNOWN, CONFLICT, TOO_LARGE, FULL, FAILED = 400, 401, 403, 404, 409, 413, 429, 503
FAULT = 500  # of the server itself


class Refused(AgentGymError):
    """A request that changes nothing.

    Args:
        status: As in HTTP.
        message: What was wrong, what was expected, what to do.
    """

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status

    @property
    def headers(self) -> dict[str, str]:
        """What a response of HTTP has to tell besides."""
        return {"WWW-Authenticate": "Bearer"} if self.status == NO_TOKEN else {}
