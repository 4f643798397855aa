"""`CodeBlocks`: Python calls, read by a parser and never run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym

from agentgym.core import Invalid
from agentgym.core.checks import check_count
from agentgym.core.grammar import shorten
from agentgym.wrappers.actions._format import SEVERAL, THOUGHT
from agentgym.wrappers.actions._signatures import Signature, arguments, signatures, words
from agentgym.wrappers.actions.calls import _Functions

FENCE = "```"
PLAIN = re.compile(r"[1-9][0-9]{0,8}|0")
LONGEST = 256  # bits of a whole number: more than any world counts, and Python writes out only so many digits
DEEPEST = 40  # levels of brackets a reply may nest


class CodeBlocks(_Functions):
    """Replies with a block of Python that calls the functions of the world, one call a line.

    The code is read by Python's parser and never run: statements that are no calls of known functions with literal
    arguments are refused. Comments, and the text around the block, are the thought. A reply without a block is read as
    code as a whole.

    Changes: first observation, `manual` and `tools` (functions instead of words), actions (whole replies), `info` (see
    `ReplyFormat`). Several calls are played in order, each for a turn: texts are joined, rewards and costs added,
    events collected. A reply that cannot be read costs a turn.

    Args:
        env: A world whose grammar is a `Grammar` or a `ToolGrammar`.
        most: Most calls in one reply; 1 for a player of a game.

    Source: Wang et al., Executable Code Actions Elicit Better LLM Agents, ICML 2024; the code prompts of Xi et al.,
    AgentGym, 2024.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import CodeBlocks
    >>> env = CodeBlocks(gym.make("AgentGym/Household-v1"))
    >>> text, info = env.reset(seed=0)
    >>> info = env.step('```python\\n# The mug is on the desk.\\ntake("mug 1", receptacle="desk 1")\\n```')[4]
    >>> info["action"], info["thought"]
    ('take mug 1 from desk 1', 'The mug is on the desk.')
    >>> env.step("```python\\nopen('/etc/passwd').read()\\n```")[4]["action_valid"]
    False
    """

    def __init__(self, env: gym.Env[Any, Any], *, most: int = 1):
        most = check_count("most", most)
        super().__init__(env, most=most)
        if most > 1:
            self._refuse_games(SEVERAL)
        self.most = most

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        number = "one call" if self.most == 1 else f"at most {self.most} calls, one a line"
        return (
            f"Reply with a block of Python, {FENCE}python ... {FENCE}, with your reasoning in a # comment and {number}."
        )

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays some actions: a block of Python with a call a line.

        Args:
            actions: In words, at most `most`; each becomes a call.
            thought: Comes before them, as comments.
        """
        lines = [f"# {line}" for line in thought.splitlines()]
        for action in actions:
            lines.append(self.called(*arguments(self.inner, signatures(self.inner_grammars), action)))
        return "\n".join([f"{FENCE}python", *lines, FENCE])

    def called(self, one: Signature, given: Mapping[str, Any]) -> str:
        """A call of the function `one` as it stands in the block, with the arguments `given` by name, as keywords."""
        shown = ", ".join(f"{name}={_shown(value) if one.form else repr(value)}" for name, value in given.items())
        return f"{one.name}({shown})"

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """The actions of the calls; comments and the text around the block are the thought."""
        code, around = _block(reply)
        tree = _parsed(code)
        if isinstance(tree, Invalid):
            return Invalid(f"{tree.reason}. {self.instructions}")
        if not tree.body:
            return Invalid(f"the code calls no function. {self.instructions}")
        actions = []
        for statement in tree.body[: self.most + 1]:
            action = self._action(statement)
            if isinstance(action, Invalid):
                return action
            actions.append(action)
        comments = [line.strip()[1:].strip() for line in code.splitlines() if line.strip().startswith("#")]
        return actions, "\n".join(part for part in (around, *comments) if part)

    def _action(self, statement: ast.stmt) -> str | Invalid:
        """The action of one statement."""
        where = f"line {statement.lineno}"
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return Invalid(f"{where} is no call of a function of this world. {self.instructions}")
        known = {name: one for one in signatures(self.inner_grammars) for name in (one.name, one.command)}
        if call.func.id not in known:
            return words(self, call.func.id, {})
        slots = [slot.name for slot in known[call.func.id].slots]
        if len(call.args) > len(slots) or any(word.arg is None for word in call.keywords):
            return Invalid(f"{where} does not fit {known[call.func.id].shown()}. {self.instructions}")
        given: dict[str, Any] = {}
        named = [(word.arg or "", word.value) for word in call.keywords]
        for name, node in [*zip(slots, call.args, strict=False), *named]:
            if name in given:
                return Invalid(f"{where} gives {shorten(name)!r} twice. {self.instructions}")
            try:
                given[name] = _literal(node)
            except ValueError as error:
                return Invalid(f"{where}: {error}. {self.instructions}")
        return words(self, call.func.id, given)


def _shown(value: Any) -> str:
    """A literal; text that is a plain number stands without quotes."""
    return value if isinstance(value, str) and PLAIN.fullmatch(value) else repr(value)


def _block(reply: str) -> tuple[str, str]:
    """The code of the last closed block and the text before it; without a block, the whole reply and no text."""
    parts = reply.split(FENCE)
    if len(parts) < 2:
        return reply.strip(), ""
    at = len(parts) - 2 if len(parts) % 2 else len(parts) - 1  # an open fence at the end counts as closed
    language, newline, code = parts[at].partition("\n")
    return (code if newline and " " not in language.strip() and "(" not in language else parts[at]).strip(), parts[
        0
    ].strip()


def _parsed(code: str) -> ast.Module | Invalid:
    """The syntax tree, without running anything and without a warning on the way."""
    if _depth(code) > DEEPEST:
        return Invalid(f"the code nests brackets more than {DEEPEST} deep")
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        return Invalid(f"the code cannot be read ({shorten(reason or type(error).__name__)})")


def _depth(code: str) -> int:
    deepest = depth = 0
    for character in code:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth -= 1
    return deepest


def _literal(node: ast.expr) -> Any:
    """A JSON-like literal: text, number, true, false, none, list or dict of those.

    Raises:
        ValueError: if it is anything else.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, bool, type(None))):
        if isinstance(node.value, int) and node.value.bit_length() > LONGEST:
            raise ValueError(f"an argument is a number of more than {LONGEST} bits")
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = _literal(node.operand)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return -value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_literal(item) for item in node.elts]
    if isinstance(node, ast.Dict) and None not in node.keys:
        pairs = [(_literal(key), _literal(value)) for key, value in zip(node.keys, node.values, strict=True) if key]
        if all(isinstance(key, str) for key, _ in pairs):
            return dict(pairs)
    raise ValueError("an argument is no literal (text, number, list or dict)")
