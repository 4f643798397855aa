"""Configs, and worlds that are made of a config and a generator."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from agentgym.core import Call, Command, ConfigError, EnvCard, Grammar, LanguageEnv, Outcome, Task, UnknownName
from agentgym.core.checks import check_share
from agentgym.core.generated import (
    EnvConfig,
    checked,
    expert_is_oracle,
    named_level,
    object_schema,
    one_of,
    set_seed_source,
    share,
    stored_seeds,
    switch,
    whole,
)
from agentgym.core.rng import task_generator
from agentgym.core.tasks import Spec

LEVELS = {"easy": {"size": 6, "odds": 0.5}, "hard": {"size": 9, "odds": 0.25}}


@dataclass(frozen=True)
class Config(EnvConfig):
    """Every kind of field."""

    level: str = named_level("easy", LEVELS, of="Pick")
    size: int = whole(None, 2, 9)
    odds: float = share(None)
    told: bool = switch(True, shapes_tasks=False)
    view: str = one_of("short", ("short", "long"), shapes_tasks=False)
    word: str = checked("Ice", lambda name, value: value.strip().lower())
    shown: int = field(default=0, init=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size == 7:
            raise ConfigError("7 is unlucky")


class Pick(LanguageEnv):
    """Say the number that the task names."""

    card: ClassVar[EnvCard] = EnvCard(
        id="AgentGymTests/Pick-v0",
        kind="games",
        entry_point="tests.core.test_generated:Pick",
        description="Say a number.",
        citation="none",
        splits={"train": None, "val": 2, "test": 3},
        max_turns=2,
        deterministic=True,
        images=True,
    )
    config = Config()
    task_stream = 5
    grammar = Grammar([Command("say <number>", "say it.", examples=("say 3",))], rules="Say the number.")
    task_schema: ClassVar[Spec] = object_schema({"number": {"type": "integer"}})
    _state: list[int]
    _expert = expert_is_oracle

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A number below size."""
        return {"number": int(rng.integers(config.size))}

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return f"Say {spec['number']}."

    def _reset(self, task: Task) -> str:
        self._state = []
        return task.instruction

    def _step(self, call: Call) -> Outcome:
        right = call["number"] == str(self.task.spec["number"])
        return Outcome("", float(right), terminated=True, success=right)

    def _oracle(self) -> str:
        return f"say {self.task.spec['number']}"

    def _picture(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return np.zeros((2, 3, 3), np.uint8)


def test_a_config_takes_what_the_level_leaves_open_and_the_caller_stands_above_it() -> None:
    assert (Config().size, Config().odds, Config().word) == (6, 0.5, "ice")
    assert (Config(level="hard").size, Config(level="hard", size=4).size) == (9, 4)
    assert isinstance(Config(odds=1).odds, float)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"size": 1}, "size must be a whole number from 2 to 9, got 1"),
        ({"size": True}, "size must be a whole number from 2 to 9, got True"),
        ({"size": 7}, "7 is unlucky"),
        ({"odds": 1.5}, "odds must be a share from 0 to 1, got 1.5"),
        ({"told": 1}, "told must be True or False, got 1"),
        ({"view": "wide"}, "view must be one of 'short', 'long', got 'wide'"),
        ({"view": None}, "view must be one of 'short', 'long', got None"),
    ],
)
def test_a_wrong_value_is_refused_when_the_world_is_made(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Pick(**wrong)


def test_an_unknown_level_and_an_unknown_argument_are_refused() -> None:
    with pytest.raises(UnknownName, match="unknown level of Pick 'hrad'; did you mean 'hard'"):
        Pick(level="hrad")
    with pytest.raises(UnknownName, match=r"unknown option of .*Pick.* 'colour'"):
        Pick(colour="red")
    with pytest.raises(ConfigError, match="odds must be a share from 0 to 1, got True"):
        check_share("odds", True, 0, 1)


def test_environments_share_the_tasks_of_configs_that_shape_equal_ones() -> None:
    assert Pick().seeded is Pick(told=False, view="long").seeded
    assert Pick().seeded is Pick(level="easy", size=6).seeded
    assert Pick().seeded is not Pick(size=4).seeded
    assert Pick(view="long").config.shaping().view == "short"
    assert Pick(view="long").config.view == "long"


def test_a_task_is_drawn_from_the_generator_of_its_seed() -> None:
    world = Pick(level="hard")
    drawn = int(task_generator(12, 5).integers(9))
    assert world.generate_from_seed(world.config, 12) == {"number": drawn}
    assert np.random.default_rng([12, 5]).integers(9) == drawn


def test_fixed_panels_are_found_where_none_are_stored_and_share_no_content() -> None:
    world = Pick(level="hard")
    numbers = {split: [task.spec["number"] for task in world.tasks(split)] for split in ("val", "test")}
    assert (len(numbers["val"]), len(numbers["test"])) == (2, 3)
    held_out = {*numbers["val"], *numbers["test"]}
    assert len(held_out) == 5
    assert not held_out & {world.tasks("train")[place].spec["number"] for place in range(30)}


def test_seed_lists_of_the_package_come_from_the_source_that_was_set() -> None:
    card = EnvCard(**{**vars(Pick.card), "entry_point": "agentgym.envs.none:Pick"})
    try:
        set_seed_source("tests.core.test_generated:lists")
        assert stored_seeds(card) == {"val": [len("Pick-v0")]}
        assert stored_seeds(Pick.card) == {}
    finally:
        set_seed_source("agentgym.assets.records:seeds")


def lists(name: str) -> dict[str, list[int]]:
    return {"val": [len(name)]}


def test_the_signature_names_config_and_base_and_leaves_out_what_cannot_be_given() -> None:
    parameters = inspect.signature(Pick).parameters
    assert list(parameters) == [
        "level", "size", "odds", "told", "view", "word", "split", "max_turns", "render_mode",
    ]  # fmt: skip
    assert parameters["level"].default == "easy"
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters.values())


def test_one_hook_and_one_fact_make_pictures() -> None:
    assert Pick.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    world = Pick(render_mode="rgb_array")
    world.reset(seed=0)
    assert world.render().shape == (2, 3, 3)


def test_where_nothing_is_hidden_the_expert_is_the_oracle() -> None:
    world = Pick()
    world.reset(seed=1)
    assert world.expert_action() == world.oracle_action() == f"say {world.task.spec['number']}"
    assert world.step(world.expert_action())[4]["success"]


def test_an_object_schema_asks_for_everything_that_is_not_optional() -> None:
    number = {"type": "integer"}
    assert object_schema({"a": number, "b": number}, optional=["b"], description="two") == {
        "type": "object",
        "properties": {"a": number, "b": number},
        "required": ["a"],
        "additionalProperties": False,
        "description": "two",
    }
