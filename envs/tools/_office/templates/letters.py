"""Tasks of the mail app alone."""

from __future__ import annotations

from collections import Counter

from agentgym.envs._kit.tools import Program, best, several
from agentgym.envs.tools._office.templates.slots import BOOK, enter, every, extreme, money, some, total


@BOOK.ask(
    "number", 1,
    'How many mails in my inbox with the label "{label}" came on or after {past_day} and are not read yet?',
    'Count the unread "{label}" mails in my inbox that were sent on {past_day} or later.',
    'Since {past_day} (that day included), how many unread inbox mails labelled "{label}" have I got?',
)  # fmt: skip
def _unread_with_label(label: str, past_day: str) -> Program:
    yield from enter("mail")
    return several(len((yield from every("mail_list", label=label, since=past_day, unread=True))))


@BOOK.ask(
    "number", 1,
    "My roommates write me their shares of bills. How many dollars do the unread ones in my inbox ask for in all?",
    "Add up what the unread bill mails of my inbox want from me. How many dollars is that?",
    "What is the sum, in dollars, of the shares named in the unread mails of my inbox that have the label bills?",
)  # fmt: skip
def _sum_of_unread_bills() -> Program:
    yield from enter("mail")
    found = []
    for row in some((yield from every("mail_list", label="bills", unread=True))):
        found.append(money((yield ("mail_read", {"mail_id": row["id"]}))["body"]))
    return total(found)


@BOOK.ask(
    "name", 1,
    'What is the name of the largest file attached to a mail in my inbox whose subject mentions "{topic}"?',
    'Of all attachments of inbox mails with "{topic}" in the subject, which file is the largest?',
    'Name the biggest attached file among the mails in my inbox that have "{topic}" in their subject.',
)  # fmt: skip
def _largest_attachment(topic: str) -> Program:
    yield from enter("mail")
    found = []
    for row in (yield from every("mail_list", query=topic)):
        if row["attachments"]:
            found += (yield ("mail_read", {"mail_id": row["id"]}))["attachments"]
    return extreme(found, lambda each: each["size"])["name"]


@BOOK.ask(
    "text", 1,
    'From which mail address did I get the most mails labelled "{label}" that are in my inbox now?',
    'Who has sent me the most "{label}" mails in my inbox? Give the mail address.',
    'Which address is the most frequent sender of the "{label}" mails that lie in my inbox?',
)  # fmt: skip
def _busiest_sender(label: str) -> Program:
    yield from enter("mail")
    return best(Counter(row["sender"] for row in (yield from every("mail_list", label=label))), among=2)


@BOOK.ask(
    "state", 1,
    'Star every unread mail in my inbox that mentions "{topic}" in its subject and has no star yet.',
    'Unread inbox mails with "{topic}" in the subject shall get a star, where they have none.',
    'Put a star on each mail of my inbox that I have not read and whose subject holds "{topic}".',
)  # fmt: skip
def _star_unread_on_topic(topic: str) -> Program:
    yield from enter("mail")
    for row in (yield from every("mail_list", query=topic, unread=True, starred=False)):
        yield ("mail_update", {"mail_id": row["id"], "is_starred": True})


@BOOK.ask(
    "state", 1,
    "Clean up: archive all mails of my inbox that were sent before {past_day}, are read and have no star.",
    "Whatever in my inbox is read, without a star and older than {past_day} shall go to the archive.",
    "Move the read mails without star that came before {past_day} from my inbox to the archive.",
)  # fmt: skip
def _archive_old(past_day: str) -> Program:
    yield from enter("mail")
    for row in some((yield from every("mail_list", before=past_day, unread=False, starred=False)), 2, 22):
        yield ("mail_update", {"mail_id": row["id"], "folder": "archive"})


@BOOK.ask(
    "state", 1,
    "Put all promotions that lie unread in my inbox into the trash, except those that I have starred.",
    "Throw the unread mails labelled promotions out of my inbox (into the trash), but keep what has a star.",
    "The unread promotions in my inbox can go to the trash. Leave starred ones where they are.",
)  # fmt: skip
def _trash_promotions() -> Program:
    yield from enter("mail")
    for row in some((yield from every("mail_list", label="promotions", unread=True, starred=False)), 2, 22):
        yield ("mail_update", {"mail_id": row["id"], "folder": "trash"})


@BOOK.ask(
    "state", 1,
    'Answer the newest mail in my inbox whose subject mentions "{topic}" with "{text}".',
    'Reply "{text}" to the latest inbox mail that has "{topic}" in its subject.',
    'The last mail in my inbox on "{topic}" (look at the subjects) needs a reply: "{text}"',
)  # fmt: skip
def _reply_to_newest(topic: str, text: str) -> Program:
    yield from enter("mail")
    row = some((yield from every("mail_list", query=topic)), 2, 40)[0]
    yield ("mail_reply", {"mail_id": row["id"], "body": text})


@BOOK.ask(
    "state", 1,
    'For each sender of starred work mails in my inbox, keep the star on the newest such mail only.',
    "My inbox has too many stars: of the starred mails labelled work, let each sender's newest keep it and no other.",
    "Unstar the work mails of my inbox wherever the same sender has a newer starred work mail there.",
)  # fmt: skip
def _one_star_each() -> Program:
    yield from enter("mail")
    seen: set[str] = set()
    for row in (yield from every("mail_list", label="work", starred=True)):
        if row["sender"] in seen:
            yield ("mail_update", {"mail_id": row["id"], "is_starred": False})
        seen.add(row["sender"])


@BOOK.ask(
    "texts", 1,
    "From which mail addresses have I got mails with the label {label} since {recent_day} (inbox only)?",
    "List the senders of the {label} mails in my inbox that were sent on or after {recent_day}, as mail addresses.",
    "Which addresses wrote the mails labelled {label} that came into my inbox on {recent_day} or later?",
)  # fmt: skip
def _senders_since(label: str, recent_day: str) -> Program:
    yield from enter("mail")
    return sorted({row["sender"] for row in (yield from every("mail_list", label=label, since=recent_day))})
