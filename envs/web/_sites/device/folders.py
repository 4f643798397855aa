"""Files: folders within folders, and a bin; files are found, read, renamed, moved, copied, deleted, brought back."""

from __future__ import annotations

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, go_to, missing, paged, show
from agentgym.envs.web._sites.database import Row, Store
from agentgym.envs.web._sites.device.forms import wrong_length

ROOT, SIZE = 1, 30
FOLDER = "folder"
ORDERS = {"name": "name", "size": "size DESC, name", "newest": "changed DESC, name"}
FORBIDDEN = '/\\:*?"<>|'


def path_of(store: Store, number: int) -> str:
    """Where a file is, such as `/Documents/Letters/a.txt`.

    Args:
        store: The device.
        number: Of the file or folder.
    """
    names: list[str] = []
    while number != ROOT:
        row = store.one("SELECT parent, name FROM files WHERE id = ?", number)
        if row is None:
            break
        names.insert(0, row["name"])
        number = row["parent"]
    return "/" + "/".join(names)


def kilobytes(size: int) -> str:
    """A size as the app writes it."""
    return f"{size} KB" if size < 1000 else f"{size / 1000:.1f} MB"


def _home(site: SiteApplication, visit: Visit) -> Answer:
    return _opened(site, visit, ROOT)


def _row(site: SiteApplication, number: str | int) -> Row | None:
    return site.store.one("SELECT * FROM files WHERE id = ?", number)


def _opened(site: SiteApplication, visit: Visit, number: int | str, wrong: str = "") -> Answer:
    row = _row(site, number)
    if row is None:
        return missing("file")
    store = site.store
    if row["kind"] != FOLDER:
        return show("file", 422 if wrong else 200, row=row, where=path_of(store, row["parent"]), wrong=wrong,
                    size=kilobytes(row["size"]), folders=_folders(store))  # fmt: skip
    order = visit.query.get("sort", "name")
    order = order if order in ORDERS else "name"
    inside = "FROM files WHERE parent = ? AND binned = 0 AND id != ?"
    place = paged(visit, store.value(f"SELECT count(*) {inside}", row["id"], ROOT), SIZE)
    rows = store.all(f"SELECT * {inside} ORDER BY kind != '{FOLDER}', {ORDERS[order]} LIMIT ? OFFSET ?", row["id"],
                     ROOT, SIZE, place["start"])  # fmt: skip
    return show("folder", 422 if wrong else 200, row=row, files=[(one, kilobytes(one["size"])) for one in rows],
                path=path_of(store, row["id"]), orders=list(ORDERS), order=order, wrong=wrong, root=row["id"] == ROOT,
                folders=_folders(store), **place)  # fmt: skip


def _folders(store: Store) -> list[str]:
    """The paths of all folders."""
    rows = store.all(f"SELECT id FROM files WHERE kind = '{FOLDER}' AND binned = 0")
    return sorted(path_of(store, row[0]) for row in rows)


def _file(site: SiteApplication, visit: Visit) -> Answer:
    return _opened(site, visit, visit.path["number"])


def _search(site: SiteApplication, visit: Visit) -> Answer:
    words = visit.query.get("q", "").strip()
    query = """SELECT * FROM files WHERE binned = 0 AND id != 1 AND instr(lower(name), lower(?)) > 0
        ORDER BY name, id LIMIT 60"""
    rows = site.store.all(query, words) if words else []
    return show("file_search", files=[(one, path_of(site.store, one["parent"])) for one in rows], q=words)


def _starred(site: SiteApplication, visit: Visit) -> Answer:
    rows = site.store.all("SELECT * FROM files WHERE starred = 1 AND binned = 0 ORDER BY name, id")
    return show("starred_files", files=[(one, path_of(site.store, one["parent"])) for one in rows])


def _bin(site: SiteApplication, visit: Visit) -> Answer:
    rows = site.store.all("SELECT * FROM files WHERE binned = 1 ORDER BY name, id")
    return show("bin", files=[(one, path_of(site.store, one["parent"])) for one in rows])


def _taken(store: Store, parent: int, name: str, itself: int = 0) -> bool:
    query = "SELECT 1 FROM files WHERE parent = ? AND lower(name) = lower(?) AND id != ? AND binned = 0"
    return store.one(query, parent, name, itself) is not None


def _name_objections(store: Store, parent: int, name: str, itself: int = 0) -> list[str]:
    wrong = wrong_length("A name", name, "name")
    if any(letter in FORBIDDEN for letter in name):
        wrong.append(f"A name has none of {FORBIDDEN}")
    if _taken(store, parent, name, itself):
        wrong.append("There is something of this name in the folder.")
    return wrong


def _rename(site: SiteApplication, visit: Visit) -> Answer:
    row, name = _row(site, visit.path["number"]), visit.form.get("name", "")
    if row is None or row["id"] == ROOT:
        return missing("file")
    wrong = _name_objections(site.store, row["parent"], name, row["id"])
    if wrong:
        return _opened(site, visit, row["id"], " ".join(wrong))
    site.store.do("UPDATE files SET name = ? WHERE id = ?", name, row["id"])
    return go_to(f"/files/{row['id']}", notice="Renamed.")


