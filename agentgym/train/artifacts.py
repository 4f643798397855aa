"""Artifacts: text that is learned in place of weights, or beside them.

    [artifact]
    kind = "experiences"                       # a prompt, a list of experiences, a rule book, a set of functions
    editor = { name = "model", agent = "endpoint:MODEL" }

After a round an editor reads the same groups that advantages compare, and proposes edits: what the better episodes of
a group did and the others did not. The edited text is played on a fixed panel, beside the text as it is; it is accepted
if it does no worse, and rolled back otherwise, as is a text for which a policy's context has no room there. One that a
longer task leaves no room for later is withdrawn then, and the text that it was made of is read again. Every version is
kept with its edits and its score, in the checkpoint and in the run's `artifact.jsonl`. Policies read it as guidance
(`agentgym.rollout.Role`). Nothing in it is ever run: functions are text that a policy may follow.

Source: Training-Free GRPO (Tencent Youtu 2025, arXiv:2510.08191) for the loop; the test before a change is kept is that
of hill climbing, which the paper leaves out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np

from agentgym.agents.policy import ContextOverflow
from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.rollout.episode import is_child
from agentgym.train.advantage_utils import members
from agentgym.train.callbacks import Evaluate, check_panel
from agentgym.train.config import positive
from agentgym.train.config_parser import pick
from agentgym.train.editors import EDITORS, Edit, Editor
from agentgym.train.interfaces import Remembering

if TYPE_CHECKING:
    from agentgym.train.trainer import Trainer

T = TypeVar("T")
Kind: TypeAlias = Literal["prompt", "experiences", "rules", "functions"]
HEADS: dict[Kind, str] = {
    "prompt": "{text}",
    "experiences": "What earlier tries have taught:\n{text}",
    "rules": "Rules:\n{text}",
    "functions": "Functions to follow, step by step:\n{text}",
}
LINES: dict[Kind, str] = {
    "prompt": "{text}",
    "experiences": "- {text}",
    "rules": "{name}: {text}",
    "functions": "{name}:\n{text}",
}
LONGEST, LONGEST_NAME = 2_000, 64  # characters of an entry, and of its name


@dataclass(frozen=True)
class Version:
    """The text at one time.

    Attributes:
        number: Counted from 0, the one of the recipe.
        parent: The version that was edited; -1 for the first.
        entries: By name, in order.
        edits: What was changed.
        score: On the panel; None if it was never measured, or there was no room for it.
        accepted: Whether it was kept; where not, its parent stayed, or was read again.
    """

    number: int
    parent: int
    entries: dict[str, str]
    edits: tuple[dict[str, str], ...] = ()
    score: float | None = None
    accepted: bool = True


@dataclass(frozen=True)
class Artifact(Remembering):
    """See the module.

    Attributes:
        kind: What it is, which says how it is put into words; of a prompt all entries are one text.
        editor: Who proposes edits; see `agentgym.train.editors`.
        entries: What it begins with, by name.
        every: Rounds between proposals.
        most: Most entries.
        split, tasks, seed: The panel that decides, as in the callback `evaluate`.
        measure: What is compared on it.
        policies: Names of those who read it; none for all models and agents.
        plain: Whether policies that learn do so as if they had not read it; see `agentgym.rollout.Role`.
    """

    kind: Kind
    editor: Any
    entries: dict[str, Any] = field(default_factory=dict)
    every: int = 1
    most: int = 16
    split: str = "val"
    tasks: int | None = None
    seed: int = 0
    measure: Literal["success", "return"] = "success"
    policies: tuple[str, ...] = ()
    plain: bool = False
    _versions: list[Version] = field(default_factory=list, init=False, repr=False, compare=False)
    _current: list[int] = field(default_factory=lambda: [0], init=False, repr=False, compare=False)
    _known: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positive(self, "artifact", "every", "most")
        object.__setattr__(self, "editor", pick(EDITORS, self.editor, "artifact.editor"))
        if not all(isinstance(text, str) and 0 < len(text) <= LONGEST for text in self.entries.values()):
            raise ConfigError(f"artifact.entries must be texts of 1 to {LONGEST} characters by name")
        if len(self.entries) > self.most:
            raise ConfigError(
                f"artifact.entries holds {len(self.entries)} entries, more than artifact.most {self.most}"
            )
        if self.split.startswith("test"):
            raise ConfigError("a run may not look at the test panel; let artifact.split be 'val'")
        if self.tasks is not None and self.tasks < 1:
            raise ConfigError(f"artifact.tasks must be at least 1, got {self.tasks}")
        self._versions.append(Version(0, -1, dict(self.entries)))

    def check(self, recipe: Any) -> None:
        """It must come up, somebody must read it, and its panel must be there."""
        if self.every > recipe.update.updates:
            raise ConfigError(
                f"artifact.every {self.every} exceeds the {recipe.update.updates} updates: it never comes"
            )
        if self.plain and recipe.loss is None:
            raise ConfigError("artifact.plain has no effect without [loss]: nobody learns")
        for name in self.policies:
            if name not in recipe.policies:
                raise ConfigError(f"artifact.policies names {name!r}, which is none of [policies]")
        check_panel(recipe, "artifact", self.split, self.tasks)
        for plan in recipe.plans:
            if plan.opponent is not None:
                raise ConfigError("an artifact is read by those in [players]; write them in place of rollout.opponent")

    @property
    def current(self) -> Version:
        """The version that is read."""
        return self._versions[self._current[0]]

    @property
    def versions(self) -> tuple[Version, ...]:
        """All that were ever proposed, the first first."""
        return tuple(self._versions)

    @property
    def text(self) -> str:
        """What policies read; "" while there are no entries."""
        return self.render(self.current.entries)

    def render(self, entries: Mapping[str, str]) -> str:
        """Entries in words.

        Args:
            entries: By name.
        """
        if not entries:
            return ""
        lines = [LINES[self.kind].format(name=name, text=text) for name, text in entries.items()]
        return HEADS[self.kind].format(text="\n".join(lines))

    def edited(self, entries: Mapping[str, str], edits: Sequence[Edit]) -> tuple[dict[str, str], list[Edit]]:
        """The entries after edits, and those edits that could be made: text from a model is data, and may be anything.

        Args:
            entries: As they are.
            edits: In order.
        """
        found, done = dict(entries), []
        for edit in edits:
            fits = 0 < len(edit.text) <= LONGEST and edit.text not in found.values()
            named = len(edit.name) <= LONGEST_NAME and edit.name.isprintable()
            if edit.op == "add" and fits and named and len(found) < self.most:
                name = edit.name or f"e{1 + max((int(key[1:]) for key in found if key[1:].isdecimal()), default=0)}"
                if name in found:
                    continue
                found[name] = edit.text
            elif edit.op == "modify" and fits and edit.name in found:
                found[edit.name] = edit.text
            elif edit.op == "delete" and edit.name in found:
                del found[edit.name]
            else:
                continue
            done.append(edit)
        return found, done

    def revise(
        self,
        played: Sequence[Episode],
        update: int,
        score: Callable[[str], float],
        weights: Sequence[int],
        rng: np.random.Generator,
    ) -> Version | None:
        """Let the editor propose, and keep what does no worse.

        Args:
            played: The episodes of a round, in groups.
            update: Number of the round, from 0.
            score: Plays a text on the panel.
            weights: Versions of the policies; scores that were measured under others are measured again.
            rng: For the editor.

        Returns:
            The version that was proposed, accepted or not; None if it was not time or nothing was proposed.
        """
        if (update + 1) % self.every:
            return None
        whole = [episode for episode in played if not episode.failed and episode.turns and not is_child(episode)]
        groups = [[whole[place] for place in places] for places in members(whole).values()]
        editor: Editor = self.editor
        before = self.current
        proposed = editor.propose(before.entries, groups, rng)
        entries, done = self.edited(before.entries, proposed)
        self.count(edits_proposed=len(proposed), edits_made=len(done))
        if entries == before.entries:
            return None
        old, new = self._score(before.entries, score, weights), None
        try:
            new = self._score(entries, score, weights)
        except ContextOverflow:
            self.count(texts_too_long=1)
        number = len(self._versions)
        edits = tuple(asdict(edit) for edit in done)
        version = Version(number, before.number, entries, edits, new, accepted=new is not None and new >= old)
        self._versions[before.number] = replace(before, score=old)
        self._versions.append(version)
        if version.accepted:
            self._current[0] = number
        return version

    def read_by(self, play: Callable[[str], T]) -> T:
        """What comes of playing with the text as it is.

        A version for which a task leaves no room in a policy's context is withdrawn: what it was made of is read from
        then on, here and later.

        Args:
            play: Plays with a text.

        Raises:
            ContextOverflow: if there is no room for the text of the recipe.
        """
        while True:
            try:
                return play(self.text)
            except ContextOverflow:
                if self.current.parent < 0:
                    raise
                self._versions[self.current.number] = replace(self.current, accepted=False)
                self._current[0] = self.current.parent
                self.count(texts_withdrawn=1)

    def play(self, trainer: Trainer, text: str) -> float:
        """How the policies do on the panel if they read a text: the mean over the worlds.

        Args:
            trainer: Who trains.
            text: What they read.

        Raises:
            ConfigError: if a world failed in every episode, so that nothing can be compared.
        """
        panel = Evaluate(self.split, self.tasks, seed=self.seed)
        found = [panel.play(trainer, plan, text)[f"eval_{self.measure}"] for plan in trainer.recipe.plans]
        if None in found:
            raise ConfigError(f"the world failed in every episode of the artifact's panel {self.split!r}")
        return float(sum(found) / len(found))

    def metrics(self, revised: Version | None) -> dict[str, Any]:
        """What a round tells of it: the version that is read, how many entries it has, and what was proposed.

        Args:
            revised: As `revise` gave it.
        """
        told: dict[str, Any] = {"version": self.current.number, "entries": len(self.current.entries)}
        return {**told, "proposed": asdict(revised)} if revised is not None else told

    def _score(self, entries: Mapping[str, str], score: Callable[[str], float], weights: Sequence[int]) -> float:
        text = self.render(entries)
        key = json.dumps([text, list(weights)])
        if key not in self._known:
            self._known[key] = score(text)
        return self._known[key]

    def state(self) -> dict[str, Any]:
        """All versions, and which one is read."""
        return {"current": self._current[0], "versions": [asdict(version) for version in self._versions]}

    def load(self, state: Any) -> None:
        """Take up where `state` was taken."""
        self._versions[:] = [Version(**{**each, "edits": tuple(each["edits"])}) for each in state["versions"]]
        self._current[0] = state["current"]
