"""Templates over the settings of a device."""

from __future__ import annotations

from typing import Any

from agentgym.envs.web._device.drafts import Ask, Draft, Template, choose, click, done, fill, link, press, told
from agentgym.envs.web._device.judge import changed
from agentgym.envs.web._sites.device.settings import PERMISSIONS, sections
from agentgym.envs.web._sites.plans import Step


def _setting(ask: Ask, kind: str) -> tuple[str, dict[str, Any], Any]:
    """The section, the description and the row of a setting of a kind."""
    section, one = ask.pick([(section, one) for section, all_ in sections().items() for one in all_
                             if one["kind"] == kind])  # fmt: skip
    return section, one, ask.store.one("SELECT * FROM settings WHERE name = ?", one["name"])


def _flipped(section: str, row: Any) -> tuple[str, list[Step], dict[str, Any]]:
    """The new value of a switch, steps from the settings' first screen, and the goal."""
    value = "off" if row["value"] == "on" else "on"
    return value, [link(section), click("switch", row["name"])], changed("settings", row["id"], value=value)


def _level(ask: Ask, section: str, row: Any) -> tuple[str, list[Step], dict[str, Any]]:
    value = str(ask.pick([one for one in range(0, 101, 5) if str(one) != row["value"]]))
    plan = [link(section), fill(row["name"], value, "spinbutton"), press(f"Set {row['name']}")]
    return value, plan, changed("settings", row["id"], value=value)


def _choice(ask: Ask, section: str, one: Any, row: Any) -> tuple[str, list[Step], dict[str, Any]]:
    value = ask.pick([option for option in one["options"] if option != row["value"]])
    plan = [link(section), choose(row["name"], value), press(f"Set {row['name']}")]
    return value, plan, changed("settings", row["id"], value=value)


def switch(ask: Ask) -> Draft:
    """Turn something on or off."""
    section, _, row = _setting(ask, "switch")
    value, plan, goal = _flipped(section, row)
    words = (f"turn {row['name']} {value}", f"switch {value} {row['name']} in the settings",
             f"make sure that {row['name']} is {value}")  # fmt: skip
    return done(words, [["open", "Settings"], *plan], goal)


def level(ask: Ask) -> Draft:
    """Set a level."""
    section, _, row = _setting(ask, "level")
    value, plan, goal = _level(ask, section, row)
    name = row["name"]
    words = (
        f"set {name} to {value}",
        f"change {name} from {row['value']} to {value}",
        f"put {name} at {value} percent",
    )
    return done(words, [["open", "Settings"], *plan], goal)


def option(ask: Ask) -> Draft:
    """Choose among options."""
    section, one, row = _setting(ask, "choice")
    value, plan, goal = _choice(ask, section, one, row)
    name = row["name"]
    words = (f"set {name} to “{value}”", f"change {name} to “{value}” in the settings", f"choose “{value}” for {name}")
    return done(words, [["open", "Settings"], *plan], goal)


def two_settings(ask: Ask) -> Draft:
    """Change a switch and a level or an option."""
    section, _, first = _setting(ask, "switch")
    value, plan, goal = _flipped(section, first)
    kind = ask.pick(("level", "choice"))
    other, one, second = _setting(ask, kind)
    new, more, also = _level(ask, other, second) if kind == "level" else _choice(ask, other, one, second)
    steps: list[Step] = [["open", "Settings"], *plan, link("All settings"), *more]
    words = (f"turn {first['name']} {value} and set {second['name']} to {new}",
             f"set {second['name']} to {new}, and turn {first['name']} {value} as well")  # fmt: skip
    return done(words, steps, goal, also)


def level_of(ask: Ask) -> Draft:
    """Read a level or an option."""
    section, _, row = _setting(ask, ask.pick(("level", "choice")))
    words = (
        f"the setting {row['name']}",
        f"what {row['name']} is set to",
        f"the value of {row['name']} on this device",
    )
    return told(words, [["open", "Settings"], link(section), ["stop", row["value"]]], row["value"],
                "number" if row["value"].isdigit() else "text")  # fmt: skip


def _to_network(name: str) -> list[Step]:
    return [["open", "Settings"], link("Wi-Fi networks"), link(name)]


def join_network(ask: Ask) -> Draft:
    """Join a network with its password."""
    row = ask.row("SELECT * FROM networks WHERE saved = 0 ORDER BY id")
    plan = [*_to_network(row["name"]), fill("Password", row["password"]), press("Join")]
    words = (f"connect to the Wi-Fi network “{row['name']}” with the password {row['password']}",
             f"join “{row['name']}”, whose Wi-Fi password is {row['password']}")  # fmt: skip
    return done(words, plan, *joined(ask, row["id"]))


