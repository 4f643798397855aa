"""What a check found, and the table a reader sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import RenderableType

Status = Literal["passed", "failed", "not applicable"]
COLORS = {"passed": "green", "failed": "bold red", "not applicable": "dim"}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check.

    Attributes:
        check: Its name, such as `invalid actions`.
        feature: The feature it guards, such as `A4` (API), `D1` (determinism), `O1` (oracles), `S4` (safety).
        status: `passed`, `failed` or `not applicable`.
        detail: What was done, what rule is broken and how to mend it, or why the check does not apply.
        seconds: How long it took.
    """

    check: str
    feature: str
    status: Status
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """All results for one environment id."""

    env_id: str
    results: list[CheckResult]

    @property
    def failures(self) -> list[CheckResult]:
        """The results that failed."""
        return [result for result in self.results if result.status == "failed"]

    @property
    def passed(self) -> bool:
        """Whether no check failed and at least one applied."""
        return not self.failures and any(result.status == "passed" for result in self.results)

    @property
    def seconds(self) -> float:
        """Seconds that all checks took together."""
        return sum(result.seconds for result in self.results)


def render_table(report: Report) -> RenderableType:
    """The report as a table for a rich console: one line a check, failures with rule and remedy."""
    from rich.table import Table
    from rich.text import Text

    counts = {status: sum(result.status == status for result in report.results) for status in COLORS}
    summary = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    table = Table(title=report.env_id, caption=f"{summary} in {report.seconds:.1f} s", title_justify="left")
    table.add_column("check", no_wrap=True)
    table.add_column("feature", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("detail", overflow="fold")
    table.add_column("s", justify="right", no_wrap=True)
    for result in report.results:
        table.add_row(
            Text(result.check),
            Text(result.feature),
            Text(result.status, style=COLORS[result.status]),
            Text(result.detail),
            f"{result.seconds:.2f}",
        )
    return table
