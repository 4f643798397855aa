"""Templates over files and notes."""

from __future__ import annotations

from agentgym.envs.web._device.drafts import (
    Ask,
    Draft,
    Template,
    choose,
    click,
    done,
    file,
    fill,
    link,
    note,
    press,
    told,
)
from agentgym.envs.web._device.judge import added, changed, removed
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.device.content import PASSWORDS, words
from agentgym.envs.web._sites.device.folders import FOLDER, ROOT, kilobytes, path_of
from agentgym.envs.web._sites.device.notes import FOLDERS
from agentgym.envs.web._sites.plans import Step

CHANGE: Step = click("disclosure", "Change")
NEW_NAMES = ("final", "old", "signed", "draft 2", "to read", "important", "for later", "checked")


def one_file(ask: Ask, where: str = "1") -> Row:
    """A file that is in no bin.

    Args:
        ask: The device.
        where: A condition.
    """
    return ask.row(f"SELECT * FROM files WHERE kind != '{FOLDER}' AND binned = 0 AND {where} ORDER BY id")


def _folder(ask: Ask, not_in: int) -> tuple[int, str]:
    """Another folder, and its path."""
    row = ask.row(f"SELECT id FROM files WHERE kind = '{FOLDER}' AND id NOT IN (?, ?) ORDER BY id", ROOT, not_in)
    return row["id"], path_of(ask.store, row["id"])


def rename(ask: Ask) -> Draft:
    """Rename a file."""
    row = one_file(ask)
    stem, _, ending = row["name"].rpartition(".")
    name = f"{stem} {ask.pick(NEW_NAMES)}.{ending}"
    ways = (f"rename the file {row['name']} to “{name}”", f"give the file {row['name']} the name “{name}”")
    return done(ways, [*file(row["name"]), CHANGE, fill("Name", name), press("Rename")],
                changed("files", row["id"], name=name))  # fmt: skip


def move(ask: Ask) -> Draft:
    """Move a file into another folder."""
    row = one_file(ask)
    number, path = _folder(ask, row["parent"])
    ways = (f"move the file {row['name']} into the folder {path}", f"put {row['name']} into {path}")
    return done(ways, [*file(row["name"]), CHANGE, choose("Folder", path), press("Move")],
                changed("files", row["id"], parent=number))  # fmt: skip


def throw_away(ask: Ask) -> Draft:
    """Move a file to the bin."""
    row = one_file(ask)
    ways = (f"delete the file {row['name']}", f"move {row['name']} of {path_of(ask.store, row['parent'])} to the bin")
    return done(ways, [*file(row["name"]), CHANGE, press("Move to bin")], changed("files", row["id"], binned=1))


def bring_back(ask: Ask) -> Draft:
    """Restore a file from the bin."""
    row = ask.row("SELECT * FROM files WHERE binned = 1 ORDER BY id")
    ways = (f"restore the file {row['name']} from the bin", f"bring back {row['name']}, which I deleted")
    plan = [["open", "Files"], link("Bin"), press(f"Restore {row['name']}")]
    return done(ways, plan, changed("files", row["id"], binned=0))


def erase(ask: Ask) -> Draft:
    """Delete a file of the bin for good."""
    row = ask.row("SELECT * FROM files WHERE binned = 1 ORDER BY id")
    ways = (f"delete {row['name']}, which is in the bin, for good", f"remove {row['name']} from the bin for good")
    plan = [["open", "Files"], link("Bin"), press(f"Delete {row['name']} for good")]
    return done(ways, plan, removed("files", row["id"]))


def copy(ask: Ask) -> Draft:
    """Copy a file."""
    row = one_file(ask)
    stem, _, ending = row["name"].rpartition(".")
    ways = (f"make a copy of the file {row['name']}", f"copy {row['name']} within its folder")
    return done(ways, [*file(row["name"]), CHANGE, press("Make a copy")],
                added("files", name=f"{stem} copy.{ending}", parent=row["parent"]))  # fmt: skip


def star(ask: Ask) -> Draft:
    """Star a file, or no longer."""
    row = one_file(ask)
    ways = (f"star the file {row['name']}", f"mark {row['name']} with a star")
    if row["starred"]:
        ways = (f"remove the star from {row['name']}", f"make sure that the file {row['name']} is not starred")
    return done(ways, [*file(row["name"]), click("switch", "Starred")],
                changed("files", row["id"], starred=1 - row["starred"]))  # fmt: skip


