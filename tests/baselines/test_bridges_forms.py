"""DQN that fills in forms: what it reads of a page, how forms are emptied, and what is explored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="the extra sb3 is not installed")

from agentgym.baselines.bridges.sb3 import forms
from agentgym.baselines.bridges.sb3.form_reader import (
    FEATURES,
    FormActions,
    FormReader,
    elements,
    fields,
    overlap,
    values,
)
from agentgym.core import UnicodeText
from tests.envs.browsing import needs_browser

RESULT = Path(forms.__file__).parents[2] / "results" / "forms" / "forms-20.json"
ASKED = 'Select "L" for "Size", choose "Blue" for "Color", tick "Gift", leave the rest as it is, and press Submit.'
PAGE = """{asked}
[1] checkbox "Gift" {gift}
[2] group "Color"
  [3] radio "Blue" {blue}
  [4] radio "Red" not checked
[5] combobox "Size" value="{size}" options: "XS", "L"
[6] textbox "City"{city}
[7] button "Submit"
Actions: click [<id>], fill [<id>] "<text>\""""
ACTIONS = [
    "click [1]", "click [3]", "click [4]", 'select [5] "XS"', 'select [5] "L"', 'fill [6] "L"', 'fill [6] "Blue"',
    "click [7]",
]  # fmt: skip


class Form(gym.Env[str, str]):
    """A form that is won by whatever is done, and tells what was said to it.

    Args:
        page: What is seen.
    """

    action_space = observation_space = UnicodeText(1000)

    def __init__(self, page: str = ""):
        self.page = page
        self.said: list[str] = []
        self.options: list[dict[str, Any]] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        self.options.append(options or {})
        return self.page, {"instruction": ASKED}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        self.said.append(action)
        return self.page, 1.0, True, False, {"instruction": ASKED, "success": True}


def numbered(page: str) -> FormReader:
    return FormReader(FormActions(Form(page), len(ACTIONS) + 1))


def shown(gift: str = "not checked", blue: str = "not checked", size: str = "XS", city: str = "") -> str:
    return PAGE.format(asked=ASKED, gift=gift, blue=blue, size=size, city=f' value="{city}"' if city else "")


def rows(page: str) -> dict[str, Any]:
    env = numbered(page)
    seen, _ = env.reset()
    said = env.get_wrapper_attr("action_texts")()
    assert said == [*ACTIONS, "", ""], "in the order of the page, and two slots to spare"
    return dict(zip(said, seen.reshape(-1, FEATURES), strict=True))


def test_fields_and_elements_are_sets_of_words() -> None:
    assert values(ASKED) == ["L", "Blue"], "a box that is ticked has none"
    assert fields(ASKED) == [{"l", "size"}, {"blue", "color"}, {"gift"}]
    page = elements(shown(blue="checked", city="Oslo"))
    assert page["3"].words == page["3"].holds == {"blue", "color"}
    assert page["4"].holds == page["1"].holds == page["5"].holds == set(), "a list that shows its first option is empty"
    assert elements(shown(size="L"))["5"].holds == {"size", "l"}
    assert page["6"].holds == {"city", "oslo"}
    assert page["7"].words == {"submit"}, "it stands in no group"
    assert overlap(frozenset({"city"}), frozenset({"city", "2"})) == 0.5


def test_of_an_action_is_read_what_it_shares_with_a_field() -> None:
    seen = rows(shown())
    assert {action for action, row in seen.items() if row[-1]} == {*ACTIONS}
    whole = {action for action in ACTIONS if seen[action][-9] == 1}
    assert whole == {"click [1]", "click [3]", 'select [5] "L"'}
    assert seen["click [1]"][-5] == 0, "nothing is done"


