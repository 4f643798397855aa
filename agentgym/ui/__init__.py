"""`agentgym ui`: one local web application to browse worlds, play them, watch models and read what runs recorded.

Requests are answered by Starlette with pages made on this side; a little script swaps the part of a page that changes.
A game is played by the one runner, in a thread of its own, whoever holds its players (`table.py`). Texts of worlds and
models are data: escaped in every page, and no request names a module, a server or a path (`origin.py`, `holders.py`,
`runs.py`).
"""

from agentgym.ui.app import UISettings, application
from agentgym.ui.server import ServerAddress, serve

__all__ = ["ServerAddress", "UISettings", "application", "serve"]
