"""What people write around an action, over all worlds: it is read as that action or refused, and how often it is read.

The table of `docs/replies.md` states the shares; the suite of hours measures them anew.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import agentgym
from agentgym.conformance.env_under_test import open_env
from agentgym.conformance.play import stand
from agentgym.conformance.prose import read_in
from agentgym.core import MissingExtra
from agentgym.core.prose import ANY_TEXT
from agentgym.core.rng import stream
from tests.sampling import one_in

PAGE = Path(__file__).parents[2] / "docs" / "replies.md"
FORMS = (
    "%s.", "%s!", "**%s**", "`%s`", "Action: %s", "My move: %s",
    "I %s.", "I'll %s.", "I would like to %s.", "Let's %s.", "My action is %s.",
)  # fmt: skip
IN_PROCESS = [name for name, card in agentgym.catalog().items() if name.startswith("AgentGym/") and not card.program]


def shares(env_id):
    """How many actions of a world's first states are read in each form, and how many there are."""
    read, tried = Counter(), Counter()
    with open_env(env_id, full=False) as env:
        driver = env.world()
        for seed in range(3):
            stand(driver, seed, seed)
            rng = stream("tests.replies", seed)
            for player in driver.to_act:
                if driver.told("first_words", player) is ANY_TEXT and not driver.told("tools", player):
                    continue  # any text is an answer, what stands around it included
                sampled = [driver.sample_action(player, rng) for _ in range(6)]
                for action in dict.fromkeys([*driver.told("examples", player), *sampled]):
                    for form in FORMS:
                        found = read_in(form, action, driver, player)
                        read[form] += bool(found)
                        tried[form] += found is not None
    return read, tried


@pytest.mark.parametrize("env_id", one_in(6, IN_PROCESS))
def test_what_stands_around_an_action_makes_no_other_action_of_it(env_id):
    try:
        read, tried = shares(env_id)
    except MissingExtra as error:
        pytest.skip(str(error))
    assert all(read[form] for form in ("%s.", "**%s**", "Action: %s")) or not tried


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_the_page_states_how_often_each_form_is_read():
    """To a percentage point, as a mean over worlds in this process."""
    found = {form: [] for form in FORMS}
    for env_id in IN_PROCESS:
        try:
            read, tried = shares(env_id)
        except MissingExtra:
            continue
        for form in FORMS:
            found[form] += [read[form] / tried[form]] if tried[form] else []
    stated = dict(re.findall(r"^\| `` ?(.+?) ?`` \| (\d+) % \|$", PAGE.read_text(encoding="utf8"), re.MULTILINE))
    measured = {form.replace("%s", "go north"): 100 * sum(each) / len(each) for form, each in found.items()}
    assert {form: pytest.approx(int(share), abs=1) for form, share in stated.items()} == measured
