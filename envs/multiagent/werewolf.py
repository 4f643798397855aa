"""Werewolf: hidden roles, nights, talk and votes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, switch, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.roles import WEREWOLF
from agentgym.envs.multiagent._scripted import StrongExpert, graded
from agentgym.envs.multiagent._werewolf.players import (
    name,
    omniscient,
    random_opponent,
    simple_opponent,
    strong_opponent,
)
from agentgym.envs.multiagent._werewolf.state import State, known, redraw
from agentgym.envs.multiagent._werewolf.village import (
    DAWN,
    DOCTOR,
    NIGHT,
    ROLES,
    SEER,
    TALK,
    VERBS,
    VILLAGER,
    VOTE,
    WITCH,
    WOLF,
    Known,
    cast,
)  # fmt: skip

STREAM = 0x3E  # apart from np_random of an equal seed
PLAYERS = range(5, 10)
DAYS = range(1, 31)
WORDS = range(10, 301)
ROUNDS = range(1, 6)
NOBODY = ("vote nobody", "vote for nobody", "vote no one", "vote for no one", "abstain")
DUTIES = {
    WOLF: "At night say `kill <name>`; where you differ, most names count, and among equals chance decides.",
    SEER: "At night say `see <name>`, and you are told whether that player is a werewolf.",
    DOCTOR: "At night say `save <name>`; that player cannot be killed this night. It may be yourself.",
    WITCH: "At night say `sleep`. At dawn you are told whom the wolves attack; once in the game say `heal` to undo it, "
    "once `poison <name>` to kill somebody, otherwise `sleep`.",
    VILLAGER: "At night say `sleep`.",
}


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `Werewolf`."""

    players: int = whole(7, PLAYERS[0], PLAYERS[-1])
    witch: bool = switch(False)
    days: int = whole(10, DAYS[0], DAYS[-1], shapes_tasks=False)
    words: int = whole(80, WORDS[0], WORDS[-1], shapes_tasks=False)
    rounds: int = whole(2, ROUNDS[0], ROUNDS[-1], shapes_tasks=False)


