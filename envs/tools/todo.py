"""Todo: questions about a to-do account, and changes of it, by tool calls."""

from __future__ import annotations

from agentgym.envs._kit.tools import QuestionEnv, World
from agentgym.envs.tools import TO_DO
from agentgym.envs.tools._todo import counts, edits, lookups  # each puts its templates into the book
from agentgym.envs.tools._todo.account import Desk, compared
from agentgym.envs.tools._todo.slots import BOOK, with_or_without_article
from agentgym.envs.tools._todo.tools import TOOLBOX

TEMPLATES = (lookups, counts, edits)


class TodoEnv(QuestionEnv):
    """Answer questions about a to-do account and change it as asked.

    Description: an account with six to eight projects (a renovation, a thesis, a trip) of nine to fourteen tasks each,
    filed under sections, with due dates around the current date, priorities, labels, durations, and descriptions that
    name a place, a contact and a thing to bring. A task of the world asks for a number, a name, a date or a list, or
    for a change: tasks to be completed, moved, relabelled, created or deleted, projects to be made favorites. Each is
    one of some seventy computations over one to four kinds of look-up, in several wordings.

    Observation: the result of the call as JSON. The first observation is the request.

    Actions: one tool call, `{"name": "get_tasks", "arguments": {"project_id": "4183920576"}}`. `finish` ends the
    episode with the answer, or with "done" after a change. Ids are numbers without meaning, found by the tools that
    list projects, sections and tasks. A call that cannot be done is refused, with what to do instead.

    Reward: 1 at `finish` (success) for the right answer, with the account left as it was, or for an account that is as
    it should be; 0 otherwise. Numbers may be rounded to two decimals, names are compared without regard to case, lists
    without regard to order. `progress` is the share of the gold calls whose results were seen.

    Splits: `train` without end, `val` and `test` 200 tasks each. No question is asked in two splits, in whatever words.

    Oracle: plays the gold calls. Expert: reads the request, looks up what it needs call by call, and finishes.

    Args:
        budget: Tool calls that may be made; then only `finish` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: the tools, their arguments and the kinds of task are those of the to-do environment of AgentBoard (Ma et al.
    2024), which AgentGym (Xi et al. 2024) serves; its account lives at a web service. Differences: generated accounts,
    sections, labels, new tasks and more fields to change, JSON arguments that are checked and never evaluated, reward
    for an answer that was given and not for one that any tool printed.
    """

    card = TO_DO
    world = World(BOOK, TOOLBOX, Desk, compared, with_or_without_article)
