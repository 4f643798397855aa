"""Messages: conversations by phone number, searched, muted, archived; messages starred, forwarded, sent."""

from __future__ import annotations

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, go_to, missing, paged, show
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.device.forms import name_of, phone_of, wrong_length

SIZE = 20
LATEST = """SELECT threads.*, body, sent, mine FROM threads JOIN messages ON messages.id = (SELECT id FROM messages
    WHERE thread = threads.id ORDER BY id DESC LIMIT 1)"""


def _list(site: SiteApplication, visit: Visit) -> Answer:
    return _listed(site, visit, 0)


def _archive(site: SiteApplication, visit: Visit) -> Answer:
    return _listed(site, visit, 1)


def _listed(site: SiteApplication, visit: Visit, archived: int) -> Answer:
    rows = site.store.all(f"{LATEST} WHERE archived = ? ORDER BY sent DESC, messages.id DESC", archived)
    place = paged(visit, len(rows), SIZE)
    shown = [(row, name_of(site.store, row["phone"])) for row in rows[place["start"] : place["start"] + SIZE]]
    return show("messages", threads=shown, archived=archived, **place)


def _search(site: SiteApplication, visit: Visit) -> Answer:
    words = visit.query.get("q", "").strip()
    query = """SELECT messages.*, phone FROM messages JOIN threads ON threads.id = thread
        WHERE instr(lower(body), lower(?)) > 0 ORDER BY sent DESC, messages.id DESC LIMIT 40"""
    found = [(row, name_of(site.store, row["phone"])) for row in (site.store.all(query, words) if words else [])]
    query = "SELECT * FROM threads ORDER BY id"
    people = [(row, name) for row in site.store.all(query) if words.lower() in (name := name_of(site.store,
              row["phone"])).lower()]  # fmt: skip
    return show("message_search", found=found, people=people[:20] if words else [], q=words)


def _starred(site: SiteApplication, visit: Visit) -> Answer:
    query = """SELECT messages.*, phone FROM messages JOIN threads ON threads.id = thread WHERE starred = 1
        ORDER BY sent DESC, messages.id DESC LIMIT 60"""
    found = [(row, name_of(site.store, row["phone"])) for row in site.store.all(query)]
    return show("starred", found=found)


def _found(site: SiteApplication, visit: Visit) -> Row | None:
    return site.store.one("SELECT * FROM threads WHERE id = ?", visit.path["number"])


def _thread(site: SiteApplication, visit: Visit, wrong: str = "") -> Answer:
    row = _found(site, visit)
    if row is None:
        return missing("conversation")
    store = site.store
    if row["unread"]:
        store.do("UPDATE threads SET unread = 0 WHERE id = ?", row["id"])
    all_ = store.all("SELECT * FROM messages WHERE thread = ? ORDER BY id", row["id"])
    shown = len(all_) if "all" in visit.query else SIZE
    numbered = list(enumerate(all_, 1))[-shown:]
    contact = store.value("SELECT id FROM contacts WHERE phone = ?", row["phone"])
    return show("thread", 422 if wrong else 200, row=row, name=name_of(store, row["phone"]), messages=numbered,
                earlier=len(all_) - len(numbered), contact=contact, wrong=wrong)  # fmt: skip


def _say(site: SiteApplication, phone: str, text: str) -> int:
    """Send a message; the number of the conversation."""
    store = site.store
    thread = store.value("SELECT id FROM threads WHERE phone = ?", phone)
    if thread is None:
        thread = store.do("INSERT INTO threads VALUES (NULL, ?, 0, 0, 0)", phone)
    store.do("INSERT INTO messages VALUES (NULL, ?, 1, ?, ?, 0)", thread, text, store.now)
    return int(thread)


def _blocked(site: SiteApplication, phone: str) -> list[str]:
    """What is said of a number that belongs to a blocked contact."""
    blocked = site.store.one("SELECT 1 FROM contacts WHERE phone = ? AND blocked = 1", phone)
    return [f"{name_of(site.store, phone)} is blocked."] if blocked else []


def _reply(site: SiteApplication, visit: Visit) -> Answer:
    row, text = _found(site, visit), visit.form.get("body", "")
    if row is None:
        return missing("conversation")
    wrong = wrong_length("A message", text, "text") + _blocked(site, row["phone"])
    if wrong:
        return _thread(site, visit, " ".join(wrong))
    return go_to(f"/messages/{_say(site, row['phone'], text)}")


def _new(site: SiteApplication, visit: Visit) -> Answer:
    return show("message_form", to=visit.query.get("to", ""), body="")


def _send(site: SiteApplication, visit: Visit) -> Answer:
    to, text = visit.form.get("to", ""), visit.form.get("body", "")
    phone, wrong = phone_of(site.store, to), wrong_length("A message", text, "text")
    if not phone:
        wrong.append(f"“{to}” is no contact and no phone number.")
    wrong += _blocked(site, phone)
    if wrong:
        return show("message_form", 422, to=to, body=text, wrong=" ".join(wrong))
    return go_to(f"/messages/{_say(site, phone, text)}")


def _message(site: SiteApplication, visit: Visit) -> Row | None:
    return site.store.one("SELECT * FROM messages WHERE id = ?", visit.path["number"])


def _forward(site: SiteApplication, visit: Visit) -> Answer:
    row = _message(site, visit)
    return missing("message") if row is None else show("message_form", to="", body=row["body"])


def _star(site: SiteApplication, visit: Visit) -> Answer:
    row = _message(site, visit)
    if row is None:
        return missing("message")
    site.store.do("UPDATE messages SET starred = 1 - starred WHERE id = ?", row["id"])
    return go_to(f"/messages/{row['thread']}")


def _delete_message(site: SiteApplication, visit: Visit) -> Answer:
    row = _message(site, visit)
    if row is None:
        return missing("message")
    if site.store.value("SELECT count(*) FROM messages WHERE thread = ?", row["thread"]) == 1:
        return go_to(f"/messages/{row['thread']}", notice="It is the only message; delete the conversation instead.")
    site.store.do("DELETE FROM messages WHERE id = ?", row["id"])
    return go_to(f"/messages/{row['thread']}", notice="The message is deleted.")


def _flip(site: SiteApplication, visit: Visit) -> Answer:
    row, name = _found(site, visit), visit.form.get("name", "")
    if row is None or name not in ("muted", "archived"):
        return missing("conversation")
    site.store.do(f"UPDATE threads SET {name} = 1 - {name} WHERE id = ?", row["id"])
    return go_to(f"/messages/{row['id']}")


def _delete(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    if row is None:
        return missing("conversation")
    site.store.do("DELETE FROM messages WHERE thread = ?", row["id"])
    site.store.do("DELETE FROM threads WHERE id = ?", row["id"])
    return go_to("/messages", notice="The conversation is deleted.")


M = "/messages/{number:int}"
ROUTES: Routes = [
    ("GET", "/messages", _list),
    ("GET", "/messages/archive", _archive),
    ("GET", "/messages/search", _search),
    ("GET", "/messages/starred", _starred),
    ("GET", "/messages/new", _new),
    ("POST", "/messages/new", _send),
    ("GET", M, _thread),
    ("POST", M, _reply),
    ("POST", M + "/flip", _flip),
    ("POST", M + "/delete", _delete),
    ("GET", "/messages/forward/{number:int}", _forward),
    ("POST", "/messages/star/{number:int}", _star),
    ("POST", "/messages/delete/{number:int}", _delete_message),
]