def new_folder(ask: Ask) -> Draft:
    """Make a folder."""
    row = ask.row(f"SELECT * FROM files WHERE kind = '{FOLDER}' AND id != ? ORDER BY id", ROOT)
    name = f"{ask.pick(('Trip', 'Club', 'Bank', 'School', 'House'))} {ask.between(2020, 2026)}"
    path = path_of(ask.store, row["id"])
    steps: list[Step] = [link(part) for part in path.strip("/").split("/")]
    ways = (f"make a folder “{name}” in the folder {path}", f"create the folder “{name}” inside {path}")
    return done(ways, [["open", "Files"], *steps, fill("New folder", name), press("Create folder")],
                added("files", parent=row["id"], name=name, kind=FOLDER))  # fmt: skip


def fact_of_file(ask: Ask) -> Draft:
    """Read size, folder or date of a file."""
    row = one_file(ask)
    said, right, hint = ask.pick((("size", kilobytes(row["size"]), "size"),
                                  ("folder", path_of(ask.store, row["parent"]), "text"),
                                  ("last change", row["changed"], "text")))  # fmt: skip
    ways = (f"the {said} of the file {row['name']}", f"what the device says of the {said} of {row['name']}")
    return told(ways, [*file(row["name"]), ["stop", right]], right, hint)


def largest(ask: Ask) -> Draft:
    """Find the largest file of a folder."""
    row = ask.row(
        f"""SELECT files.* FROM files WHERE kind = '{FOLDER}' AND id != ? AND (SELECT count(*) FROM files AS
        inside WHERE inside.parent = files.id AND binned = 0 AND inside.kind != '{FOLDER}') > 2 ORDER BY id""",
        ROOT,
    )
    inside = ask.store.all(f"""SELECT * FROM files WHERE parent = ? AND kind != '{FOLDER}' AND binned = 0
        ORDER BY size DESC, name""", row["id"])  # fmt: skip
    path, right = path_of(ask.store, row["id"]), inside[0]["name"]
    steps: list[Step] = [link(part) for part in path.strip("/").split("/")]
    ways = (f"the largest file directly in the folder {path}", f"which file directly in {path} is the largest")
    return told(ways, [["open", "Files"], *steps, link("size"), ["stop", right]], right, "name")


def line_of_file(ask: Ask) -> Draft:
    """Read something that stands in a file."""
    row = one_file(ask, "body LIKE '%Customer number%'")
    right = row["body"].split("Customer number ")[1].split(".")[0]
    ways = (f"the customer number in the file {row['name']}", f"which customer number stands in {row['name']}")
    return told(ways, [*file(row["name"]), ["stop", right]], right, "number")


def one_note(ask: Ask, where: str = "1") -> Row:
    """A note, not that of passwords.

    Args:
        ask: The device.
        where: A condition.
    """
    return ask.row(f"SELECT * FROM notes WHERE title != '{PASSWORDS}' AND {where} ORDER BY id")


def new_note(ask: Ask) -> Draft:
    """Write a note."""
    title = f"{ask.pick(('Packing', 'Plan', 'Questions', 'List'))} {ask.pick(words()['talk']['things'])}"
    body = f"Ask for the {ask.pick(words()['talk']['things'])} at {ask.pick(words()['places'])}"
    folder = ask.pick(FOLDERS)
    plan = [["open", "Notes"], link("New note"), fill("Title", title), fill("Text", body), choose("Folder", folder),
            press("Save note")]  # fmt: skip
    ways = (f"write a note with the title “{title}” and the text “{body}” in the folder {folder}",
            f"make a note “{title}” in {folder} that says “{body}”")  # fmt: skip
    return done(ways, plan, added("notes", title=title, body=body, folder=folder))


def retitle(ask: Ask) -> Draft:
    """Change the title of a note."""
    row = one_note(ask)
    title = f"{row['title']} {ask.pick(('again', '2026', 'new', 'part two'))}"
    plan = [*note(row["title"]), link("Edit note"), fill("Title", title), press("Save note")]
    ways = (f"rename the note “{row['title']}” to “{title}”", f"give the note “{row['title']}” the title “{title}”")
    return done(ways, plan, changed("notes", row["id"], title=title))


