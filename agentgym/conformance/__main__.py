"""`python -m agentgym.conformance [--full] ID ...`: check ids without the command line of the suite."""

from __future__ import annotations

import sys

from rich.console import Console

from agentgym.conformance import check, render_table


def main(arguments: list[str]) -> int:
    """Check each id, print its table, and return 1 if any failed."""
    console = Console()
    reports = [check(env_id, full="--full" in arguments) for env_id in arguments if env_id != "--full"]
    for report in reports:
        console.print(render_table(report))
    return int(not all(report.passed for report in reports))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
