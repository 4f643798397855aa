"""The map: what it shows, its ways against another algorithm, search with several meanings, lists and reports."""

from __future__ import annotations

import html
import re
from itertools import pairwise
from urllib.parse import urlencode

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.envs.web._browser.site import Request
from agentgym.envs.web._sites.application import session_of
from agentgym.envs.web._sites.atlas.app import build_map
from agentgym.envs.web._sites.atlas.content import VISITOR, network, original
from agentgym.envs.web._sites.atlas.drawing import SPANS, Window, around
from agentgym.envs.web._sites.atlas.finding import near, search, spot_of
from agentgym.envs.web._sites.atlas.region import HEIGHT, WIDTH
from agentgym.envs.web._sites.atlas.routes import MODES, SPEEDS, as_distance, as_duration
from agentgym.envs.web._sites.database import Store


@pytest.fixture
def site():
    return build_map()


@pytest.fixture(scope="module")
def base():
    return Store(original(0))


def ask(site, path, who=VISITOR, **form):
    cookie = {"cookie": f"session={session_of(who)}"} if who else {}
    method, body = ("POST", urlencode(form).encode()) if form else ("GET", b"")
    return site.respond(Request(method, f"http://map.test{path}", cookie, body))


def text(answer):
    return html.unescape(answer.body.decode())


# What it shows


def test_the_content_is_large_and_agrees_with_itself(base):
    assert [base.value(f"SELECT count(*) FROM {table}") for table in ("towns", "places", "users")] == [20, 2500, 28]
    assert base.value("SELECT count(*) FROM edges") > 1500
    assert base.value("SELECT count(DISTINCT category) FROM places") == 24
    wrong = {
        "places are at a crossing of their street": """SELECT count(*) FROM places WHERE node NOT IN (SELECT source FROM
            edges WHERE street = places.street UNION SELECT target FROM edges WHERE street = places.street)""",
        "streets of places are of their town": """SELECT count(*) FROM places JOIN streets ON streets.id = street WHERE
            streets.town != places.town""",
        "a street is as long as its stretches": """SELECT count(*) FROM streets WHERE length != (SELECT sum(length) FROM
            edges WHERE street = streets.id)""",
        "places close after they open": "SELECT count(*) FROM hours WHERE closes <= opens",
        "stretches are no shorter than the crow flies": """SELECT count(*) FROM edges JOIN nodes AS one ON
            one.id = source JOIN nodes AS other ON other.id = target WHERE length <
            sqrt((one.x - other.x) * (one.x - other.x) +
            (one.y - other.y) * (one.y - other.y)) - 1""",
        "all is inside of the region": f"""SELECT count(*) FROM nodes WHERE x NOT BETWEEN 0 AND {WIDTH} OR
            y NOT BETWEEN 0 AND {HEIGHT}""",
        "every town has its station": """SELECT count(*) FROM towns WHERE id NOT IN (SELECT town FROM places WHERE
            category = 'Station')""",
    }  # fmt: skip
    assert {claim: base.value(query) for claim, query in wrong.items()} == dict.fromkeys(wrong, 0)


def test_a_copy_is_made_of_what_was_written_once_and_shares_nothing(site):
    written = original.cache_info().misses, network.cache_info().misses
    build_map()
    assert (original.cache_info().misses, network.cache_info().misses) == written
    ask(site, "/place/1/rate", stars="5", body="Only here")
    assert site.store.value("SELECT count(*) FROM ratings WHERE body = 'Only here'") == 1
    assert build_map().store.value("SELECT count(*) FROM ratings WHERE body = 'Only here'") == 0


# Ways


