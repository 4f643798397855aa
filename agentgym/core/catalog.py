"""Cards: what each environment is, declared once, registered with Gymnasium, listed by `agentgym.catalog()`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NoReturn

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from agentgym.core._pettingzoo_registry import register_game
from agentgym.core.errors import ConfigError, UnknownName, import_named, unknown
from agentgym.core.scores import Score, StoredScores

NAMESPACE = "AgentGym"
APIS = ("gymnasium", "aec", "parallel")
VECTORS = "agentgym.vector.entry_points"  # has each id as an attribute, for `gymnasium.make_vec`


class _OracleSuccess:
    """The success rate of a card's oracle: what is given; otherwise 1.0 where the world is one player's and
    deterministic, and elsewhere what `scores` say of `test`, which are read when somebody asks.
    """

    def __get__(self, card: EnvCard | None, kind: object = None) -> float | None:
        if card is None:
            return None  # the field's default
        given: float | None = vars(card)["oracle_success"]
        if given is not None or card.certain:
            return 1.0 if given is None else given
        measured = card.scores.get("test", {}).get("oracle")
        return 1.0 if measured is None else measured.success

    def __set__(self, card: EnvCard, given: float | None) -> None:
        vars(card)["oracle_success"] = given


@dataclass(frozen=True)
class EnvCard:
    """The facts of one environment id.

    Attributes:
        id: Gymnasium id, such as `AgentGym/WebShop-v1`.
        kind: Family: `text`, `web`, `tools`, `code`, `games`, `multiagent` or `safety`.
        api: `gymnasium`, `aec` or `parallel`.
        entry_point: `module:Class`, imported when the environment is made.
        description: What the agent does, in a sentence or two.
        citation: Where the world comes from.
        splits: Size of each split with default arguments; None for one without end.
        max_turns: The turn limit; the largest if it depends on the task.
        deterministic: Whether equal actions always have equal effects, whatever the seed.
        oracle_success: Success rate of the oracle: 1.0 where deterministic, otherwise (and with many players) that on
            `test` among `scores`, or 1.0 if there is none. Give it where it is computed, and 0.0 where there is no
            oracle.
        snapshot: `copy` (exact and cheap), `replay` (exact, as slow as playing the episode again) or `none`.
        scores: By split, by agent (`random`, `nothing`, `expert`, `oracle`, ...): success rate and mean return. They
            stand in `scores.json`, see `agentgym.core.scores`; give them only for a world that stands in no package.
        extras: Extras of the distribution to install.
        program: Program that the world starts and ends with itself, such as a browser; empty for none.
        requires: Constructor arguments without default, each with what it must be, such as a path to original data.
        names_files: The other constructor arguments that name a file or a folder, each with a pattern of such values,
            empty where all are. A run file may not give them without trust.
        fixture: `module:function` that writes small valid data for `requires` into a folder and returns the arguments.
        images: Whether `render_mode="rgb_array"` gives pictures.
        tools: Whether actions are tool calls.
        events: Event type to what its record says.
        metrics, costs: Key to meaning; exactly these keys stand in `info["metrics"]` and `info["costs"]`.
        players: How many play with default arguments.
        opponents: Names of the scripted opponents of a game of many players, weakest first.
        rival: Which of them holds the other players while an agent's `scores` are measured; the agent takes each player
            in turn. Empty where all players play together: then the agent holds them all.
        shortcuts: Name to what it does, of players that do not do the task (`_shortcut` of the world plays them). Their
            scores stand among `scores` as `shortcut:` and the name.
        shortcut_bound: Success rate that no shortcut exceeds on `test`, those included that any world can be tried
            with. None stands for what random actions reach.
        shortcut_reason: Why that is more than random actions reach, in a clause; empty where it is not.
        published: Splits that are another benchmark's panel, task by task, each with the success rate of the oracle
            there: a task may come twice in them, and some nobody can solve in the turns that are given.
        hidden_progress: Whether progress and metrics tell of what the player cannot see, such as the way to a place not
            found yet. On splits that begin with `test` they then appear with the end only.
        repeatable: Whether equal seeds and actions give equal transcripts in any process. It is not where a live site
            answers, or a program of the agent can read the clock; Gymnasium's spec calls it `nondeterministic`.
    """

    id: str
    kind: str
    entry_point: str
    description: str
    citation: str
    splits: Mapping[str, int | None]
    max_turns: int
    deterministic: bool
    oracle_success: float = _OracleSuccess()  # type: ignore[assignment]
    api: Literal["gymnasium", "aec", "parallel"] = "gymnasium"
    snapshot: Literal["copy", "replay", "none"] = "copy"
    scores: Mapping[str, Mapping[str, Score]] = field(default_factory=StoredScores)
    extras: tuple[str, ...] = ()
    program: str = ""
    requires: Mapping[str, str] = field(default_factory=dict)
    names_files: Mapping[str, str] = field(default_factory=dict)
    fixture: str = ""
    images: bool = False
    tools: bool = False
    events: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    costs: Mapping[str, str] = field(default_factory=dict)
    players: int = 1
    opponents: tuple[str, ...] = ()
    rival: str = ""
    shortcuts: Mapping[str, str] = field(default_factory=dict)
    shortcut_bound: float | None = None
    shortcut_reason: str = ""
    published: Mapping[str, float] = field(default_factory=dict)
    hidden_progress: bool = False
    repeatable: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.scores, StoredScores):
            object.__setattr__(self, "scores", StoredScores(self.entry_point, self.id))
        alone = self.api == "gymnasium"
        if self.api not in APIS:
            raise unknown(f"api of {self.id}", self.api, APIS)
        if self.certain and self.oracle_success != 1.0:
            raise ConfigError(
                f"{self.id}: a deterministic world must have oracle_success 1.0, got {self.oracle_success}"
            )
        for split in self.published:
            if split not in self.splits:
                raise unknown(f"split of {self.id}", split, self.splits)
        if alone != (self.players == 1) or (self.rival and self.rival not in self.opponents):
            raise ConfigError(
                f"{self.id}: api {self.api!r}, {self.players} players and rival {self.rival!r} of {self.opponents} do "
                "not fit: many players are 'aec' or 'parallel', and the rival is one of the opponents"
            )
        if self.shortcuts and self.shortcut_bound is None:
            raise ConfigError(f"{self.id}: a card with shortcuts states shortcut_bound, the most that one may win")
        if self.shortcut_reason and self.shortcut_bound is None:
            raise ConfigError(f"{self.id}: shortcut_reason is the reason of a shortcut_bound, which is not stated")
        if self.requires and not self.fixture:
            raise ConfigError(f"{self.id}: an id with required arguments needs a fixture that makes data for them")

    @property
    def certain(self) -> bool:
        """Whether a perfect player always succeeds; with others at the table even that one may lose."""
        return self.api == "gymnasium" and self.deterministic

    @property
    def name(self) -> str:
        """The id without the namespace, such as `WebShop-v1`."""
        return self.id.rpartition("/")[2]


_CARDS: dict[str, EnvCard] = {}


def register(card: EnvCard) -> None:
    """Put a card into the catalog and its id into Gymnasium's registry; nothing of the world is imported.

    `gymnasium.make_vec` finds `agentgym.make_vec` under the id. A game of several players goes into PettingZoo's
    registries, as AEC and as parallel environment; under its id in Gymnasium's stands an error that says so.

    Raises:
        ConfigError: if the id already belongs to another entry point.
    """
    several = card.api != "gymnasium"
    known: Mapping[str, EnvSpec | EnvCard] = _CARDS if several else gym.registry
    if card.id in known and known[card.id].entry_point != card.entry_point:
        taken = known[card.id].entry_point
        raise ConfigError(f"{card.id} is already registered for {taken}; give {card.entry_point} another version")
    if several:
        register_game(card)
    if card.id not in gym.registry and several:
        gym.register(card.id, f"{__name__}:refuse_game", kwargs={"game": card.id})
    elif card.id not in gym.registry:
        vectors = f"{VECTORS}:{card.id}"
        gym.register(card.id, card.entry_point, nondeterministic=not card.repeatable, vector_entry_point=vectors)
    _CARDS[card.id] = card


def refuse_game(game: str, **options: object) -> NoReturn:
    """What `gymnasium.make` calls for a game of several players.

    Args:
        game: Its id.
        options: What was to be passed to its constructor; not used.

    Raises:
        ConfigError: always, with the calls to make instead.
    """
    known = card(game)
    raise ConfigError(
        f"{game} is a game of {known.players} players, which Gymnasium cannot make: call agentgym.make({game!r}) or "
        f"pettingzoo.make({known.api!r}, {game!r}); SelfPlay in agentgym.wrappers.selfplay plays one of them"
    )


def catalog() -> dict[str, EnvCard]:
    """Every card by id, in alphabetical order."""
    return dict(sorted(_CARDS.items()))


def full_id(name: str) -> str:
    """`WebShop-v1` as `AgentGym/WebShop-v1`; a name with a namespace or module prefix stays as it is.

    Raises:
        TypeError: if the name is no string.
    """
    if not isinstance(name, str):
        raise TypeError(f"an environment is named by its id, such as 'WebShop-v1', got {type(name).__name__}")
    return name if "/" in name or ":" in name else f"{NAMESPACE}/{name}"


def find_card(name: str) -> EnvCard | None:
    """The card of an id; None for an id that has none, such as Gymnasium's own.

    Args:
        name: The id, with or without the namespace; `module:id` imports the module first, as `gymnasium.make` does.

    Raises:
        ConfigError: if the module cannot be imported.
    """
    module, _, rest = full_id(name).rpartition(":")
    if module:
        try:
            import_named(module)
        except ModuleNotFoundError as error:
            raise ConfigError(f"the module of {name!r} cannot be imported: {error}") from None
    return _CARDS.get(full_id(rest))


def card(name: str) -> EnvCard:
    """The card of an id; see `find_card`.

    Raises:
        UnknownName: with the nearest known id.
    """
    found = find_card(name)
    if found is None:
        raise unknown_environment(name.rpartition(":")[2], _CARDS)
    return found


def unknown_environment(name: str, ids: Iterable[str]) -> UnknownName:
    """The error for an id that nobody registered, with the nearest known one, which has a namespace if the name has.

    Args:
        name: What was asked for.
        ids: The full ids that are known.
    """
    known = ids if "/" in name else [env_id.removeprefix(f"{NAMESPACE}/") for env_id in ids]
    return unknown("environment", name, known)
