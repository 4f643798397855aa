"""Tasks of the files app alone."""

from __future__ import annotations

from collections import defaultdict

from agentgym.envs._kit.tools import Program, Unfit, best, several
from agentgym.envs.tools._office.templates.slots import BOOK, enter, every, extreme, money, some, total


@BOOK.ask(
    "number", 1,
    "How many kilobytes do my files in {folder} take that were last changed before {past_day}?",
    "What is the total size, in kB, of the files below {folder} whose last change was earlier than {past_day}?",
    "Add up the sizes (kB) of everything in the folder {folder} that has not been changed on or after {past_day}.",
)  # fmt: skip
def _size_of_folder(folder: str, past_day: str) -> Program:
    yield from enter("files")
    rows = yield from every("files_list", folder=folder, before=past_day)
    return sum(row["size"] for row in some(rows, 2, 90))


@BOOK.ask(
    "number", 1,
    "How many dollars have my last {count} {utility} bills come to? They are in /bills, one a month.",
    "Sum up the amounts due of the newest {count} {utility} bills among my files. How many dollars is it?",
    "What do the {count} latest {utility} bills in my files (folder /bills) cost together, in dollars?",
)  # fmt: skip
def _last_bills(count: int, utility: str) -> Program:
    yield from enter("files")
    rows = yield from every("files_list", folder=f"/bills/{utility}")
    found = []
    for row in rows[-count:]:
        found.append(money((yield ("files_show", {"file_id": row["id"]}))["content"]))
    return total(found)


@BOOK.ask(
    "text", 1,
    "In which month was my {utility} bill the highest? The bills are in /bills; answer with the month as YYYY-MM.",
    "Look through my {utility} bills in /bills: for which month did I owe the most? Write it as YYYY-MM.",
    "Which month (YYYY-MM) has the largest amount due among the {utility} bills in my files under /bills?",
)  # fmt: skip
def _dearest_month(utility: str) -> Program:
    yield from enter("files")
    found = {}
    for row in (yield from every("files_list", folder=f"/bills/{utility}")):
        shown = yield ("files_show", {"file_id": row["id"]})
        found[row["path"][-11:-4]] = money(shown["content"])
    return best(found, among=2)


@BOOK.ask(
    "texts", 1,
    "Which kinds of file (the ending, such as pdf) do I have in {folder}, if only files above {kilobytes} kB count?",
    "List the file endings that occur in {folder} among my files of more than {kilobytes} kB.",
    "Of the files below {folder} that are larger than {kilobytes} kB: which endings do they have?",
)  # fmt: skip
def _endings(folder: str, kilobytes: int) -> Program:
    yield from enter("files")
    rows = yield from every("files_list", folder=folder)
    return sorted({row["path"].rpartition(".")[2] for row in rows if row["size"] > kilobytes})


@BOOK.ask(
    "state", 1,
    "Delete everything in /downloads that was last changed before {past_day} and is larger than {kilobytes} kB.",
    "My downloads need room: delete files of more than {kilobytes} kB in /downloads with a last change before "
    "{past_day}.",
    "Remove each file of /downloads that is bigger than {kilobytes} kB and has not been changed since {past_day} or "
    "later.",
)  # fmt: skip
def _delete_downloads(past_day: str, kilobytes: int) -> Program:
    yield from enter("files")
    rows = yield from every("files_list", folder="/downloads", before=past_day)
    for row in some([row for row in rows if row["size"] > kilobytes]):
        yield ("files_delete", {"file_id": row["id"]})


@BOOK.ask(
    "state", 1,
    "Sort my downloads: move every file of /downloads into a folder /sorted/ that is named after its ending, such as "
    "/sorted/pdf/name.pdf. Leave out those changed on or after {recent_day}.",
    "Each file of /downloads with a last change before {recent_day} goes to /sorted/<ending>/, keeping its name.",
    "Move what lies in /downloads and was last changed before {recent_day} to /sorted, into a folder for each file "
    "ending (for example /sorted/zip/a.zip).",
)  # fmt: skip
def _sort_downloads(recent_day: str) -> Program:
    yield from enter("files")
    for row in some((yield from every("files_list", folder="/downloads", before=recent_day)), 2, 20):
        name = row["path"].rpartition("/")[2]
        path = f"/sorted/{name.rpartition('.')[2]}/{name}"
        yield ("files_move", {"file_id": row["id"], "path": path})


@BOOK.ask(
    "state", 1,
    "Make a copy of the largest file in {folder} under {new_folder}, with the same name.",
    "Copy the biggest file of {folder} to the folder {new_folder}; the name stays.",
    "The largest file below {folder} shall also be in {new_folder}, as a copy of the same name.",
)  # fmt: skip
def _copy_largest(folder: str, new_folder: str) -> Program:
    yield from enter("files")
    row = extreme((yield from every("files_list", folder=folder)), lambda row: row["size"])
    yield ("files_copy", {"file_id": row["id"], "path": f"{new_folder}/{row['path'].rpartition('/')[2]}"})


@BOOK.ask(
    "text", 1,
    "Which mail address shares the most kilobytes of files with me?",
    "Of all people whose files I may read, whose shared files are the largest in sum? Give the mail address.",
    "Add up the sizes of the files that others share with me, owner by owner. Which owner (mail address) has most?",
)  # fmt: skip
def _greatest_sharer() -> Program:
    yield from enter("files")
    sizes: dict[str, int] = defaultdict(int)
    for row in (yield from every("files_shared_with_me")):
        sizes[row["owner"]] += row["size"]
    return best(sizes, among=2)


@BOOK.ask(
    "state", 1,
    "Nobody but me shall be able to read my files in {folder} any more. Take all shares of these files away.",
    "Stop sharing everything below {folder}.",
    "The files in {folder} are shared with others. Make them private again, all of them.",
)  # fmt: skip
def _make_private(folder: str) -> Program:
    yield from enter("files")
    taken = 0
    for row in some((yield from every("files_list", folder=folder))):
        for email in (yield ("files_show", {"file_id": row["id"]}))["shared_with"]:
            yield ("files_unshare", {"file_id": row["id"], "email": email})
            taken += 1
    if not taken:
        raise Unfit


@BOOK.ask(
    "number", 1,
    "I share files of {folder} with others. How many shares are that in all, each file and each reader counted once?",
    "Count the shares of my files in {folder}: a file that two others may read counts twice.",
    "For every file below {folder}, count the people with whom I share it. What is the sum?",
)  # fmt: skip
def _shares_of_folder(folder: str) -> Program:
    yield from enter("files")
    found = 0
    for row in some((yield from every("files_list", folder=folder)), 3, 20):
        found += len((yield ("files_show", {"file_id": row["id"]}))["shared_with"])
    return several(found)
