"""Tables of what was measured, made of the records in `baselines/results`."""

from __future__ import annotations

import json
from pathlib import Path

from docs.docstring import table

RESULTS = Path(__file__).parents[1] / "baselines" / "results"


def claims_table() -> str:
    """Every published direction that was tried, with the differences that were asked for and the verdict."""
    rows = []
    for path in sorted(RESULTS.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf8"))
        differences = []
        for finding in record["findings"]:
            check, found = finding["check"], finding["difference"]
            between = f"{found['value']:+.3g} ({found['low']:+.3g} to {found['high']:+.3g})"
            differences.append(f"`{check['metric']}`, {check['larger']} less {check['smaller']}: {between}")
        rows.append(
            (f"`{path.stem}`", f"{record['claim']} {record['source']}", "; ".join(differences), record["verdict"])
        )
    return table(("name", "claim", "difference (95 % interval over seeds)", "verdict"), rows)
