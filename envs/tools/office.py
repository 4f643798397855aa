"""Office: questions about a person's nine apps, and changes in them, by tool calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from agentgym.core.snapshot import json_key
from agentgym.core.tasks import Spec
from agentgym.envs._kit.tools import QuestionEnv, World
from agentgym.envs._kit.tools.question_world import ATTEMPTS, SEEDS, WORDINGS, solve
from agentgym.envs.tools import OFFICE
from agentgym.envs.tools._office.apps.toolbox import TOOLBOX
from agentgym.envs.tools._office.desk import compared, desk_of
from agentgym.envs.tools._office.people.circle import CIRCLES, PEOPLE
from agentgym.envs.tools._office.templates import (  # each puts its templates into the book
    days,
    fours,
    leisure,
    letters,
    lists,
    pairs,
    papers,
    threes,
    trades,
)
from agentgym.envs.tools._office.templates.slots import BOOK

TEMPLATES = (days, fours, leisure, letters, lists, pairs, papers, threes, trades)
CIRCLES_OF = {"train": range(16), "val": range(16, 20), "test": range(20, CIRCLES)}  # of people
VAL = """
    sum_of_unread_bills archive_old remove_decliners in_company_or_city last_bills sent_for top_up best_of_genre
    wishes_to_cart trip_total urgent_tasks most_mails_by_relation mails_to_tasks received_from fill_cart
    pay_bill_mails call_guests fifth_of_trip
"""
TEST = """
    largest_attachment one_star_each minutes_of_events decline_overlaps ill dearest_month sort_downloads greatest_net
    remind common_artists join_playlists spent_on_category return_and_wish who_paid_most extend_overdue
    invitations_to_calendar save_attachments tasks_on_event_days pay_group songs_to_hear share_folder split_bill
    greatest_creditor shop_by_note accept_mail house_party hand_over all_to_pay reading_group
"""
SPLITS = {**dict.fromkeys(VAL.split(), "val"), **dict.fromkeys(TEST.split(), "test")}  # of templates; the rest: train
SHARES = (("train", 0.7), ("val", 0.85), ("test", 1.0))  # of draws, added up


class OfficeEnv(QuestionEnv):
    """Answer questions about a person's nine apps and change things in them as asked.

    Description: 24 circles of eight people with accounts, each circle with one SQLite database of some 5,000 rows:
    mail, calendar, notes, files, contacts, payments, music, shopping and tasks. People share households and offices, so
    they write to each other, split bills, meet, share files and pay; sixteen more know each of them from outside. A
    task belongs to one person and needs one to four apps: it asks for a number, a name, a date or a list, or for a
    change, from one row to some thirty. Each is one of more than 120 computations in several wordings. Some mails give
    orders to whoever reads them; they are data like all the others.

    Observation: the result of the call as JSON. The first observation is the request.

    Actions: one tool call, `{"name": "mail_list", "arguments": {"folder": "inbox", "unread": true}}`. Five apps want a
    login first (`account_passwords`, `login`); lists come in pages of up to 20; what belongs to others can be read
    where it is shared, and not changed. `finish` ends the episode with the answer, or with "done" after a change. A
    call that cannot be done is refused, with what to do instead. Written as code: `wrappers.CodeAction` around the
    world runs programs in the sandbox whose functions are these tools.

    Reward: 1 at `finish` (success) for the right answer, with the database left as it was, or for a database whose
    difference from the one at the start is just the expected one: rows changed, deleted and new, the ids of new rows
    left aside; 0 otherwise. Numbers may be rounded to two decimals, names are compared without regard to case, lists
    without regard to order. `progress` is the share of the gold calls whose results were seen.

    Splits: `train` without end, `val` and `test` 200 tasks each. Each split has circles of people and templates of its
    own.

    Oracle: plays the gold calls. Expert: reads the request, looks up what it needs call by call, and finishes.

    Args:
        budget: Tool calls that may be made; then only `finish` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: the manner of AppWorld (Trivedi et al. 2024, arXiv:2407.18901): apps with logins and pages, people with
    histories, tests of the state with "nothing else changed". Differences: apps, people and tasks of our own, tools
    that are all listed in place of documents to be searched, a login that lasts in place of access tokens, one tool
    call an action unless `CodeAction` is put around.
    """

    card = OFFICE
    world = World(BOOK, TOOLBOX, desk_of, compared)

    @classmethod
    def generate(cls, config: Any, rng: np.random.Generator) -> Spec:
        """A template, a person of its split, and a wording that make a task.

        Args:
            config: Not read.
            rng: Draws the split, then a template and a person of it, and a wording, anew until they make a task.
        """
        for _ in range(ATTEMPTS):
            share = rng.random()
            split = next(name for name, most in SHARES if share < most)
            names = [name for name in cls.world.book.templates if SPLITS.get(name, "train") == split]
            circle = CIRCLES_OF[split][int(rng.integers(len(CIRCLES_OF[split])))]
            place = int(rng.integers(SEEDS // CIRCLES))
            name, wording = names[int(rng.integers(len(names)))], int(rng.integers(WORDINGS))
            spec: dict[str, Any] = {"seed": place * CIRCLES + circle, "template": name, "wording": wording}
            if solve(cls.world, spec["seed"], name, wording) is not None:
                return spec
        raise AssertionError(f"{cls.card.id}: {ATTEMPTS} draws in a row made no task")

    @classmethod
    def fits(cls, config: Any, split: str, spec: Spec) -> bool:
        """Each split has people and templates of its own: those of `spec` must be `split`'s, whatever the `config`."""
        return SPLITS.get(spec["template"], "train") == split and spec["seed"] % CIRCLES in CIRCLES_OF[split]

    @classmethod
    def content_key(cls, spec: Spec) -> str:
        """The task without its wording, and whose it is."""
        problem = cls._problem_of(spec)
        person = [spec["seed"] % CIRCLES, spec["seed"] // CIRCLES % PEOPLE]
        return json_key([problem.template.name, dict(problem.arguments), person])
