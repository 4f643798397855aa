"""The generated catalogue in memory: what it takes, and what its search gives."""

from __future__ import annotations

import resource
import subprocess
import sys

from agentgym.assets.webshop import FAMILY
from agentgym.envs.web.webshop import generated_catalog


def test_the_generated_catalogue_takes_little_memory() -> None:
    code = (
        "import gc, agentgym.envs.web.webshop as shop, bm25s\n"
        "pages = lambda: int(open('/proc/self/statm').read().split()[1])\n"
        "gc.collect(); before = pages(); held = shop.generated_catalog(); gc.collect()\n"
        "print(pages() - before)"
    )
    grown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(grown) * resource.getpagesize() < 50e6


def test_a_family_stands_together_in_the_results_of_the_generated_catalogue() -> None:
    catalog = generated_catalog()
    found = catalog.search("rug", 50)
    assert len(found) == len(set(found)) == 50
    assert [place // FAMILY for place in found[:24]] == [found[0] // FAMILY] * 12 + [found[12] // FAMILY] * 12
    assert catalog.search("rug", 5) == found[:5]
