"""Satellite: instruments switched on, calibrated and pointed (third planning competition, 2002)."""

from __future__ import annotations

from agentgym.envs.games._planning.fields._field import Field, Sketch, TaskRandom
from agentgym.envs.games._planning.words import Wording, listing

PDDL = """
(define (domain satellite)
  (:requirements :strips :typing)
  (:types satellite instrument target mode)
  (:predicates (points ?satellite - satellite ?target - target) (power ?satellite - satellite)
    (on ?instrument - instrument) (calibrated ?instrument - instrument) (have ?target - target ?mode - mode)
    (on-board ?instrument - instrument ?satellite - satellite) (takes ?instrument - instrument ?mode - mode)
    (calibrates ?instrument - instrument ?target - target))
  (:action turn :parameters (?satellite - satellite ?from ?to - target)
    :precondition (and (points ?satellite ?from))
    :effect (and (points ?satellite ?to) (not (points ?satellite ?from))))
  (:action switch-on :parameters (?instrument - instrument ?satellite - satellite)
    :precondition (and (on-board ?instrument ?satellite) (power ?satellite))
    :effect (and (on ?instrument) (not (calibrated ?instrument)) (not (power ?satellite))))
  (:action switch-off :parameters (?instrument - instrument ?satellite - satellite)
    :precondition (and (on-board ?instrument ?satellite) (on ?instrument))
    :effect (and (power ?satellite) (not (on ?instrument))))
  (:action calibrate :parameters (?instrument - instrument ?satellite - satellite ?target - target)
    :precondition (and (on-board ?instrument ?satellite) (on ?instrument) (calibrates ?instrument ?target)
      (points ?satellite ?target))
    :effect (and (calibrated ?instrument)))
  (:action picture :parameters (?target - target ?mode - mode ?instrument - instrument ?satellite - satellite)
    :precondition (and (on-board ?instrument ?satellite) (takes ?instrument ?mode) (on ?instrument)
      (calibrated ?instrument) (points ?satellite ?target))
    :effect (and (have ?target ?mode))))
"""

WORDINGS = (
    Wording(
        rules="You command satellites from the ground. A satellite has power for one instrument at a time. An "
        "instrument that is switched on must be calibrated on its own target before it takes pictures.",
        names={
            "satellite": ("aurora", "beacon", "comet-watch"),
            "instrument": listing("camera spectrograph radiometer scanner polarimeter magnetograph"),
            "mode": ("infrared", "thermal", "visible", "ultraviolet"),
            "target": listing(
                "crab-nebula polar-star ring-planet red-dwarf twin-star ice-moon dust-cloud quasar "
                "young-star dark-comet blue-giant asteroid-belt pulsar spiral-galaxy volcano-moon sun-spot"
            ),
        },
        actions={
            "turn": ("turn <satellite> from <from> to <to>", "point <satellite> from <from> to <to>"),
            "switch-on": ("switch on <instrument> of <satellite>", "turn on <instrument> of <satellite>"),
            "switch-off": ("switch off <instrument> of <satellite>", "turn off <instrument> of <satellite>"),
            "calibrate": ("calibrate <instrument> of <satellite> on <target>",),
            "picture": ("picture <target> in <mode> with <instrument> of <satellite>",),
        },
        facts={
            "points": ("{0} points to {1}", "{0} does not point to {1}"),
            "power": ("{0} has power to spare", "{0} has no power to spare"),
            "on": ("{0} is on", "{0} is off"),
            "calibrated": ("{0} is calibrated", "{0} is not calibrated"),
            "have": ("there is a picture of {0} in {1} light", "there is no picture of {0} in {1} light"),
            "on-board": ("{0} is on board {1}", "{0} is not on board {1}"),
            "takes": ("{0} takes pictures in {1} light", "{0} takes no pictures in {1} light"),
            "calibrates": ("{0} is calibrated on {1}", "{0} is not calibrated on {1}"),
        },
        bare=frozenset({"satellite", "mode"}),
        labels={"from": "target", "to": "other target", "mode": "light"},
    ),
    Wording(
        rules="You direct reporters with recorders. A reporter carries batteries for one recorder at a time, and a "
        "recorder that has been started must be tested at its own place before it records anything.",
        names={
            "satellite": ("anna", "boris", "clara"),
            "instrument": listing(
                "old-recorder new-recorder long-recorder blue-recorder steel-recorder small-recorder"
            ),
            "mode": ("music", "speech", "noise", "birdsong"),
            "target": listing(
                "station park harbour market theatre zoo bridge cathedral stadium school fountain brewery "
                "lighthouse museum town-hall mill"
            ),
        },
        actions={
            "turn": ("send <satellite> from <from> to <to>", "move <satellite> from <from> to <to>"),
            "switch-on": ("start <instrument> of <satellite>", "switch on <instrument> of <satellite>"),
            "switch-off": ("stop <instrument> of <satellite>", "switch off <instrument> of <satellite>"),
            "calibrate": ("test <instrument> of <satellite> at <target>",),
            "picture": ("record <mode> at <target> with <instrument> of <satellite>",),
        },
        facts={
            "points": ("{0} is at {1}", "{0} is not at {1}"),
            "power": ("{0} has batteries left", "{0} has no batteries left"),
            "on": ("{0} is running", "{0} is not running"),
            "calibrated": ("{0} has been tested", "{0} has not been tested"),
            "have": ("{1} has been recorded at {0}", "{1} has not been recorded at {0}"),
            "on-board": ("{1} carries {0}", "{1} does not carry {0}"),
            "takes": ("{0} records {1}", "{0} does not record {1}"),
            "calibrates": ("{0} is tested at {1}", "{0} is not tested at {1}"),
        },
        bare=frozenset({"satellite", "mode"}),
        labels={
            "from": "place",
            "to": "other place",
            "satellite": "reporter",
            "instrument": "recorder",
            "mode": "sound",
            "target": "place",
        },
    ),
)


def draw(rng: TaskRandom, size: int, items: int, wording: Wording) -> Sketch:
    """Satellites with two instruments each, every mode taken by one at least, and pictures that are wanted.

    Args:
        rng: The dice.
        size: Every five of it are a satellite beyond the first, every six a mode and every three a target to calibrate
            on beyond the first two.
        items: Half of it, rounded down, are the pictures beyond the first; each is of a target of its own.
        wording: Names everything.
    """
    sketch = Sketch()
    ships = sketch.add("satellite", rng.shuffled(wording.names["satellite"])[: 1 + size // 5])
    tools = sketch.add("instrument", rng.shuffled(wording.names["instrument"])[: 2 * len(ships)])
    modes = sketch.add("mode", rng.shuffled(wording.names["mode"])[: 2 + size // 6])
    stars = rng.shuffled(wording.names["target"])
    near = sketch.add("target", stars[: 2 + size // 3])
    for place, tool in enumerate(tools):
        ship = ships[place % len(ships)]
        taken = {modes[place % len(modes)], rng.pick(modes)}
        sketch.init.append(("on-board", tool, ship))
        sketch.init += [("takes", tool, mode) for mode in modes if mode in taken]
        sketch.init.append(("calibrates", tool, rng.pick(near)))
    for ship in ships:
        sketch.init += [("points", ship, rng.pick(near)), ("power", ship)]
    for number in range(1 + items // 2):
        (star,) = sketch.add("target", [stars[len(near) + number]])
        sketch.goals.append([("have", star, rng.pick(modes))])
    return sketch


FIELD = Field(PDDL, WORDINGS, draw)
