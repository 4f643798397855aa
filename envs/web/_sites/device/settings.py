"""Settings: switches, levels and choices by section, networks, Bluetooth, apps with their permissions."""

from __future__ import annotations

from typing import Any

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, go_to, missing, show
from agentgym.envs.web._sites.database import read_words

PERMISSIONS = ("Notifications", "Location", "Camera", "Contacts")


def words() -> dict[str, Any]:
    """The word lists of the device."""
    return read_words(__package__)


def sections() -> dict[str, list[dict[str, Any]]]:
    """The settings of each section, as the word lists describe them."""
    found: dict[str, list[dict[str, Any]]] = words()["settings"]
    return found


def slug(name: str) -> str:
    """A name as an address writes it."""
    return name.lower().replace(" ", "-")


def _described(name: str) -> tuple[str, dict[str, Any]] | None:
    """The section and the description of a setting."""
    return next(((section, one) for section, all_ in sections().items() for one in all_ if one["name"] == name), None)


def _home(site: SiteApplication, visit: Visit) -> Answer:
    words_ = visit.query.get("q", "").strip().lower()
    found = [(section, one["name"]) for section, all_ in sections().items() for one in all_
             if words_ and words_ in one["name"].lower()]  # fmt: skip
    return show("settings", names=[(name, slug(name)) for name in sections()], q=words_,
                found=[(section, slug(section), name) for section, name in found])  # fmt: skip


def _section(site: SiteApplication, visit: Visit) -> Answer:
    name = next((one for one in sections() if slug(one) == visit.path["section"]), "")
    if not name:
        return missing("section")
    return _shown(site, name)


def _shown(site: SiteApplication, name: str, wrong: str = "") -> Answer:
    values = {row["name"]: row["value"] for row in site.store.all("SELECT name, value FROM settings")}
    return show("section", 422 if wrong else 200, section=name, settings=sections()[name], values=values, wrong=wrong)


def _set(site: SiteApplication, visit: Visit) -> Answer:
    found = _described(visit.form.get("name", ""))
    if found is None:
        return missing("setting")
    section, one = found
    now = site.store.value("SELECT value FROM settings WHERE name = ?", one["name"])
    given = visit.form.get("value", "")
    if one["kind"] == "switch":
        given = "off" if now == "on" else "on"
    elif one["kind"] == "level":
        if not (given.isascii() and given.isdigit() and len(given) < 4 and int(given) <= 100):
            return _shown(site, section, f"{one['name']} is a whole number from 0 to 100.")
        given = str(int(given))
    elif given not in one["options"]:
        return _shown(site, section, f"Choose one of: {', '.join(one['options'])}.")
    site.store.do("UPDATE settings SET value = ? WHERE name = ?", given, one["name"])
    return go_to(f"/settings/s/{slug(section)}")


def _networks(site: SiteApplication, visit: Visit) -> Answer:
    return show("networks", networks=site.store.all("SELECT * FROM networks ORDER BY joined DESC, strength DESC, id"))


def _network(site: SiteApplication, visit: Visit, wrong: str = "") -> Answer:
    row = site.store.one("SELECT * FROM networks WHERE id = ?", visit.path["number"])
    return missing("network") if row is None else show("network", 422 if wrong else 200, row=row, wrong=wrong)


def _join(site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    row = store.one("SELECT * FROM networks WHERE id = ?", visit.path["number"])
    if row is None:
        return missing("network")
    if store.value("SELECT value FROM settings WHERE name = 'Wi-Fi'") != "on":
        return _network(site, visit, "Wi-Fi is off; turn it on first.")
    if not row["saved"] and visit.form.get("password", "") != row["password"]:
        return _network(site, visit, "The password is wrong.")
    store.do("UPDATE networks SET joined = (id = ?), saved = (saved OR id = ?)", row["id"], row["id"])
    return go_to("/settings/networks", notice=f"Joined {row['name']}.")


def _forget(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("UPDATE networks SET saved = 0, joined = 0 WHERE id = ?", visit.path["number"])
    return go_to("/settings/networks", notice="The network is forgotten.")


def _gadgets(site: SiteApplication, visit: Visit) -> Answer:
    return show("gadgets", gadgets=site.store.all("SELECT * FROM gadgets ORDER BY paired DESC, name"))


def _pair(site: SiteApplication, visit: Visit) -> Answer:
    if site.store.value("SELECT value FROM settings WHERE name = 'Bluetooth'") != "on":
        return go_to("/settings/bluetooth", notice="Bluetooth is off; turn it on first.")
    site.store.do("UPDATE gadgets SET paired = 1 - paired WHERE id = ?", visit.path["number"])
    return go_to("/settings/bluetooth")


def _apps(site: SiteApplication, visit: Visit) -> Answer:
    return show("installed", installed=site.store.all("SELECT * FROM apps ORDER BY name"))


def _app(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one("SELECT * FROM apps WHERE id = ?", visit.path["number"])
    return missing("app") if row is None else show("app", row=row, permissions=PERMISSIONS)


def _permit(site: SiteApplication, visit: Visit) -> Answer:
    name = visit.form.get("name", "")
    if name not in PERMISSIONS:
        return missing("permission")
    column = name.lower()
    site.store.do(f"UPDATE apps SET {column} = 1 - {column} WHERE id = ?", visit.path["number"])
    return go_to(f"/settings/apps/{visit.path['number']}")


def _about(site: SiteApplication, visit: Visit) -> Answer:
    return show("about", rows=site.store.all("SELECT * FROM about ORDER BY id"))


ROUTES: Routes = [
    ("GET", "/settings", _home),
    ("GET", "/settings/s/{section}", _section),
    ("POST", "/settings/set", _set),
    ("GET", "/settings/networks", _networks),
    ("GET", "/settings/networks/{number:int}", _network),
    ("POST", "/settings/networks/{number:int}/join", _join),
    ("POST", "/settings/networks/{number:int}/forget", _forget),
    ("GET", "/settings/bluetooth", _gadgets),
    ("POST", "/settings/bluetooth/{number:int}", _pair),
    ("GET", "/settings/apps", _apps),
    ("GET", "/settings/apps/{number:int}", _app),
    ("POST", "/settings/apps/{number:int}", _permit),
    ("GET", "/settings/about", _about),
]
