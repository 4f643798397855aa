"""WebShop over the published files, read unchanged, with the published reward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from rapidfuzz import fuzz

from agentgym.core.catalog import EnvCard
from agentgym.core.errors import DataError, TaskError, unknown
from agentgym.core.generated import path_to
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs.web import WEBSHOP_ORIGINAL
from agentgym.envs.web._shop.goals import Goal
from agentgym.envs.web._shop.loading import Catalog, ShopFiles, StoredCatalog
from agentgym.envs.web._shop.published import published_order
from agentgym.envs.web.webshop import Config, WebShopEnv

TEST, VAL = 500, 1000  # tasks of the published test and development splits
SMALLEST = 2000  # with fewer goals, test and val are a tenth each
REMEMBERED_GOALS = (
    200_000  # content keys computed to keep splits disjoint; human goals, the ones that repeat, are 12,087
)


@dataclass(frozen=True)
class OriginalConfig(Config):
    """The keyword arguments of `WebShopOriginalEnv`."""

    products: Path = path_to("a file", required=True)
    attributes: Path = path_to("a file", required=True)
    goals: Path | None = path_to("a file")
    reviews: Path | None = path_to("a file")


class WebShopOriginalEnv(WebShopEnv):
    """WebShop with its own products and goals.

    Reads the published files as they are: `items_shuffle*.json`, `items_ins_v2*.json`, `items_human_ins.json` and the
    reviews. On first use it builds a cache (products, search index, goals) under `$AGENTGYM_CACHE` or
    `~/.cache/agentgym`, which takes minutes for a million products; later uses open it at once. Memory stays bounded:
    products and goals are read from disk when they are needed.

    Observation, actions, page texts and ending are those of `AgentGym/WebShop-v1`. The reward is the published one,
    faults included: `large` satisfies `x-large`. Not every published goal can be met in full, so the oracle's success
    on them is below 1; it buys the goal's own product with the options nearest to the goal's.

    Splits follow the published order (shuffle with seed 233): `test` is places 0 to 499, `val` 500 to 1499, `train`
    the rest, less those that ask for the same as a task of `val` or `test`. With fewer than 2,000 goals, `test` and
    `val` are a tenth each. A task's id is its place: what the original calls the index of a goal. `goal_at` gives the
    goal of any place as a specification, whatever split it belongs to.

    Args:
        products: Path of `items_shuffle.json` or `items_shuffle_1000.json`.
        attributes: Path of `items_ins_v2.json` or `items_ins_v2_1000.json`.
        goals: Path of `items_human_ins.json`; None for synthetic goals, one for each combination of options.
        reviews: Path of the reviews file; None leaves products without ratings, as in the released software.

    Source: WebShop (Yao et al. 2022, arXiv:2207.01206) and its released software.
    """

    card: ClassVar[EnvCard] = WEBSHOP_ORIGINAL
    config = OriginalConfig(products=Path("items_shuffle.json"), attributes=Path("items_ins_v2.json"))
    original_reward: ClassVar[bool] = True
    task_schema: ClassVar[Spec] = {
        **WebShopEnv.task_schema,
        "properties": {
            **{name: each for name, each in WebShopEnv.task_schema["properties"].items() if name != "brand"},
            "options": {"type": ["object", "array"]},
        },
    }

    def _configured(self) -> None:
        config = self.config
        self._files = ShopFiles(config.products, config.attributes, config.goals, config.reviews)
        super()._configured()

    def _open_catalog(self) -> Catalog:
        return _opened(self._files)

    @classmethod
    def make_tasks(cls, config: Any) -> None:
        """None: the goals are those of the files."""

    def tasks(self, split: str) -> TaskSet:
        """The goals of a split, in the published order."""
        return _panel(self._files, split)

    def goal_at(self, place: int) -> dict[str, Any]:
        """The goal that the original names by a number, as a specification for `options["task"]` of `reset`.

        It is there for the lists of goals that others have published, which take no heed of the splits.

        Args:
            place: In the published order, from 0: the session of WebShop's own environment, `data_idx` of AgentGym's.

        Raises:
            TaskError: if there is no such goal.
        """
        goals = _goals(self._files)
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(goals):
            raise TaskError(f"{self.card.id}: there is no goal {place!r}; the files hold goals 0 to {len(goals) - 1}")
        return _spec(goals[_order(len(goals))[place]])

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The product with the attributes and options asked for."""
        options = spec["options"]
        return fingerprint(
            [
                spec["asin"],
                sorted(spec["attributes"]),
                sorted(options.items() if isinstance(options, Mapping) else options),
            ]
        )

    def check_task(self, spec: Spec) -> None:
        """The product must be in the catalogue and, where options are named, offer them."""
        named = spec["options"] if isinstance(spec["options"], Mapping) else {}
        if not all(isinstance(value, str) for value in (named.values() or spec["options"])):
            raise TaskError(f"{self.card.id}: options are texts, got {spec['options']!r:.80}")
        super().check_task({**spec, "options": named})

    def _wanted_options(self) -> Mapping[str, str]:
        """For each value the goal asks for, the offered value nearest to it; people did not name the options."""
        goal = self._goal
        position = self.catalog.position(goal.asin)
        assert position is not None
        offered = [(name, value) for name, values in self.catalog.get(position).options.items() for value in values]
        wanted = goal.options.values() if isinstance(goal.options, Mapping) else goal.options
        chosen: dict[str, str] = {}
        for text in wanted:
            free = [pair for pair in offered if pair[0] not in chosen]
            if free:
                name, value = max(
                    free, key=lambda pair: (fuzz.token_set_ratio(pair[1], text), fuzz.ratio(pair[1], text))
                )
                chosen[name] = value
        return chosen


