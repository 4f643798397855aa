"""Templates over the map: places, opening hours, ways and lists; and over the map and another site."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from agentgym.envs.web._sites.atlas.app import DAYS, RADII
from agentgym.envs.web._sites.atlas.content import network, words
from agentgym.envs.web._sites.atlas.finding import FULL, near, spot_of
from agentgym.envs.web._sites.atlas.routes import MODES, Way, as_distance, as_duration
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._suite.drafts import FORUM, MAP, SHOP, TRACKER, Ask, Draft, Template, answer, deed, letter, place
from agentgym.envs.web._suite.tracker_questions import NOW, ticket
from agentgym.envs.web._suite.tracker_tasks import REPORTS as MAY_REPORT

NOTES = ("Ask for a table outside", "Only with a booking", "Take the back door", "Bring the receipt",
         "Meet Ida there", "Closed in August")  # fmt: skip
SEEN = ("The sign at the door says otherwise.", "I stood before a locked door at noon.", "The number is not in use.",
        "It has moved around the corner.", "A note in the window says so.")  # fmt: skip
SAID = ("Kind people, good light.", "We waited long, but it was worth it.", "Nothing special.", "Never again.",
        "The best of its kind in the valley.")  # fmt: skip
LISTS = ("Visit of my sister", "Rainy Sundays", "First week", "Cheap and good", "For the club", "Birthday ideas")
ALONE = "(SELECT count(*) FROM places AS other WHERE other.name = places.name) = 1"


def spot(ask: Ask, where: str = "1", *given: Any) -> tuple[Row, str, str]:
    """A place, the way to it, and its words: its name where that is enough, otherwise with its town.

    Args:
        ask: What is drawn from.
        where: A condition on places, towns and streets.
        given: What the condition asks for.
    """
    row = ask.row(ask.atlas, f"{FULL} WHERE {where} ORDER BY places.id", *given)
    return row, f"{MAP}/place/{row['id']}", f"{row['name']} in {row['town_name']}"


def _ends(ask: Ask, far: bool = False) -> tuple[Row, Row, str]:
    """Two places, and what a task calls the way between them; both in one town, unless they are to be far apart."""
    one, _, here = spot(ask)
    other, _, there = spot(ask, f"places.town {'!=' if far else '='} ? AND places.node != ?", one["town"], one["node"])
    return one, other, f"from {here} to {there}"


def _way(one: Row, other: Row, mode: str) -> Way:
    found = network().way(one["node"], other["node"], mode)
    assert found is not None, "places lie where every mode reaches"
    return found


def _key(row: Row, letter: str = "p") -> str:
    """As addresses name a place, or a town."""
    return f"{letter}{row['id']}"


def _directions(one: Row, other: Row, mode: str) -> str:
    return f"{MAP}/directions?{urlencode({'from': _key(one), 'to': _key(other), 'mode': mode})}"


def _hours(ask: Ask, number: int) -> dict[int, Row]:
    return {row["day"]: row for row in ask.atlas.all("SELECT * FROM hours WHERE place = ?", number)}


def hours(ask: Ask) -> Draft:
    """When a place opens or closes."""
    row, way, named = spot(ask, "(SELECT min(opens) FROM hours WHERE place = places.id) > '00:00'")
    day, open_ = ask.pick(sorted(_hours(ask, row["id"]).items()))
    key, verb = ask.pick((("opens", "opens"), ("closes", "closes")))
    return answer(MAP, way, f"the time at which {named} {verb} on a {DAYS[day]}", open_[key], "time")


def closed_on(ask: Ask) -> Draft:
    """The only day on which a place is closed."""
    row, way, named = spot(ask, "(SELECT count(*) FROM hours WHERE place = places.id) = 6")
    day = next(day for day in range(7) if day not in _hours(ask, row["id"]))
    return answer(MAP, way, f"the day of the week on which {named} is closed", DAYS[day], "weekday")


def contact(ask: Ask) -> Draft:
    """Phone, street or website of a place."""
    row, way, named = spot(ask)
    key, said, told = ask.pick((("phone number", row["phone"], "phone"), ("street", row["street_name"], "name"),
                                ("website", row["website"], "word"),
                                ("house number", row["number"], "number")))  # fmt: skip
    return answer(MAP, way, f"the {key} of {named} on the map", said, told)


def by_address(ask: Ask) -> Draft:
    """What is at an address."""
    alone = "(SELECT count(*) FROM places AS other WHERE other.street = places.street AND other.number = " \
            "places.number) = 1"  # fmt: skip
    row, way, _ = spot(ask, alone)
    where = f"{row['number']} {row['street_name']} in {row['town_name']}"
    return answer(MAP, way, f"the name of the place at {where} on the map", row["name"], "name")


def distance(ask: Ask) -> Draft:
    """How far it is between two places of a town."""
    one, other, words_ = _ends(ask)
    mode = ask.pick(list(MODES))
    said = as_distance(_way(one, other, mode).meters)
    return answer(MAP, _directions(one, other, mode), f"the distance of the way {MODES[mode]} {words_}", said, "length")


def duration(ask: Ask) -> Draft:
    """How long a way takes from town to town."""
    one, other, words_ = _ends(ask, far=True)
    mode = ask.pick(list(MODES))
    said = as_duration(_way(one, other, mode).milliseconds)
    return answer(MAP, _directions(one, other, mode), f"the time that the way {MODES[mode]} {words_} takes", said,
                  "duration")  # fmt: skip


def quicker(ask: Ask) -> Draft:
    """Which of two places is reached sooner."""
    start, _, here = spot(ask)
    mode = ask.pick(list(MODES))
    goals = [spot(ask, "places.town != ? AND " + ALONE, start["town"]) for _ in range(2)]
    times = [_way(start, goal[0], mode).milliseconds for goal in goals]
    if abs(times[0] - times[1]) < 120_000:
        return duration(ask)
    said = goals[times.index(min(times))][0]["name"]
    both = f"{goals[0][0]['name']} or {goals[1][0]['name']}"
    plan = [["goto", _directions(start, goal[0], mode)] for goal in goals]
    draft = answer(
        MAP, MAP, f"the name of the place, {both}, that is reached sooner {MODES[mode]} from {here}", said, "name"
    )
    draft.plan = [*plan, ["stop", said]]
    return draft


def road_taken(ask: Ask) -> Draft:
    """The road that a way follows for longest."""
    one, other, words_ = _ends(ask, far=True)
    mode = ask.pick(list(MODES))
    legs = sorted(_way(one, other, mode).legs, key=lambda leg: -leg.meters)
    if len(legs) > 1 and as_distance(legs[0].meters) == as_distance(legs[1].meters):
        return duration(ask)
    asked = f"the name of the street or road that the way {MODES[mode]} {words_} follows for the longest stretch"
    return answer(MAP, _directions(one, other, mode), asked, legs[0].street, "name")


def nearest(ask: Ask) -> Draft:
    """The nearest place of a category."""
    row, _, named = spot(ask)
    category = ask.pick(sorted(words()["categories"]))
    found = near(ask.atlas, row["x"], row["y"], 2000, category, f"p{row['id']}")
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return contact(ask)
    url = f"{MAP}/nearby?{urlencode({'of': _key(row), 'category': category, 'radius': '2 km'})}"
    asked = f"the name of the nearest place of the category {category} to {named}, as the crow flies"
    return answer(MAP, url, asked, found[0][1].name, "name")


def around(ask: Ask) -> Draft:
    """How many places of a category are near."""
    row, _, named = spot(ask)
    category, radius = ask.pick(("Restaurant", "Café", "Bakery", "Pharmacy", "Supermarket", "Hotel", "Parking")), \
        ask.pick(("500 m", "1 km", "2 km"))  # fmt: skip
    found = near(ask.atlas, row["x"], row["y"], RADII[radius], category, f"p{row['id']}")
    if not found:
        return contact(ask)
    url = f"{MAP}/nearby?{urlencode({'of': _key(row), 'category': category, 'radius': radius})}"
    asked = f"the number of places of the category {category} within {radius} of {named}, itself not counted"
    return answer(MAP, url, asked, len(found), "number")


def how_many(ask: Ask) -> Draft:
    """How many places of a category a town, or a street, has."""
    row, _, _ = spot(ask)
    whole = ask.pick((True, False))
    if whole:
        count = ask.atlas.value(
            "SELECT count(*) FROM places WHERE town = ? AND category = ?", row["town"], row["category"]
        )
        asked = f"the number of places of the category {row['category']} in {row['town_name']}"
        return answer(MAP, f"{MAP}/town/{row['town']}", f"{asked} on the map", count, "number")
    count = ask.atlas.value("SELECT count(*) FROM places WHERE street = ?", row["street"])
    asked = f"the number of places of any category in {row['street_name']} of {row['town_name']}"
    return answer(MAP, f"{MAP}/street/{row['street']}", f"{asked} on the map", count, "number")


def rating(ask: Ask) -> Draft:
    """What somebody thinks of a place, or everybody."""
    row, way, named = spot(ask, "(SELECT count(*) FROM ratings WHERE place = places.id) > 1")
    found = ask.atlas.all("SELECT stars, users.name FROM ratings JOIN users ON users.id = author WHERE place = ? ORDER "
                          "BY ratings.id", row["id"])  # fmt: skip
    one = ask.pick(found)
    key, said = ask.pick(((f"stars that {one['name']} gives to", one["stars"]), ("ratings of", len(found))))
    return answer(MAP, way, f"the number of {key} {named} on the map", said, "number")


def open_place(ask: Ask) -> Draft:
    """The page of a place of which there are several."""
    row, way, _ = spot(ask, "NOT " + ALONE)
    return place(MAP, way, f"the page of {row['name']} in {row['street_name']}, {row['town_name']}, on the map")


def open_directions(ask: Ask) -> Draft:
    """The directions between two places."""
    one, other, words_ = _ends(ask, far=ask.pick((True, False)))
    mode = ask.pick(list(MODES))
    return place(MAP, _directions(one, other, mode), f"the directions {words_}, {MODES[mode]}")


def open_nearby(ask: Ask) -> Draft:
    """What is around a place."""
    row, _, named = spot(ask)
    category, radius = ask.pick(sorted(words()["categories"])), ask.pick(list(RADII))
    url = f"{MAP}/nearby?{urlencode({'of': _key(row), 'category': category, 'radius': radius})}"
    return place(MAP, url, f"the list of places of the category {category} within {radius} of {named}")


def _own_lists(ask: Ask) -> Sequence[Row]:
    return ask.atlas.all("SELECT * FROM lists WHERE owner = 1 ORDER BY id")


def keep(ask: Ask) -> Draft:
    """Save a place to a list, with a note."""
    goal, note = ask.pick(_own_lists(ask)), ask.pick(NOTES)
    row, way, named = spot(ask, "places.id NOT IN (SELECT place FROM kept WHERE list = ?)", goal["id"])
    there = f"{MAP}/lists/{goal['id']}"
    plan = [["goto", way], ["select", 'combobox "List"', goal["name"]], ["click", 'button "Save to list"'],
            ["goto", there], ["fill", f'textbox "Note on {row["name"]}"', note],
            ["click", f'button "Save note on {row["name"]}"']]  # fmt: skip
    if ask.atlas.one(
        "SELECT 1 FROM kept JOIN places ON places.id = place WHERE list = ? AND name = ?", goal["id"], row["name"]
    ):
        return new_list(ask)
    asked = f"save {named} to my list “{goal['name']}” on the map, with the note “{note}”"
    return deed("content", MAP, asked, plan, (there, f"#kept-{row['id']} .note", note))


def new_list(ask: Ask) -> Draft:
    """Make a list and put two places on it."""
    name = f"{ask.pick(LISTS)} {ask.pick(range(2, 60))}"
    first, way, named = spot(ask)
    second, other, named_too = spot(ask, "places.id != ?", first["id"])
    there = f"{MAP}/lists/{1 + ask.atlas.value('SELECT max(id) FROM lists')}"
    kept = [["select", 'combobox "List"', name], ["click", 'button "Save to list"']]
    plan = [["goto", f"{MAP}/lists"], ["fill", 'textbox "Name"', name], ["click", 'button "Create list"'],
            ["goto", way], *kept, ["goto", other], *kept]  # fmt: skip
    asked = f"make a list “{name}” on the map and save {named} and {named_too} to it"
    return deed("content", MAP, asked, plan, (there, "#name", name), (there, f"#kept-{first['id']}", [first["name"]]),
                (there, f"#kept-{second['id']}", [second["name"]]))  # fmt: skip


def share(ask: Ask) -> Draft:
    """Rename a list and share it."""
    row = ask.pick(_own_lists(ask))
    name, about = f"{ask.pick(LISTS)} {ask.pick(range(2, 60))}", ask.pick(NOTES)
    there = f"{MAP}/lists/{row['id']}"
    plan = [["goto", there], ["fill", 'textbox "Name"', name], ["fill", 'textbox "About"', about],
            ["check", 'checkbox "Shared"'], ["click", 'button "Save list"']]  # fmt: skip
    asked = f"rename my list “{row['name']}” on the map to “{name}”, change what it is about to “{about}”, and share it"
    return deed("configuration", MAP, asked, plan, (there, "#name", name), (there, "#shared", "shared"),
                (there, "#about", about))  # fmt: skip


def rate(ask: Ask) -> Draft:
    """Rate a place."""
    _, way, named = spot(ask)
    stars, said = ask.pick(tuple("12345")), ask.pick(SAID)
    plan = [["goto", way], ["select", 'combobox "Stars"', stars], ["fill", 'textbox "Remark"', said],
            ["click", 'button "Send rating"']]  # fmt: skip
    return deed("content", MAP, f"rate {named} with {stars} of 5 stars and the remark “{said}” on the map", plan,
                (way, "#ratings li", [f"{stars} of 5 by lark"]), (way, "#ratings li .said", said))  # fmt: skip


def report(ask: Ask) -> Draft:
    """Report what is wrong."""
    _, way, named = spot(ask)
    kind, said = ask.pick(words()["report_kinds"]), ask.pick(SEEN)
    plan = [["goto", way], ["select", 'combobox "What is wrong"', kind], ["fill", 'textbox "What you have seen"', said],
            ["click", 'button "Send report"']]  # fmt: skip
    return deed("content", MAP, f"report “{kind}” at {named} on the map: “{said}”", plan,
                (way, "#reports li:last-child", f"{kind}: {said} Open, {NOW}"))  # fmt: skip


def home(ask: Ask) -> Draft:
    """Set home and how one travels."""
    row, way, named = spot(ask)
    mode = ask.pick(("bike", "foot"))
    plan = [["goto", way], ["click", 'button "Make this my home"'], ["goto", f"{MAP}/settings"],
            ["select", 'combobox "I travel"', MODES[mode]], ["click", 'button "Save settings"']]  # fmt: skip
    place_ = spot_of(ask.atlas, f"p{row['id']}")
    assert place_ is not None, "it was drawn from them"
    asked = f"make {named} my home on the map, and set that I travel {MODES[mode]}"
    return deed("configuration", MAP, asked, plan, (f"{MAP}/settings", "#home", place_.label),
                (f"{MAP}/settings", "#mode", MODES[mode]))  # fmt: skip


def drive_to_order(ask: Ask) -> Draft:
    """Read where an order of the shop goes, and find how far that is."""
    order = ask.row(ask.shop, "SELECT * FROM orders WHERE user = 1 ORDER BY id")
    goal = ask.row(ask.atlas, "SELECT * FROM towns WHERE name = ?", order["city"])
    row, _, named = spot(ask, "places.town != ?", goal["id"])
    mode = ask.pick(list(MODES))
    found = network().way(row["node"], goal["node"], mode)
    assert found is not None, "every town is reached"
    url = f"{MAP}/directions?{urlencode({'from': _key(row), 'to': _key(goal, 't'), 'mode': mode})}"
    key, said, told = ask.pick((("distance", as_distance(found.meters), "length"),
                                ("time", as_duration(found.milliseconds), "duration")))  # fmt: skip
    asked = (
        f"the {key} of the way {MODES[mode]} from {named} to the town that my order {order['number']} on {SHOP} goes to"
    )
    draft = answer(MAP, url, asked, said, told)
    draft.plan.insert(0, ["goto", f"{SHOP}/account/orders/{order['number']}"])
    return draft


def tell_hours(ask: Ask) -> Draft:
    """Read a phone number on the map, and send it to somebody in the forum."""
    row, way, named = spot(ask)
    person = ask.row(ask.forum, "SELECT * FROM users WHERE id > 1 ORDER BY id")["name"]
    plan = [["goto", way], ["goto", f"{FORUM}/messages/new"], ["fill", 'textbox "To"', person],
            ["fill", 'textbox "Subject"', row["name"]], ["fill", 'textbox "Message"', row["phone"]],
            ["click", 'button "Send message"']]  # fmt: skip
    asked = f"look up the phone number of {named} on {MAP} and send it, without another word, to {person} of the " \
            f"forum in a message with the subject “{row['name']}”"  # fmt: skip
    return deed("content", FORUM, asked, plan, *letter(person, row["name"], row["phone"]))


def note_trip(ask: Ask) -> Draft:
    """Find how long a way takes, and write it on a ticket of the project tracker."""
    one, other, words_ = _ends(ask, far=True)
    mode = ask.pick(list(MODES))
    said = as_duration(_way(one, other, mode).milliseconds)
    _, way, named = ticket(ask, MAY_REPORT)
    plan = [["goto", _directions(one, other, mode)], ["goto", way], ["fill", 'textbox "Your comment"', said],
            ["click", 'button "Add comment"']]  # fmt: skip
    asked = f"find out on {MAP} how long the way {MODES[mode]} {words_} takes, and comment with that time alone, as " \
            f"the map writes it, on {named} on {TRACKER}"  # fmt: skip
    return deed("content", TRACKER, asked, plan, (way, ".comments li:last-child .said", said))


TEMPLATES: tuple[Template, ...] = (
    hours, closed_on, contact, by_address, distance, duration, quicker, road_taken, nearest, around, how_many, rating,
    open_place, open_directions, open_nearby, keep, new_list, share, rate, report, home, drive_to_order, tell_hours,
    note_trip,
)  # fmt: skip
