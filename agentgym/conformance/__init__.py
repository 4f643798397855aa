"""Conformance: every rule of the environment contract as a check that says how to mend what it finds.

`check("AgentGym/WebShop-v1")` runs them in this process, `check_apart` in one of its own, as `agentgym check` does, so
that no environment ends or stalls the report; `golden.update` and `golden.verify`
write and compare golden records; `measure_scores` gives the scores that a card states, and `update_scores` writes them
into its file.
"""

from agentgym.conformance import golden
from agentgym.conformance.apart import check_apart
from agentgym.conformance.checks import check
from agentgym.conformance.report import CheckResult, Report, render_table
from agentgym.conformance.score_file import update_scores
from agentgym.conformance.scores import measure_scores

__all__ = ["CheckResult", "Report", "check", "check_apart", "golden", "measure_scores", "render_table", "update_scores"]
