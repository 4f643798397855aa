"""The map's pages: reading. What changes something stands in `deeds`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from agentgym.envs.web._sites.application import (
    Answer,
    Page,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    missing,
    paged,
    show,
    sign_in,
    sign_in_page,
    sign_out,
)
from agentgym.envs.web._sites.atlas import deeds
from agentgym.envs.web._sites.atlas.content import network, original, words
from agentgym.envs.web._sites.atlas.drawing import SPANS, Window, around, drawn
from agentgym.envs.web._sites.atlas.finding import FULL, STREETS, Spot, near, place_spot, search, spot_of
from agentgym.envs.web._sites.atlas.region import HEIGHT, WIDTH
from agentgym.envs.web._sites.atlas.routes import MODES, Network, as_distance, as_duration
from agentgym.envs.web._sites.database import NOW, Store, fresh_store

HOST = "map.test"
SIZE = 20
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
RADII = {"200 m": 200, "500 m": 500, "1 km": 1000, "2 km": 2000, "5 km": 5000}
Drawing = Callable[[Network, SiteApplication, Visit], Answer]


def build_map(seed: int = 0) -> SiteApplication:
    """The map at the beginning of an episode."""
    given = {"modes": MODES, "days": DAYS, "distance": as_distance, "duration": as_duration}
    return SiteApplication("atlas", _routes(network(seed)), fresh_store(original(seed)), given)


def _window(visit: Visit, usual: Window) -> Window:
    """The window that an address asks for."""
    given = [visit.query.get(key, "") for key in ("x", "y", "zoom")]
    if not all(one.isascii() and one.isdigit() and len(one) < 7 for one in given):
        return usual
    x, y, zoom = (int(one) for one in given)
    return Window(min(x, WIDTH), min(y, HEIGHT), min(zoom, len(SPANS) - 1))


def _home(net: Network, site: SiteApplication, visit: Visit) -> Answer:
    window = _window(visit, Window(WIDTH // 2, HEIGHT // 2, 0))
    towns = site.store.all("SELECT * FROM towns ORDER BY name")
    return show("home", towns=towns, drawing=drawn(site.store, net, window, "/"))


def _search(net: Network, site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    asked = {key: visit.query.get(key, "").strip()[:80] for key in ("q", "town", "category")}
    found = search(store, asked["q"], asked["town"], asked["category"]) if any(asked.values()) else []
    place = paged(visit, len(found), SIZE)
    shown = found[place["start"] : place["start"] + SIZE]
    categories = sorted(words()["categories"])
    return show("search", found=shown, asked=asked, categories=categories, towns=_towns(store), **place)


def _towns(store: Store) -> list[str]:
    return [row[0] for row in store.all("SELECT name FROM towns ORDER BY name")]


def _place(net: Network, site: SiteApplication, visit: Visit) -> Answer:
    store, number = site.store, visit.path["number"]
    row = store.one(f"{FULL} WHERE places.id = ?", number)
    if row is None:
        return missing("place")
    spot, own = place_spot(row), visit.user
    window = _window(visit, Window(row["x"], row["y"], 5))
    hours = {one["day"]: (one["opens"], one["closes"]) for one in
             store.all("SELECT * FROM hours WHERE place = ? ORDER BY day", number)}  # fmt: skip
    today = hours.get(NOW.weekday())
    ratings = store.all("SELECT ratings.*, users.name FROM ratings JOIN users ON users.id = author WHERE place = ? "
                        "ORDER BY ratings.created DESC, ratings.id DESC", number)  # fmt: skip
    lists = store.all("SELECT * FROM lists WHERE owner = ? ORDER BY id", own["id"] if own else 0)
    return show(
        "place", place=row, spot=spot, hours=hours, ratings=ratings, lists=lists,
        is_open=today is not None and today[0] <= f"{NOW:%H:%M}" < today[1], kinds=words()["report_kinds"],
        mean=f"{sum(one['stars'] for one in ratings) / len(ratings):.1f}" if ratings else "",
        reports=store.all("SELECT * FROM reports WHERE place = ? ORDER BY id", number),
        drawing=drawn(store, net, window, spot.way, marks=[dict(row)]),
    )  # fmt: skip


def _street(net: Network, site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    row = store.one(f"{STREETS} WHERE streets.id = ?", visit.path["number"])
    if row is None:
        return missing("street")
    ends = store.all("SELECT nodes.x, nodes.y FROM edges JOIN nodes ON nodes.id IN (source, target) WHERE street = ?",
                     row["id"])  # fmt: skip
    window = _window(visit, around([(one["x"], one["y"]) for one in ends]))
    places = [place_spot(one) for one in store.all(f"{FULL} WHERE street = ? ORDER BY number, places.id", row["id"])]
    spot = spot_of(store, f"s{row['id']}")
    return show("street", street=row, spot=spot, places=places,
                drawing=drawn(store, net, window, f"/street/{row['id']}"))  # fmt: skip


def _town(net: Network, site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    row = store.one("SELECT * FROM towns WHERE id = ?", visit.path["number"])
    if row is None:
        return missing("town")
    window = _window(visit, Window(row["x"], row["y"], 4))
    counts = store.all("SELECT category, count(*) AS n FROM places WHERE town = ? GROUP BY category ORDER BY category",
                       row["id"])  # fmt: skip
    streets = store.all("SELECT * FROM streets WHERE town = ? ORDER BY name", row["id"])
    return show("town", town=row, spot=spot_of(store, f"t{row['id']}"), counts=counts, streets=streets,
                drawing=drawn(store, net, window, f"/town/{row['id']}"))  # fmt: skip


def _nearby(net: Network, site: SiteApplication, visit: Visit) -> Answer:
    store, key = site.store, visit.query.get("of", "")
    spot = spot_of(store, key)
    if spot is None:
        return missing("such place to look around")
    category, radius = visit.query.get("category", ""), visit.query.get("radius", "1 km")
    radius = radius if radius in RADII else "1 km"
    found = near(store, spot.x, spot.y, RADII[radius], category, key)
    place = paged(visit, len(found), SIZE)
    return show("nearby", spot=spot, found=found[place["start"] : place["start"] + SIZE], category=category,
                radius=radius, radii=list(RADII), categories=sorted(words()["categories"]), **place)  # fmt: skip


def _meant(store: Store, text: str) -> tuple[Spot | None, list[Spot]]:
    """What a field of the form for directions means: one thing, or several to choose from."""
    exact = spot_of(store, text)
    if exact is not None:
        return exact, []
    found = search(store, text)
    same = [one for one in found if text.lower() in (one.name.lower(), one.label.lower())]
    alone = same if len(same) == 1 else found if len(found) == 1 else []
    return (alone[0], []) if alone else (None, found[:SIZE])


def _directions(net: Network, site: SiteApplication, visit: Visit) -> Answer:
    store, own = site.store, visit.user
    asked = {key: visit.query.get(key, "").strip()[:80] for key in ("from", "to")}
    if own and own["home"]:
        asked = {key: f"p{own['home']}" if value.lower() == "home" else value for key, value in asked.items()}
    mode = visit.query.get("mode", own["mode"] if own else "car")
    mode = mode if mode in MODES else "car"
    start, starts = _meant(store, asked["from"]) if asked["from"] else (None, [])
    goal, goals = _meant(store, asked["to"]) if asked["to"] else (None, [])
    ends = (("from", start, starts), ("to", goal, goals))
    wrong = " ".join(f"Nothing is called “{asked[key]}”." for key, one, several in ends
                     if asked[key] and one is None and not several)  # fmt: skip
    if start and goal and (visit.query.get("from"), visit.query.get("to"), visit.query.get("mode")) != (
        start.key, goal.key, mode,
    ):  # fmt: skip
        return go_to("/directions", **{"from": start.key, "to": goal.key, "mode": mode})  # one address for one way
    way = net.way(start.node, goal.node, mode) if start and goal else None
    if start and goal and way is None:
        wrong = f"There is no way {MODES[mode]}."
    kept = {"from": start.key if start else asked["from"], "to": goal.key if goal else asked["to"], "mode": mode}
    drawing = None
    if start and goal and way is not None:
        window = _window(visit, around([net.spots[node] for node in way.nodes]))
        marks = [{"x": one.x, "y": one.y, "name": one.name} for one in (start, goal)]
        drawing = drawn(store, net, window, "/directions", kept, way, marks)
    return show("directions", 404 if wrong else 200, asked=asked, start=start, goal=goal, starts=starts, goals=goals,
                mode=mode, way=way, wrong=wrong, kept=kept, drawing=drawing)  # fmt: skip


def _user(net: Network, site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    person = store.one("SELECT * FROM users WHERE name = ?", visit.path["name"])
    if person is None:
        return missing("account")
    own = visit.user["id"] if visit.user else 0
    lists = store.all("SELECT lists.*, (SELECT count(*) FROM kept WHERE list = lists.id) AS n FROM lists WHERE owner = "
                      "? AND (shared = 1 OR owner = ?) ORDER BY id", person["id"], own)  # fmt: skip
    rated = store.value("SELECT count(*) FROM ratings WHERE author = ?", person["id"])
    home = spot_of(store, f"p{person['home']}") if person["home"] and own == person["id"] else None
    return show("user", person=person, lists=lists, rated=rated, home=home)


def _routes(net: Network) -> Routes:
    """The map's routes; pages that draw or find ways are given the network."""

    def on(page: Drawing) -> Page:
        return partial(page, net)

    return [
        ("GET", "/", on(_home)),
        ("GET", "/search", on(_search)),
        ("GET", "/place/{number:int}", on(_place)),
        ("GET", "/street/{number:int}", on(_street)),
        ("GET", "/town/{number:int}", on(_town)),
        ("GET", "/nearby", on(_nearby)),
        ("GET", "/directions", on(_directions)),
        ("GET", "/u/{name}", on(_user)),
        ("GET", "/sign-in", sign_in_page),
        ("POST", "/sign-in", sign_in),
        ("POST", "/sign-out", sign_out),
        *deeds.ROUTES,
    ]
