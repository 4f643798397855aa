"""A chat server in a process of its own that answers many questions at once, each after a while.

    python slow_server.py SHORTEST LONGEST WORDS

prints its port, then answers every request with WORDS after SHORTEST to LONGEST seconds. GET says how many questions
waited for their answers at once, at most, and forgets it.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def slow_server(shortest: float, longest: float, words: str) -> Iterator[str]:
    """The server's base URL; it ends with the context."""
    command = [sys.executable, str(Path(__file__)), str(shortest), str(longest), words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.kill()


async def main(shortest: float, longest: float, words: str) -> None:
    choice = {"message": {"role": "assistant", "content": words}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 2}}).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    rng = random.Random(0)

    waiting, most = 0, 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal waiting, most
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                if head.startswith(b"get "):
                    told, most = str(most).encode(), 0
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(told), told))
                    continue
                await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n")[0]))
                waiting += 1
                most = max(most, waiting)
                await asyncio.sleep(rng.uniform(shortest, longest))
                waiting -= 1
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3]))