class Werewolf(StrongExpert, LanguageAEC):
    """Werewolf.

    Description: some of the players are werewolves and know each other; the rest is the village, and knows nobody. At
    night the wolves choose a victim, the seer learns of one player whether it is a wolf, and the doctor guards one
    player. In the morning it is said who died; roles of the dead stay hidden. Then all living players speak in turn,
    twice round, and all vote; who has the most votes leaves, and among those with equally many chance decides. The
    village wins when no wolf is left, the wolves when they are as many as the others. Seven players are two wolves, a
    seer, a doctor and three villagers. Players who have died see what is public, do not act, and win or lose with
    their side.

    So that turns tell nothing, every living player acts each night, those without a task by `sleep`. Nothing done at
    night is known before morning, except that wolves are told whom other wolves name; no vote before all have voted.

    Observation: what happened and was said since the player last acted; day, phase, the living, who was voted out or
    found dead; its role, and what the role knows. Talk is quoted: nothing in quotation marks comes from the moderator.

    Actions: `kill <name>`, `see <name>`, `save <name>`, `sleep` at night by role; `say <text>` (also `pass`) in the
    talk; `vote <name>` (also `vote pass`). Names are `player_0` and so on. After three refused tries in a row `sleep`,
    `pass` or `vote pass` is played. The admissible list holds all but free speech.

    Reward: at the end 1 to every player of the side that wins and -1 to the others; the winning side has succeeded. If
    the days are used up nobody wins, and the metric `draw` is 1.

    Splits: `train` without end, `val` and `test` 200 deals of roles and orders of speech each.

    Opponents: `random`; `simple` has the seer tell what it found and votes for who is blamed most today, and its wolves
    spare each other; `strong` weighs every possible set of wolves by claims and votes, its doctor guards whom it takes
    for the seer, and its wolves hunt that player, counter its claims and vote with the village. They read plain
    sentences such as `I am the seer.`, `player_3 is a werewolf.`, `I don't think player_2 is a wolf.`, `I suspect
    player_4.`, `Let's vote for player_5.`; questions, conditions and what is told of others' words claim nothing.
    Levels are compared as whole sides, each deal once from either. Expert: `strong`, its dice made of the task. Oracle:
    knows all roles. Scores of the card are of one player among `simple` players, each player in turn.

    Args:
        players: How many play, 5 to 9; 7 by default. Wolves are 1 of 5, 2 of 6 to 8, 3 of 9.
        witch: Whether a villager is a witch instead, who may heal once and poison once; then there is a second round of
            actions each night, at dawn.
        days: Days until the game is a draw, 1 to 30; 10 by default.
        words: Most words of a speech, 10 to 300; 80 by default.
        rounds: How often everybody speaks on a day, 1 to 5; 2 by default.

    Source: D. Davidoff 1986 (Mafia), A. Plotkin 1997. Roles of seven: Xu et al. 2023, Language Agents with
    Reinforcement Learning for Strategic Play in the Werewolf Game (arXiv:2310.18940); the witch: Xu et al. 2023,
    Exploring Large Language Models for Communication Games (arXiv:2309.04658).
    """

    card = WEREWOLF
    fixed_names = True
    config = Config()
    task_stream = STREAM
    talk = True
    default_rule = "`sleep` at night, `pass` in the talk, `vote pass` in a vote"
    admissible_complete = False
    grammar = Grammar(
        [
            Command("kill <name>", "as a werewolf, at night: name a victim.", examples=("kill player_3",)),
            Command("see <name>", "as the seer, at night: learn a player's side.", examples=("see player_1",)),
            Command("save <name>", "as the doctor, at night: guard a player.", examples=("save player_2",)),
            Command("heal", "as the witch, at dawn: undo the wolves' attack.", examples=("heal",)),
            Command("poison <name>", "as the witch, at dawn: kill a player.", examples=("poison player_4",)),
            Command("sleep", "at night: do nothing.", examples=("sleep",)),
            Command("say <text>", "in the talk: speak to all.", examples=("say I suspect player_3.",), free="lines"),
            Command("pass", "in the talk: say nothing.", examples=("pass",)),
            Command("vote pass", "in the vote: name nobody.", examples=("vote pass",), variants=NOBODY, name="abstain"),
            Command("vote <name>", "in the vote: name who shall leave.", examples=("vote player_3",)),
        ],
        rules="Werewolves and village play against each other; only the wolves know who is what. Each night the wolves "
        "kill, the seer sees, the doctor saves. Each day all talk in turn and vote one out. The village wins without a "
        "wolf left, the wolves when they are as many as the rest; if neither comes by the last day, nobody wins. "
        "Among those with equally many votes chance decides who leaves; if nobody is named, nobody leaves. The dead "
        "are silent, and nobody learns their roles. Players that follow a script "
        "understand plain sentences, and who denies them: I am the seer. player_3 is a werewolf. player_2 is not a "
        "werewolf. I suspect player_4. I am voting for player_5. Find out who lies, or lie well.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "roles": {"type": "array", "minItems": 5, "maxItems": 9, "items": {"type": "string", "enum": list(ROLES)}},
            "first": {"type": "integer", "minimum": 0, "maximum": 8},
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    def _configured(self) -> None:
        self._cast = cast(self.config.players, self.config.witch)

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """Who has which role, and who speaks first, drawn by `rng`; `config` has the players, and whether a witch."""
        roles = cast(config.players, config.witch)
        dealt = [roles[place] for place in rng.permutation(len(roles))]
        return {"roles": dealt, "first": int(rng.integers(len(roles)))}

    def _player_names(self, config: Config) -> list[str]:
        return [name(player) for player in range(config.players)]

    def check_task(self, spec: Spec) -> None:
        """Refuse other roles than those of the table, and a first speaker that is not there."""
        if sorted(spec["roles"]) != sorted(self._cast):
            raise TaskError(f"the roles must be {', '.join(self._cast)} in some order, got {', '.join(spec['roles'])}")
        if spec["first"] >= len(self._cast):
            raise TaskError(f"the first speaker must be below {len(self._cast)}, got {spec['first']}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        roles: Counter[str] = Counter(spec["roles"])
        told = ", ".join(f"{count} {role if count == 1 else _plural(role)}" for role, count in sorted(roles.items()))
        return (
            f"Play Werewolf with {len(spec['roles'])} players ({told}); player_{spec['first']} speaks first on the "
            "first day, if alive. Help your side to win."
        )

    def _turn_limit(self, task: Task) -> int:
        phases = (3 if WITCH in self._cast else 2) + self.config.rounds
        return self.config.days * phases * len(self._cast) * self.tries

    def _reset(self, task: Task) -> None:
        count = len(self._cast)
        self._state = State(
            list(task.spec["roles"]), 0, VOTE, [], [True] * count, [], -1, [], [], -1, [WITCH in self._cast] * 2,
            [], [], [], [], [], False, 0,
        )  # fmt: skip
        for player in range(count):
            role = self._state.roles[player]
            text = f"You are {'a' if role in (WOLF, VILLAGER) else 'the'} {role}. {DUTIES[role]}"
            mates = [name(each) for each in self._pack() if each != player]
            if role == WOLF:
                text += f" The other werewolves: {', '.join(mates)}." if mates else " You are the only werewolf."
            self.send_message(text, [name(player)])
        self._open(NIGHT)

    def _pack(self) -> list[int]:
        return [player for player, role in enumerate(self._state.roles) if role == WOLF]

    def _alive(self) -> list[int]:
        return [player for player, living in enumerate(self._state.living) if living]

    def _open(self, phase: str) -> None:
        """Begin a phase."""
        state, alive = self._state, self._alive()
        if phase == NIGHT:
            state.day, state.victim = state.day + 1, -1
            self.send_message(f"Night {state.day} falls.")
        state.round = state.round + 1 if phase == state.phase == TALK else 1
        if phase == TALK:
            turn = (int(self.task.spec["first"]) + state.day - 1) % len(state.roles)
            alive = [player for player in alive if player >= turn] + [player for player in alive if player < turn]
        state.phase, state.queue, state.moves = phase, alive, []

    def _to_move(self) -> str:
        return name(self._state.queue[0])

    def _team(self, player: str) -> str:
        return "wolves" if self._state.roles[self._index(player)] == WOLF else "village"

    def _role(self, player: str) -> str:
        return self._state.roles[self._index(player)]

    def _index(self, player: str) -> int:
        return self.possible_agents.index(player)

    def _public(self) -> str:
        state = self._state
        phase = f"talk, round {state.round} of {self.config.rounds}" if state.phase == TALK else state.phase
        now = f"Day {state.day} of {self.config.days}, {'over' if state.over else phase}."
        lines = [f"{now} Alive: {_names(self._alive())}."]
        if state.killed:
            lines.append(
                "Found dead: " + ", ".join(f"{name(player)} (day {day})" for day, player in state.killed) + "."
            )
        if state.voted:
            lines.append("Voted out: " + ", ".join(f"{name(player)} (day {day})" for day, player in state.voted) + ".")
        if state.over:
            lines.append(
                "Roles: " + ", ".join(f"{name(player)} {role}" for player, role in enumerate(state.roles)) + "."
            )
        return "\n".join(lines)

    def _limits(self) -> str:
        config = self.config
        often = "once" if config.rounds == 1 else f"{config.rounds} times"
        return f"Everybody speaks {often} a day, at most {config.words} words each time. Day {config.days} is the last."

    def _view(self, player: str) -> str:
        state, me = self._state, self._index(player)
        role = state.roles[me]
        lines = [self._public(), f"You are {player}, {role}" + ("." if state.living[me] else ", and dead.")]
        if role == WOLF and len(self._pack()) > 1:
            lines.append(f"Werewolves: {_names(self._pack())}.")
        if role == SEER and state.checks:
            seen = ", ".join(f"{name(each)} {'werewolf' if wolf else 'no werewolf'}" for each, wolf in state.checks)
            lines.append(f"You have seen: {seen}.")
        if role == WITCH and not state.over:
            left = [word for word, has in zip(("healing potion", "poison"), state.potions, strict=True) if has]
            lines.append(f"You have: {' and '.join(left) or 'no potion left'}.")
            if state.phase == DAWN and state.living[me] and state.potions[0]:
                lines.append(f"The wolves attack {name(state.victim) if state.victim >= 0 else 'nobody'}.")
        return "\n".join(lines)

    def _step(self, player: str, call: Call) -> JointOutcome:
        me, state = self._index(player), self._state
        word = {"abstain": "vote", "say": "talk", "pass": "talk"}.get(call.name, call.name)
        objection = self._objected(me, word)
        if objection:
            return self.refuse(objection)
        target = -1
        if "name" in call.slots:
            named = self._target(me, word, call["name"])
            if isinstance(named, str):
                return self.refuse(named)
            target = named
        if call.name == "say":
            length = len(call["text"].split())
            if length > self.config.words:
                return self.refuse(f"a speech has at most {self.config.words} words, this one has {length}; say less.")
            self.say(player, call["text"])
            self.add_cost("words", length, [player])
            self.record({"type": "talk", "seat": player, "words": call["text"]})
            state.speeches.append([state.day, me, call["text"]])
        elif word == "talk":
            self.send_message(f"{player} says nothing.")
        if word == "kill":
            self.send_message(f"{player} names {name(target)}.", [name(each) for each in self._pack() if each != me])
        state.moves.append([me, call.name, target])
        state.queue.pop(0)
        return JointOutcome() if state.queue else self._close()

    def _objected(self, me: int, word: str) -> str:
        """Why a kind of action is not possible now; empty if it is."""
        state = self._state
        role, phase = state.roles[me], state.phase
        if phase == TALK:
            return "" if word == "talk" else "now all talk: `say <text>` or `pass`."
        if phase == VOTE:
            return "" if word == "vote" else "now all vote: `vote <name>` or `vote pass`."
        if word == "sleep" or (phase == NIGHT and word == VERBS.get(role)):
            return ""
        if phase == DAWN and role == WITCH and word == "heal":
            return (
                "" if state.potions[0] and state.victim >= 0 else "there is nobody to heal, or no potion left; `sleep`."
            )
        if phase == DAWN and role == WITCH and word == "poison":
            return "" if state.potions[1] else "the poison is used up; `sleep`."
        can = f"`{VERBS[role]} <name>` or `sleep`" if phase == NIGHT and role in VERBS else "`sleep`"
        return f"it is {phase}, and your role allows {can}."

    def _target(self, me: int, word: str, said: str) -> int | str:
        """The player that an action names, or why it cannot."""
        said = said.strip(" .").lower().replace(" ", "_")
        if word == "vote":
            said = said.removeprefix("for_")
        if said not in self.possible_agents or not self._state.living[self._index(said)]:
            return f"{said[:40]!r} is not the name of a living player; alive are {_names(self._alive())}."
        target = self._index(said)
        if target == me and word != "save":
            return f"you cannot {word} yourself; name another."
        if word == "kill" and target in self._pack():
            return "wolves do not kill wolves; name somebody else."
        return target

    def _close(self) -> JointOutcome:
        """All have acted in this phase."""
        state = self._state
        if state.phase == NIGHT:
            self._wolves_and_seer()
            if WITCH in state.roles:
                self._open(DAWN)
                return JointOutcome()
            return self._morning([])
        if state.phase == DAWN:
            return self._morning([target for _, word, target in state.moves if word == "poison"])
        if state.phase == TALK and state.round < self.config.rounds:
            self._open(TALK)
            self.send_message(f"Round {state.round} of the talk begins with {name(state.queue[0])}.")
            return JointOutcome()
        if state.phase == TALK:
            self._open(VOTE)
            self.send_message("All have spoken; now all vote.")
            return JointOutcome()
        return self._count()

    def _wolves_and_seer(self) -> None:
        state = self._state
        named = [target for _, word, target in state.moves if word == "kill"]
        if named:
            state.victim = self._most_named(named)
        for player, word, target in state.moves:
            if word == "see":
                wolf = state.roles[target] == WOLF
                state.checks.append([target, wolf])
                self.send_message(f"{name(target)} is {'a werewolf' if wolf else 'no werewolf'}.", [name(player)])
            if word == "save":
                state.guards.append([state.day, target])
        if state.victim in [target for day, target in state.guards if day == state.day]:
            state.victim = -1

    def _most_named(self, named: list[int]) -> int:
        """Who is named most often; chance decides among those that are named equally often."""
        counts = Counter(named)
        most = [player for player in sorted(counts) if counts[player] == max(counts.values())]
        return most[0] if len(most) == 1 else most[int(self.np_random.integers(len(most)))]

    def _morning(self, poisoned: list[int]) -> JointOutcome:
        """Who died is found, and the talk begins."""
        state = self._state
        if state.phase == DAWN:
            if any(word == "heal" for _, word, _ in state.moves):
                state.potions[0], state.healed, state.victim = False, state.victim, -1
            state.potions[1] = state.potions[1] and not poisoned
        dead = sorted({*poisoned, *([state.victim] if state.victim >= 0 else [])})
        for player in dead:
            state.living[player] = False
            state.killed.append([state.day, player])
            self.record({"type": "death", "seat": name(player), "cause": "night"})
        if not dead:
            state.quiet.append(state.day)
        self.send_message(
            f"Morning of day {state.day}. " + (f"Found dead: {_names(dead)}." if dead else "Nobody died.")
        )
        ruling = self._judged()
        if not ruling.over:
            self._open(TALK)
            often = "once" if self.config.rounds == 1 else f"{self.config.rounds} times"
            self.send_message(f"Everyone alive speaks {often}, beginning with {name(state.queue[0])}.")
        return ruling

    def _count(self) -> JointOutcome:
        """The votes are counted."""
        state = self._state
        votes = [(player, target) for player, _, target in state.moves]
        state.votes += [[state.day, player, target] for player, target in votes]
        shown = ", ".join(f"{name(player)} -> {name(target) if target >= 0 else 'nobody'}" for player, target in votes)
        self.send_message(f"Votes: {shown}.")
        named = [target for _, target in votes if target >= 0]
        if named:
            out = self._most_named(named)
            state.living[out] = False
            state.voted.append([state.day, out])
            self.send_message(f"{name(out)} is voted out.")
            self.record({"type": "death", "seat": name(out), "cause": "vote"})
        else:
            self.send_message("Nobody is voted out.")
        ruling = self._judged()
        if ruling.over:
            return ruling
        if state.day == self.config.days:
            state.over = True
            self.send_message("The days are used up; nobody wins.")
            self.set_metric("draw", 1.0)
            self._score()
            return JointOutcome(over=True)
        self._open(NIGHT)
        return ruling

    def _judged(self) -> JointOutcome:
        """Whether a side has won."""
        state, alive = self._state, self._alive()
        wolves = sum(state.roles[player] == WOLF for player in alive)
        share = 1 - (len(alive) / len(state.roles))
        if 0 < wolves < len(alive) - wolves:
            return JointOutcome(progress=dict.fromkeys(self.possible_agents, share))
        state.over = True
        winner = "wolves" if wolves else "village"
        self.send_message(f"The {'werewolves win' if wolves else 'village wins'}.")
        won = [player for player in self.possible_agents if self._team(player) == winner]
        self._score()
        rewards = {player: 1.0 if player in won else -1.0 for player in self.possible_agents}
        return JointOutcome(rewards, over=True, winners=won, progress=dict.fromkeys(self.possible_agents, 1.0))

    def _score(self) -> None:
        """Metrics of the last step."""
        state, pack = self._state, set(self._pack())
        for player in range(len(state.roles)):
            cast_by = [target for _, voter, target in state.votes if voter == player and target >= 0]
            if cast_by:
                self.set_metric("accuracy", sum(target in pack for target in cast_by) / len(cast_by), [name(player)])
        self.set_metric("days", state.day)

    def _admissible(self, player: str) -> list[str]:
        state, me = self._state, self._index(player)
        others = [name(each) for each in self._alive() if each != me]
        if state.phase == TALK:
            return ["pass"]
        if state.phase == VOTE:
            return ["vote pass", *(f"vote {other}" for other in others)]
        actions, role = ["sleep"], state.roles[me]
        if state.phase == DAWN:
            actions += ["heal"] if not self._objected(me, "heal") else []
            return actions + ([f"poison {other}" for other in others] if not self._objected(me, "poison") else [])
        others += [player] if role == DOCTOR else []
        if role == WOLF:
            others = [other for other in others if self._team(other) != "wolves"]
        return actions + ([f"{VERBS[role]} {other}" for other in others] if role in VERBS else [])

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return random_opponent(self._known(player), rng)

    def _default(self, player: str) -> str:
        return {TALK: "pass", VOTE: "vote pass"}.get(self._state.phase, "sleep")

    def _known(self, player: str) -> Known:
        return known(self._state, self._index(player))

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        redraw(self._state, self._index(player), rng)

    def _decision(self, player: str) -> tuple[int, ...]:
        return (self._index(player), self._state.day)

    def _oracle(self, player: str) -> str:
        return omniscient(self._known(player), self._state.roles, self._state.moves)

    def _key_state(self) -> Any:
        state = self._state
        return {
            field: getattr(state, field)
            for field in state.__dataclass_fields__
            if field not in ("checks", "guards", "healed", "speeches", "quiet")
        }


def _plural(role: str) -> str:
    return "werewolves" if role == WOLF else f"{role}s"


def _names(players: list[int]) -> str:
    return ", ".join(name(player) for player in players)
