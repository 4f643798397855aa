"""What comes with a request, within limits."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

LONGEST = 65_536  # bytes of a form
FIELDS = 200
FORM = "application/x-www-form-urlencoded"


async def fields(request: Request) -> dict[str, str]:
    """The fields of a form.

    Raises:
        HTTPException: if it is too long, or no form.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != FORM:
        raise HTTPException(415, "send a form")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST:
            raise HTTPException(413, f"a form has at most {LONGEST} bytes")
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS, errors="strict")
    except ValueError:
        raise HTTPException(400, "this is no form") from None
    return {name: value.replace("\r\n", "\n") for name, value in pairs}