@lru_cache(maxsize=4)
def _opened(files: ShopFiles) -> StoredCatalog:
    """The catalogue of the files, opened once per process."""
    return StoredCatalog.open(files)


@lru_cache(maxsize=4)
def _goals(files: ShopFiles) -> Sequence[Goal]:
    catalog = _opened(files)
    goals = catalog.synthetic_goals() if files.human is None else catalog.human_goals()
    if len(goals) < 10:
        raise DataError(f"the files hold {len(goals)} goals for the products sold; at least 10 are needed for splits")
    return goals


@lru_cache(maxsize=16)
def _panel(files: ShopFiles, split: str) -> TaskSet:
    goals = _goals(files)
    order = _order(len(goals))
    test, val = (TEST, VAL) if len(goals) >= SMALLEST else (len(goals) // 10, len(goals) // 10)
    places = {"test": range(test), "val": range(test, test + val), "train": range(test + val, len(goals))}
    if split not in places:
        raise unknown("split", split, places)
    held_out: set[str] = set()
    kept: list[int] = []
    for name in places:  # test, val, train: a repeated goal stays in the first
        if name == "train" and len(goals) > REMEMBERED_GOALS:  # synthetic goals never repeat
            kept = list(places[name])
        else:
            keys = [WebShopOriginalEnv.content_key(_spec(goals[order[place]])) for place in places[name]]
            kept = [place for place, key in zip(places[name], keys, strict=True) if key not in held_out]
            held_out.update(keys)
        if name == split:
            break

    def make(task_id: str) -> Task:
        goal = goals[order[int(task_id)]]
        return Task(task_id, split, goal.instruction, _spec(goal))

    return FiniteTaskSet(split, [str(place) for place in kept], make)


@lru_cache(maxsize=4)
def _order(count: int) -> list[int]:
    return published_order(count)


def _spec(goal: Goal) -> dict[str, Any]:
    options = dict(goal.options) if isinstance(goal.options, Mapping) else list(goal.options)
    return {
        "asin": goal.asin,
        "instruction": goal.instruction,
        "attributes": list(goal.attributes),
        "options": options,
        "price_upper": goal.price_upper,
    }