def refile(ask: Ask) -> Draft:
    """Put a note into another folder."""
    row = one_note(ask)
    folder = ask.pick([one for one in FOLDERS if one != row["folder"]])
    plan = [*note(row["title"]), link("Edit note"), choose("Folder", folder), press("Save note")]
    ways = (f"move the note “{row['title']}” to the folder {folder}", f"file the note “{row['title']}” under {folder}")
    return done(ways, plan, changed("notes", row["id"], folder=folder))


def pin(ask: Ask) -> Draft:
    """Pin a note, or no longer."""
    row = one_note(ask)
    verb = "unpin" if row["pinned"] else "pin"
    ways = (f"{verb} the note “{row['title']}”", f"{verb} “{row['title']}” in the notes")
    return done(ways, [*note(row["title"]), click("switch", "Pinned")],
                changed("notes", row["id"], pinned=1 - row["pinned"]))  # fmt: skip


def delete_note(ask: Ask) -> Draft:
    """Delete a note."""
    row = one_note(ask)
    items = ask.store.all("SELECT id FROM items WHERE note = ? ORDER BY id", row["id"])
    ways = (f"delete the note “{row['title']}”", f"remove “{row['title']}” from the notes")
    return done(ways, [*note(row["title"]), press("Delete note")], removed("notes", row["id"]),
                *(removed("items", one["id"]) for one in items))  # fmt: skip


def tick(ask: Ask) -> Draft:
    """Tick off an item of a note."""
    row = ask.row("SELECT items.*, title FROM items JOIN notes ON notes.id = note WHERE done = 0 ORDER BY items.id")
    ways = (f"tick off “{row['body']}” in the note “{row['title']}”",
            f"mark “{row['body']}” as done on the list “{row['title']}”")  # fmt: skip
    return done(ways, [*note(row["title"]), click("checkbox", row["body"])], changed("items", row["id"], done=1))


def add_items(ask: Ask) -> Draft:
    """Add two items to a list."""
    row = one_note(ask, "id IN (SELECT note FROM items)")
    has = {one["body"] for one in ask.store.all("SELECT body FROM items WHERE note = ?", row["id"])}
    given = [one for one in words()["notes"]["items"] if one not in has]
    first = ask.pick(given)
    second = ask.pick([one for one in given if one != first])
    plan = [
        *note(row["title"]),
        fill("New item", first),
        press("Add item"),
        fill("New item", second),
        press("Add item"),
    ]
    ways = (f"add {first} and {second} to the list “{row['title']}”",
            f"put {first} and {second} on the list of the note “{row['title']}”")  # fmt: skip
    return done(ways, plan, *(added("items", note=row["id"], body=one, done=0) for one in (first, second)))


def drop_item(ask: Ask) -> Draft:
    """Remove an item of a list."""
    row = ask.row("SELECT items.*, title FROM items JOIN notes ON notes.id = note ORDER BY items.id")
    ways = (
        f"remove {row['body']} from the list “{row['title']}”",
        f"strike {row['body']} off “{row['title']}” entirely",
    )
    return done(ways, [*note(row["title"]), press(f"Remove {row['body']}")], removed("items", row["id"]))


def open_items(ask: Ask) -> Draft:
    """Count the open or the ticked items of a list."""
    state = ask.pick((0, 1))
    row = ask.row("SELECT * FROM notes WHERE id IN (SELECT note FROM items) ORDER BY id")
    count = ask.store.value("SELECT count(*) FROM items WHERE note = ? AND done = ?", row["id"], state)
    said = "ticked off" if state else "still open"
    ways = (
        f"how many items of the list “{row['title']}” are {said}",
        f"the number of items {said} in “{row['title']}”",
    )
    return told(ways, [*note(row["title"]), ["stop", str(count)]], count, "number")


TEMPLATES: tuple[Template, ...] = (
    rename, move, throw_away, bring_back, erase, copy, star, new_folder, fact_of_file, largest, line_of_file, new_note,
    retitle, refile, pin, delete_note, tick, add_items, drop_item, open_items,
)  # fmt: skip
