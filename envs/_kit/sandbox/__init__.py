"""The sandbox: a program of an agent runs here or nowhere. One interface, Docker or bubblewrap behind it."""

from agentgym.envs._kit.sandbox.job import FILE, FOLDER, LINK, PYTHON, Entry, Job, Limits, Result
from agentgym.envs._kit.sandbox.keeper import NotStarted
from agentgym.envs._kit.sandbox.pool import Sandbox, find_backing, shared_sandbox

__all__ = [
    "FILE",
    "FOLDER",
    "LINK",
    "PYTHON",
    "Entry",
    "Job",
    "Limits",
    "NotStarted",
    "Result",
    "Sandbox",
    "find_backing",
    "shared_sandbox",
]