def graph(base, mode):
    """What each stretch that is open to a mode takes, by its ends, for another implementation of shortest paths."""
    takes = {}
    for one in base.all("SELECT * FROM edges"):
        speed = SPEEDS[one["kind"]].get(mode)
        if speed is not None:
            ends = [(one["source"], one["target"])]
            ends += [] if one["oneway"] and mode == "car" else [ends[0][::-1]]
            for pair in ends:
                takes[pair] = min(takes.get(pair, 10**9), one["length"] * 3600 // speed)
    return takes


@pytest.mark.parametrize("mode", list(MODES))
def test_ways_are_the_shortest_in_time(base, mode):
    net, takes = network(0), graph(base, mode)
    size = base.value("SELECT max(id) FROM nodes") + 1
    sources, targets = zip(*takes, strict=True)
    made = csr_array((np.array(list(takes.values()), float), (sources, targets)), shape=(size, size))
    nodes = [row[0] for row in base.all("SELECT DISTINCT node FROM places ORDER BY node")]
    for start in nodes[:: len(nodes) // 5]:
        times = dijkstra(made, indices=start)
        for goal in nodes[:: len(nodes) // 23]:
            way = net.way(start, goal, mode)
            assert way.milliseconds == times[goal]
            assert way.nodes[0] == start
            assert way.nodes[-1] == goal
            assert sum(takes[ends] for ends in pairwise(way.nodes)) == times[goal]
            assert sum(leg.meters for leg in way.legs) == way.meters


def test_every_place_is_reached_from_every_other_in_every_mode(base):
    net = network(0)
    nodes = {row[0] for row in base.all("SELECT DISTINCT node FROM places")}
    first = min(nodes)
    for mode in MODES:
        assert nodes <= net.reach(first, mode)
        assert nodes <= net.reach(first, mode, back=True)


def test_cars_keep_off_trails_and_go_one_way_only(base):
    closed = {row[0] for row in base.all("SELECT id FROM streets WHERE kind IN ('trail', 'pedestrian')")}
    net = network(0)
    assert not any(arc[2] in closed for arcs in net.arcs["car"].values() for arc in arcs)
    one = base.one("SELECT * FROM edges WHERE oneway = 1")
    assert any(arc[0] == one["target"] for arc in net.arcs["car"][one["source"]])
    back = [arc for arc in net.arcs["car"].get(one["target"], ()) if arc[0] == one["source"]]
    assert not any(arc[2] == one["street"] for arc in back)
    assert any(arc[0] == one["source"] for arc in net.arcs["foot"][one["target"]])


@pytest.mark.parametrize(("meters", "said"), [(0, "0 m"), (999, "999 m"), (1000, "1.0 km"), (12_349, "12.3 km"),
                                               (12_350, "12.4 km")])  # fmt: skip
def test_distances_are_written(meters, said):
    assert as_distance(meters) == said


@pytest.mark.parametrize(("milliseconds", "said"), [(0, "1 min"), (89_000, "1 min"), (91_000, "2 min"),
                                                     (3_599_000, "1 h 0 min"), (3_900_000, "1 h 5 min")])  # fmt: skip
def test_durations_are_written(milliseconds, said):
    assert as_duration(milliseconds) == said


def test_directions_are_told_and_drawn(site):
    page = text(ask(site, "/directions?from=p1&to=p900&mode=foot"))
    way = network(0).way(*(spot_of(site.store, key).node for key in ("p1", "p900")), "foot")
    assert f'id="distance">{as_distance(way.meters)}<' in page
    assert f'id="time">{as_duration(way.milliseconds)}<' in page
    assert page.count("<li>Follow ") == len(way.legs)
    assert 'class="route" d="M' in page
    assert "You are there." in text(ask(site, "/directions?from=p1&to=p1&mode=car"))


def test_what_is_meant_is_asked_for_and_has_one_address(site):
    name = site.store.value("SELECT name FROM places GROUP BY name HAVING count(*) > 3 ORDER BY name")
    page = text(ask(site, f"/directions?{urlencode({'from': name, 'to': 'Marlow'})}"))
    assert f"Which “{name}” do you mean?" in page
    assert "Which “Marlow”" not in page
    links = re.findall(r'href="(/directions\?from=p\d+&to=[^"]*)"', page)
    assert len(links) > 3
    assert ask(site, links[0]).status == 200
    town = site.store.value("SELECT id FROM towns WHERE name = 'Marlow'")
    key = re.search(r"from=(p\d+)", links[0])[1]
    assert ask(site, f"/directions?from={key}&to=Marlow").headers["location"] == (
        f"/directions?from={key}&to=t{town}&mode=car"
    )
    assert ask(site, "/directions?from=Nowhere&to=Marlow").status == 404
    assert "Nothing is called “Nowhere”." in text(ask(site, "/directions?from=Nowhere&to=Marlow"))


def test_home_and_the_usual_mode_are_used(site):
    ask(site, "/place/7/home", go="1")
    ask(site, "/settings", mode="on foot", about="")
    assert ask(site, "/directions?from=home&to=p9").headers["location"] == "/directions?from=p7&to=p9&mode=foot"
    assert ask(site, "/settings", mode="by balloon").status == 422


# Search


def test_a_search_finds_towns_streets_places_and_addresses(base):
    assert search(base, "Marlow")[0].kind == "town"
    streets = {one.label for one in search(base, "high street") if one.kind == "street"}
    assert len(streets) == 20
    place = spot_of(base, "p100")
    assert search(base, place.label)[0].label == place.label
    assert place in search(base, place.where)
    assert {one.kind for one in search(base, "", "Marlow", "Bakery")} == {"Bakery"}
    assert search(base, "' OR 1 = 1 --") == search(base, "100%") == []


def test_nearby_is_sorted_and_bounded(base):
    spot = spot_of(base, "p1")
    found = near(base, spot.x, spot.y, 500, "", "p1")
    distances = [far for far, _ in found]
    assert distances == sorted(distances)
    assert distances[-1] <= 500
    assert "p1" not in [one.key for _, one in found]
    inside = base.value("SELECT count(*) FROM places WHERE id != 1 AND (x - ?1) * (x - ?1) + (y - ?2) * (y - ?2) <= "
                        "500.49 * 500.49", spot.x, spot.y)  # fmt: skip
    assert len(found) == inside


@pytest.mark.parametrize("key", ["", "x1", "p", "p0", "p99999", "p-1", "p1; DROP", "s99999", "t21", "p١"])
def test_what_is_not_there_is_none(base, key):
    assert spot_of(base, key) is None


@pytest.mark.parametrize("path", ["/place/9999", "/street/9999", "/town/99", "/nearby?of=p9999", "/u/nobody",
                                  "/lists/9999"])  # fmt: skip
def test_pages_that_are_not_there(site, path):
    assert ask(site, path).status == 404


# The drawing


def test_windows_move_zoom_and_stay_inside():
    window = Window(1000, 1000, 3)
    assert window.moved(closer=1).zoom == 4
    assert window.moved(right=-1).x == 0
    assert window.moved(closer=-9).zoom == 0
    assert window.moved(closer=9).zoom == len(SPANS) - 1
    assert Window(WIDTH, HEIGHT, 0).moved(right=1, down=1) == Window(WIDTH, HEIGHT, 0)
    shown = around([(1000, 1000), (9000, 2000)])
    left, top, right, bottom = shown.box
    assert left < 1000 < 9000 < right
    assert top < 1000 < 2000 < bottom


def test_links_move_the_map_and_closer_ones_show_more(site):
    page = text(ask(site, "/"))
    assert page.count('class="built"') == 20
    assert 'class="residential"' not in page
    closer = re.search(r'href="([^"]*)">Zoom in<', text(ask(site, "/town/1")))[1]
    assert 'class="residential"' in text(ask(site, closer))
    assert 'class="dot"' in text(ask(site, closer))
    assert ask(site, "/?x=-1&y=abc&zoom=99").status == 200


# Lists, ratings, reports


def test_lists_are_made_filled_shared_and_emptied(site):
    way = ask(site, "/lists", name="Trip", about="In May").headers["location"].split("?")[0]
    assert "You have a list of this name." in text(ask(site, "/lists", name="Trip"))
    assert ask(site, way, who="alder").status == 404
    ask(site, "/place/5/keep", list="Trip")
    ask(site, f"{way}/note", place="5", note="<i>early</i>")
    assert "&lt;i&gt;early" in ask(site, way).body.decode()
    ask(site, way, name="Long trip", about="In May", shared="1")
    assert ask(site, way, who="alder").status == ask(site, way, who="").status == 200
    assert ask(site, f"{way}/drop", who="alder", place="5").status == 403
    ask(site, f"{way}/drop", place="5")
    assert "Nothing yet." in text(ask(site, way))
    ask(site, f"{way}/delete", go="1")
    assert ask(site, way).status == 404


def test_a_rating_replaces_the_last_one_and_a_report_waits(site):
    count = site.store.value("SELECT count(*) FROM ratings WHERE place = 3")
    for stars in ("5", "2"):
        ask(site, "/place/3/rate", stars=stars, body="Mine")
    assert site.store.value("SELECT count(*) FROM ratings WHERE place = 3") == count + 1
    assert "2 of 5 by lark" in re.sub(r"<[^>]*>", "", text(ask(site, "/place/3")))
    ask(site, "/place/3/report", kind="Moved", body="Gone")
    assert "Moved: Gone" in text(ask(site, "/place/3"))


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/place/3/rate", {"stars": "6", "body": ""}),
        ("/place/3/report", {"kind": "Weather", "body": "x"}),
        ("/place/3/report", {"kind": "Moved", "body": ""}),
        ("/place/3/keep", {"list": "None of mine"}),
        ("/lists", {"name": ""}),
        ("/lists/1", {"name": "Lunch"}),
        ("/lists/9", {"name": "Not mine"}),
        ("/place/9999/home", {"go": "1"}),
    ],
)
def test_what_is_wrong_changes_nothing(site, path, form):
    ask(site, path, **form)
    assert site.store.writes == 0


def test_guests_read_and_are_sent_to_sign_in(site):
    assert ask(site, "/place/1", who="").status == ask(site, "/directions?from=p1&to=p2&mode=car", who="").status == 200
    assert ask(site, "/lists", who="").headers["location"].startswith("/sign-in")
    assert ask(site, "/place/1/rate", who="", stars="5").headers["location"].startswith("/sign-in")