def joined(ask: Ask, number: int) -> list[dict[str, Any]]:
    """Goals: a network that was not saved is joined, and the one before is left.

    Args:
        ask: The device.
        number: Of the network.
    """
    before = ask.store.one("SELECT * FROM networks WHERE joined = 1")
    left = [changed("networks", before["id"], joined=0)] if before is not None else []
    return [*left, changed("networks", number, joined=1, saved=1)]


def known_network(ask: Ask) -> Draft:
    """Join a network that is saved."""
    row = ask.row("SELECT * FROM networks WHERE saved = 1 AND joined = 0 ORDER BY id")
    before = ask.store.all("SELECT * FROM networks WHERE joined = 1")[0]
    words = (f"switch the Wi-Fi from “{before['name']}” to “{row['name']}”",
             f"connect to “{row['name']}”, whose password is saved")  # fmt: skip
    return done(words, [*_to_network(row["name"]), press("Join")], changed("networks", before["id"], joined=0),
                changed("networks", row["id"], joined=1))  # fmt: skip


def forget_network(ask: Ask) -> Draft:
    """Forget a saved network."""
    row = ask.row("SELECT * FROM networks WHERE saved = 1 AND joined = 0 ORDER BY id")
    words = (f"forget the Wi-Fi network “{row['name']}”", f"remove the saved Wi-Fi network “{row['name']}”")
    return done(
        words, [*_to_network(row["name"]), press("Forget this network")], changed("networks", row["id"], saved=0)
    )


def pair(ask: Ask) -> Draft:
    """Pair or unpair something with Bluetooth."""
    row = ask.row("SELECT * FROM gadgets ORDER BY id")
    verb = "Unpair" if row["paired"] else "Pair"
    words = (f"{verb.lower()} the {row['kind']} “{row['name']}”",
             f"{'disconnect' if row['paired'] else 'connect'} “{row['name']}” over Bluetooth")  # fmt: skip
    plan = [["open", "Settings"], link("Bluetooth devices"), press(f"{verb} {row['name']}")]
    return done(words, plan, changed("gadgets", row["id"], paired=1 - row["paired"]))


def permit(ask: Ask) -> Draft:
    """Give an app a permission, or take it away."""
    row, name = ask.row("SELECT * FROM apps ORDER BY id"), ask.pick(PERMISSIONS)
    had = row[name.lower()]
    what = {"Notifications": "send notifications", "Location": "use the location", "Camera": "use the camera",
            "Contacts": "read the contacts"}[name]  # fmt: skip
    words = (f"{'forbid' if had else 'allow'} the app {row['name']} to {what}",
             f"turn {'off' if had else 'on'} {name} for the app {row['name']}")  # fmt: skip
    plan = [["open", "Settings"], link("Apps"), link(row["name"]), click("switch", name)]
    return done(words, plan, changed("apps", row["id"], **{name.lower(): 1 - had}))


def about(ask: Ask) -> Draft:
    """Read something about the device."""
    row = ask.row("SELECT * FROM about ORDER BY id")
    words = (f"the {row['name'].lower()} of this device", f"what the settings say about the {row['name'].lower()}")
    plan = [["open", "Settings"], link("About this device"), ["stop", row["value"]]]
    return told(words, plan, row["value"], "text")


def app_size(ask: Ask) -> Draft:
    """Read how large an app is."""
    row = ask.row("SELECT * FROM apps ORDER BY id")
    words = (f"how much storage the app {row['name']} takes", f"the size of the app {row['name']}")
    plan = [["open", "Settings"], link("Apps"), ["stop", f"{row['size']} MB"]]
    return told(words, plan, f"{row['size']} MB", "size")


def app_version(ask: Ask) -> Draft:
    """Read the version of an app."""
    row = ask.row("SELECT * FROM apps ORDER BY id")
    words = (f"the version of the app {row['name']}", f"which version of {row['name']} is installed")
    plan = [["open", "Settings"], link("Apps"), link(row["name"]), ["stop", row["version"]]]
    return told(words, plan, row["version"], "number")


def largest_app(ask: Ask) -> Draft:
    """Find the largest or smallest of some apps."""
    most = ask.pick((True, False))
    rows = ask.store.all("SELECT * FROM apps ORDER BY size")
    begin = ask.between(0, len(rows) - 5)
    some = rows[begin : begin + 5]
    names = sorted(row["name"] for row in some)
    right = some[-1 if most else 0]["name"]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    words = (f"which app takes the {'most' if most else 'least'} storage among {listed}",
             f"the {'largest' if most else 'smallest'} of the apps {listed}")  # fmt: skip
    return told(words, [["open", "Settings"], link("Apps"), ["stop", right]], right, "name")


TEMPLATES: tuple[Template, ...] = (
    switch, level, option, two_settings, level_of, join_network, known_network, forget_network, pair, permit, about,
    app_size, app_version, largest_app,
)  # fmt: skip