def _move(site: SiteApplication, visit: Visit) -> Answer:
    store, row, to = site.store, _row(site, visit.path["number"]), visit.form.get("folder", "")
    if row is None or row["id"] == ROOT:
        return missing("file")
    found = [one[0] for one in store.all(f"SELECT id FROM files WHERE kind = '{FOLDER}' AND binned = 0")
             if path_of(store, one[0]) == to]  # fmt: skip
    wrong = [] if found else ["Choose a folder."]
    if found and (path_of(store, found[0]) + "/").startswith(path_of(store, row["id"]) + "/"):
        wrong.append("A folder cannot be moved into itself.")
    if found and _taken(store, found[0], row["name"], row["id"]):
        wrong.append("There is something of this name in that folder.")
    if wrong:
        return _opened(site, visit, row["id"], " ".join(wrong))
    store.do("UPDATE files SET parent = ? WHERE id = ?", found[0], row["id"])
    return go_to(f"/files/{row['id']}", notice=f"Moved to {to}.")


def _copy(site: SiteApplication, visit: Visit) -> Answer:
    row = _row(site, visit.path["number"])
    if row is None or row["kind"] == FOLDER or row["binned"]:
        return missing("file")
    stem, dot, ending = row["name"].rpartition(".")
    name = f"{stem or row['name']} copy{dot}{ending if stem else ''}"
    if _taken(site.store, row["parent"], name):
        return _opened(site, visit, row["id"], f"There is a “{name}” already.")
    number = site.store.do("INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, 0, 0)", row["parent"], name, row["kind"],
                           row["size"], site.store.now, row["body"])  # fmt: skip
    return go_to(f"/files/{number}", notice="This is the copy.")


def _star(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("UPDATE files SET starred = 1 - starred WHERE id = ?", visit.path["number"])
    return go_to(f"/files/{visit.path['number']}")


def _to_bin(site: SiteApplication, visit: Visit) -> Answer:
    row = _row(site, visit.path["number"])
    if row is None or row["id"] == ROOT:
        return missing("file")
    if row["kind"] == FOLDER and site.store.one("SELECT 1 FROM files WHERE parent = ? AND binned = 0", row["id"]):
        return _opened(site, visit, row["id"], "Only an empty folder can be moved to the bin.")
    site.store.do("UPDATE files SET binned = 1 WHERE id = ?", row["id"])
    return go_to(f"/files/{row['parent']}", notice=f"“{row['name']}” is in the bin.")


def _restore(site: SiteApplication, visit: Visit) -> Answer:
    """Bring a file back to its folder; to the root, if that is in the bin or gone."""
    store, row = site.store, _row(site, visit.path["number"])
    if row is None:
        return missing("file")
    folder = store.one("SELECT * FROM files WHERE id = ? AND binned = 0", row["parent"])
    parent = ROOT if folder is None else row["parent"]
    if _taken(store, parent, row["name"], row["id"]):
        where = "its folder" if folder else "/"
        return go_to("/files/bin", notice=f"There is something of this name in {where}.")
    store.do("UPDATE files SET binned = 0, parent = ? WHERE id = ?", parent, row["id"])
    return go_to("/files/bin", notice=f"“{row['name']}” is back{'' if folder else ' in /; its folder is gone'}.")


def _delete(site: SiteApplication, visit: Visit) -> Answer:
    """Delete a file for good; what was in a folder and is in the bin itself belongs to the root from then on."""
    row = _row(site, visit.path["number"])
    if row is None or not row["binned"]:
        return missing("file")
    if row["kind"] == FOLDER:
        site.store.do("UPDATE files SET parent = ? WHERE parent = ?", ROOT, row["id"])
    site.store.do("DELETE FROM files WHERE id = ?", row["id"])
    return go_to("/files/bin", notice="Deleted for good.")


def _new_folder(site: SiteApplication, visit: Visit) -> Answer:
    row, name = _row(site, visit.path["number"]), visit.form.get("name", "")
    if row is None or row["kind"] != FOLDER or row["binned"]:
        return missing("folder")
    wrong = _name_objections(site.store, row["id"], name)
    if wrong:
        return _opened(site, visit, row["id"], " ".join(wrong))
    site.store.do("INSERT INTO files VALUES (NULL, ?, ?, ?, 0, ?, '', 0, 0)", row["id"], name, FOLDER, site.store.now)
    return go_to(f"/files/{row['id']}", notice=f"The folder “{name}” is there.")


F = "/files/{number:int}"
ROUTES: Routes = [
    ("GET", "/files", _home),
    ("GET", "/files/search", _search),
    ("GET", "/files/starred", _starred),
    ("GET", "/files/bin", _bin),
    ("GET", F, _file),
    ("POST", F + "/rename", _rename),
    ("POST", F + "/move", _move),
    ("POST", F + "/copy", _copy),
    ("POST", F + "/star", _star),
    ("POST", F + "/bin", _to_bin),
    ("POST", F + "/restore", _restore),
    ("POST", F + "/delete", _delete),
    ("POST", F + "/folder", _new_folder),
]
