"""Every id of the catalog conforms. A new world is tested here without a line of its own."""

import pytest

import agentgym
from agentgym.conformance import check
from agentgym.core import MissingExtra

COSTLY = {  # lands and questions made by the engine; players that search game trees or play hundreds of turns a match;
    # a book that each process writes; 77 tools, each with arguments to be attacked
    "AgentGym/BabyAI-v0",
    "AgentGym/ColorGrid-v0",
    "AgentGym/Crafter-v0",
    "AgentGym/Household-v1",
    "AgentGym/MaskedSpans-v0",
    "AgentGym/Office-v0",
    "AgentGym/OpenSpiel-v0",
    "AgentGym/Overcooked-v0",
    "AgentGym/ReasoningGym-v0",
    "AgentGym/SearchQA-v0",
}
IDS = [name for name in agentgym.catalog() if name.startswith("AgentGym/")]


def broken(env_id, full):
    """What a world does not keep, a line each."""
    try:
        report = check(env_id, full=full)
    except MissingExtra as error:
        pytest.skip(str(error))
    assert report.passed == (not report.failures)
    return [f"{result.check} ({result.feature}): {result.detail}" for result in report.failures]


def costly(env_id):
    """Hundreds of a browser's pages take minutes, and so do these, so the quick suite leaves them out."""
    return agentgym.catalog()[env_id].program or env_id in COSTLY


@pytest.mark.parametrize("env_id", [name for name in IDS if not costly(name)][::16])
@pytest.mark.sampled
@pytest.mark.timeout(1500)
def test_conforms_on_a_sample(env_id):
    """Every sixteenth world: what the suite of minutes can hold, as each world has tests of its own there too."""
    assert broken(env_id, full=False) == []


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("env_id", IDS)
def test_conforms_on_every_task(env_id):
    assert broken(env_id, full=True) == []
