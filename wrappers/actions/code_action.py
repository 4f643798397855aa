"""`CodeAction`: programs of Python that call a world's tools, run in a sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import Call, ConfigError, EngineFailure, Invalid
from agentgym.core.checks import check_action, check_count
from agentgym.core.grammar import shorten
from agentgym.core.interpreter import Ran, find_interpreter
from agentgym.core.json_text import read_json
from agentgym.core.text import clean, objection
from agentgym.wrappers.actions._format import THOUGHT
from agentgym.wrappers.actions._signatures import Signature, arguments, signatures, words
from agentgym.wrappers.actions.calls import _Functions
from agentgym.wrappers.actions.code import FENCE, _block
from agentgym.wrappers.base import Answer, Info, add_up
from agentgym.wrappers.refusal import CarriedOut, Refusal

OVER = json.dumps({"over": True})
NOTHING = "The program printed nothing."
PROGRAM = "program"  # what an event of a program that failed names as its tool
LOST = "The program has ended the sandbox that it ran in; the episode is lost."


class CodeAction(_Functions):
    """Replies with a program of Python whose functions are the world's tools.

    The program runs in a sandbox, bubblewrap or Docker, and nowhere else. It may compute, loop and keep what a tool
    returned; only what it prints is seen. Each call of a tool is played in the world, for a turn, before the program
    goes on: the function returns the result, read as JSON where it is JSON, or raises `ToolError` with the world's
    words. The program ends where the episode ends. Each program begins anew, so the state is the world's alone, and
    snapshots, forks and seeds hold as without the wrapper. A program that calls nothing costs a turn. One that ends its
    sandbox ends the episode, without success; where no sandbox can be started any more, the environment has failed.

    Changes: first observation, `manual` and `tools` (functions instead of JSON objects), actions (whole replies), the
    observation (what was printed, why the program failed, and the world's last words at the end); rewards and costs of
    the calls are added, events collected, with one of the type `tool_call` and the tool `program` if the program
    failed. `info` has what `ReplyFormat` says, `program` (str: how the program ended,
    "" where none ran) and `sandbox` (str: which one it ran in), which `metadata["sandbox"]` names beforehand.

    Args:
        env: A world whose actions are tool calls.
        most: Most calls in one program; the next one ends it.

    Source: Wang et al., Executable Code Actions Elicit Better LLM Agents, ICML 2024. Differences: nothing is left of
    an earlier program.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import CodeAction
    >>> env = CodeAction(gym.make("AgentGym/Todo-v0"))
    >>> text, info = env.reset(seed=0)
    >>> text, *_, info = env.step("```python\\nprint(len(get_projects()) > 3)\\n```")
    >>> text, info["action_valid"], info["program"]
    ('True', True, 'exit')
    """

    serves_games: ClassVar[bool] = False

    def __init__(self, env: gym.Env[Any, Any], *, most: int = 20):
        most = check_count("most", most)
        super().__init__(env, most=most)
        if not self.world.tools:
            raise ConfigError(f"CodeAction wants a world whose actions are tool calls; {self.world.card.id} has words")
        self.most = most
        self._run = find_interpreter()
        self.metadata = {**env.metadata, "sandbox": self._run.backing}

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        return (
            f"Reply with a program of Python, {FENCE}python ... {FENCE}, that calls these functions and prints what "
            "you want to see; nothing is left of it afterwards."
        )

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays some actions and prints what they give.

        Args:
            actions: In words; each becomes a call.
            thought: Comes before them, as comments.
        """
        lines = [f"# {line}" for line in thought.splitlines()]
        for action in actions:
            lines.append(f"print({self.called(*arguments(self.inner, signatures(self.inner_grammars), action))})")
        return "\n".join([f"{FENCE}python", *lines, FENCE])

    def called(self, one: Signature, given: Mapping[str, Any]) -> str:
        """A call of the function `one` as it stands in a program, with the arguments `given` by name, as keywords."""
        return f"{one.name}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """The program, which stands for the actions that it plays when it runs, and the text around it."""
        code, around = _block(reply)
        return ([code], around) if code.strip() else Invalid(f"the reply holds no program. {self.instructions}")

    def parse(self, action: str) -> Call | Invalid:
        """Read a reply without running it."""
        code = self._code(action)
        return code if isinstance(code, Invalid) else Call("program", {"code": code[0]})

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation, which says how to reply.

        Args:
            observation: What is seen inside.
            info: Gains `program` and `sandbox`, empty as none has run, beside the keys of `ReplyFormat`.
            note: Not needed.
        """
        info.update(program="", sandbox="")
        return super().begin(observation, info, note)

    def step(self, action: str) -> Answer:
        """Run a program; see the class for what is changed."""
        check_action(action)
        if self.inner.ended or isinstance(action, Refusal):
            text, reward, terminated, truncated, info = self._step_inner(action)
            info.update(program="", sandbox="")
            return self.show(text, info, None), reward, terminated, truncated, info
        code = self._code(action)
        if isinstance(code, Invalid):
            text, reward, terminated, truncated, info = self._step_inner(Refusal(code.reason, action))
            info.update(program="", sandbox="")
            return self.show(text, info, (False, "", "")), reward, terminated, truncated, info
        return self._played(*code)

    def _played(self, code: str, thought: str) -> Answer:
        """Run a program, and say what it printed."""
        calls, failed = _Calls(self), None
        try:
            ran = self._run(code, [one.name for one in signatures(self.inner_grammars)], calls.answer)
        except EngineFailure as error:
            ran, failed = Ran("", f"The environment failed: {error}", "", ""), error
        text = "\n".join(part for part in (ran.output, ran.error) if part) or NOTHING
        called = bool(calls.answers)
        if (failed or ran.ended == "lost") and not self.inner.ended:
            text = LOST if failed is None else text
            self.world.end_next(failed or LOST)
            last, _, terminated, truncated, _ = calls.play(CarriedOut(text, code))
        else:
            last, _, terminated, truncated, _ = calls.answers[-1] if called else calls.play(CarriedOut(text, code))
            if called and (terminated or truncated):
                text = last if text == NOTHING else f"{text}\n{last}"
        if ran.error and failed is None:
            event = {"type": "tool_call", "tool": PROGRAM, "arguments": {"code": code}, "failed": True}
            calls.answers[-1][4]["events"].append(event)
        info = add_up([answer[4] for answer in calls.answers])
        info.update(program=ran.ended, sandbox=ran.backing, action="\n".join(calls.actions))
        shown = super().show(self._fit(text), info, (True, thought, info["action"]))
        return shown, sum(answer[1] for answer in calls.answers), terminated, truncated, info

    def _code(self, reply: str) -> tuple[str, str] | Invalid:
        """The program of a reply and the text before it, or what is wrong with it."""
        longest = self.action_space.max_length  # type: ignore[attr-defined]
        if len(reply) > longest:
            return Invalid(f"the reply has {len(reply)} characters, at most {longest} are read. {self.instructions}")
        read = self.parse_reply(reply)
        if isinstance(read, Invalid):
            return read
        (code,), around = read
        wrong = objection(code)
        return Invalid(f"{wrong} {self.instructions}") if wrong else (code, clean(around))


class _Calls:
    """The calls of one program: each is played in the world, and its result handed back."""

    def __init__(self, wrapper: CodeAction) -> None:
        self.wrapper = wrapper
        self.answers: list[Answer] = []
        self.actions: list[str] = []

    def play(self, action: str) -> Answer:
        """Play an action, or a refusal of one."""
        self.answers.append(self.wrapper._step_inner(action))
        return self.answers[-1]

    def answer(self, said: str) -> str:
        """The answer to a call that a program has made or forged, as JSON."""
        if self.wrapper.inner.ended or len(self.answers) >= self.wrapper.most:
            return OVER
        action = self._action(said)
        if isinstance(action, Invalid):
            self.play(Refusal(action.reason, said))
            return json.dumps({"error": action.reason})
        text, _, terminated, truncated, info = self.play(action)
        self.actions.append(action)
        if terminated or truncated:
            return OVER
        return json.dumps({"value": _value(text)} if info["action_valid"] else {"error": info["error"]})

    def _action(self, said: str) -> str | Invalid:
        """The action of a call."""
        try:
            call = read_json(said)
            name, given, named = call["name"], call["args"], call["kwargs"]
        except (ValueError, KeyError, TypeError):
            return Invalid("the call of a function cannot be read.")
        if not isinstance(name, str) or not isinstance(given, list) or not isinstance(named, dict):
            return Invalid("the call of a function cannot be read.")
        wrong = objection([name, given, named])
        if wrong:
            return Invalid(wrong)
        known = {one.name: one for one in signatures(self.wrapper.inner_grammars)}
        slots = [slot.name for slot in known[name].slots] if name in known else []
        if len(given) > len(slots) or set(slots[: len(given)]) & set(named):
            return Invalid(f"the call does not fit {known[name].shown() if name in known else shorten(name)}.")
        return words(self.wrapper, name, {**dict(zip(slots, given, strict=False)), **named})


def _value(text: str) -> Any:
    """What a function returns: the world's text, read as JSON where it is JSON."""
    try:
        return read_json(text)
    except ValueError:
        return text