def test_what_is_done_and_what_nobody_asked_for_are_told() -> None:
    seen = rows(shown(gift="checked", blue="checked", size="L"))
    assert seen["click [7]"][-5:].tolist() == [1, 1, 0, 0, 1]
    assert seen['select [5] "L"'][-1] == seen['select [5] "XS"'][-1] == 0.5, "two actions of one element"
    assert seen["click [1]"][-8] == 1, "its field is done"
    seen = rows(shown(gift="checked", blue="checked", city="Oslo"))
    assert seen["click [7]"][-5:].tolist() == pytest.approx([2 / 3, 0, 1, 1, 1])
    assert seen['fill [6] "Blue"'][-6] == 1
    assert seen["click [1]"][-6] == 0


def test_an_action_is_said_by_its_number() -> None:
    env = numbered(shown())
    env.reset()
    env.step(ACTIONS.index('select [5] "L"'))
    assert env.unwrapped.said == ['select [5] "L"']  # type: ignore[attr-defined]


class Patient(Form):
    """A form on which nothing ends."""

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        return self.page, 0.0, False, False, {"instruction": ASKED, "success": False}


def test_forms_are_emptied_as_they_are_won() -> None:
    env = forms.Forms(Form(), 20, True, seed=3)
    told = env.unwrapped.options  # type: ignore[attr-defined]
    while env.stage < forms.STAGES:
        env.reset()
        env.step("click [7]")
    filled = [asked["filled"] for asked in told]
    assert filled[: forms.WINDOW] == [1.0] * forms.WINDOW
    assert min(filled) == 1 / forms.STAGES
    assert len(filled) > forms.STAGES * forms.WINDOW, "earlier stages are played too, and count for nothing"
    assert {asked["task"]["page"] for asked in told} == {"generated-form-20"}
    assert min(asked["task"]["seed"] for asked in told) >= forms.HELD_OUT
    plain = forms.Forms(Form(), 20, False, seed=3)
    plain.reset()
    assert plain.unwrapped.options[-1]["filled"] == 0.0  # type: ignore[attr-defined]


@pytest.mark.parametrize(("curriculum", "turns"), [(True, forms.SPARE), (False, forms.SPARE + 20)])
def test_what_is_filled_in_already_takes_fewer_turns(curriculum: bool, turns: int) -> None:
    env = forms.Forms(Patient(), 20, curriculum, seed=0)
    env.reset()
    ends = [env.step("click [1]")[3] for _ in range(turns)]
    assert ends == [False] * (turns - 1) + [True]


def test_only_what_can_be_played_is_explored_and_valued() -> None:
    env = numbered(shown())
    model = forms.AdmissibleDQN(forms.SlotValuePolicy, env, learning_starts=0, seed=0, device="cpu", buffer_size=8)
    model.exploration_rate = 1.0
    seen, _ = env.reset()
    playable = set(np.flatnonzero(seen.reshape(-1, FEATURES)[:, -1]))
    assert {int(model.predict(seen[None])[0][0]) for _ in range(200)} == playable
    assert int(model.predict(seen, deterministic=True)[0]) in playable
    values = model.q_net(model.policy.obs_to_tensor(seen)[0])[0]
    assert {place for place, value in enumerate(values.tolist()) if value > forms.REFUSED} == playable


def test_the_published_curve_is_of_both_learners() -> None:
    record = json.loads(RESULT.read_text(encoding="utf8"))
    assert record["columns"] == ["steps", "stage", "success"]
    learned, plain = record["arms"]["curriculum"], record["arms"]["plain"]
    assert len({tuple(point[0] for point in points) for points in [*learned, *plain]}) == 1, "equal steps"
    assert min(points[-1][2] for points in learned) >= 0.9
    assert max(point[2] for points in plain for point in points) <= 0.1


def test_a_size_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        forms.main(["--fields", "7"])
    assert "there are forms of 5, 10, " in capsys.readouterr().err


@pytest.mark.full
@needs_browser
def test_forms_of_five_fields_are_learned(tmp_path: Path) -> None:
    told = ["--fields", "5", "--steps", "3000", "--every", "3000", "--forms", "20", "--out", str(tmp_path)]
    assert forms.main(told) == 0
    record = json.loads((tmp_path / "forms-5.json").read_text())
    assert record["arms"]["curriculum"][0][-1][2] >= 0.8
    assert (tmp_path / "forms-5.svg").read_text().startswith("<svg")
