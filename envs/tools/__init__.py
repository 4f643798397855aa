"""Cards of the tool worlds."""

from agentgym.core.catalog import EnvCard
from agentgym.envs._kit.tool_records import COSTS, EVENTS, EVERYTHING, METRICS

TO_DO = EnvCard(
    id="AgentGym/Todo-v0",
    kind="tools",
    entry_point="agentgym.envs.tools.todo:TodoEnv",
    description="Answer questions about a to-do account and change it as asked, by calling tools.",
    citation="AgentBoard (Ma et al. 2024, arXiv:2401.13178) and AgentGym (Xi et al. 2024, arXiv:2406.04151)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=40,
    deterministic=True,
    tools=True,
    events=EVENTS,
    metrics=METRICS,
    costs=COSTS,
    hidden_progress=True,
    shortcuts=EVERYTHING,
    shortcut_bound=0.05,
)

SHEET = EnvCard(
    id="AgentGym/Sheet-v0",
    kind="tools",
    entry_point="agentgym.envs.tools.sheet:SheetEnv",
    description="Answer questions about a workbook and change it as asked, with the tools of a spreadsheet.",
    citation="AgentBoard (Ma et al. 2024, arXiv:2401.13178) and AgentGym (Xi et al. 2024, arXiv:2406.04151)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=40,
    deterministic=True,
    tools=True,
    events=EVENTS,
    metrics={**METRICS, "cell_match": "share of cells that are as they should be, above what doing nothing has"},
    costs=COSTS,
    hidden_progress=True,
    shortcuts=EVERYTHING,
    shortcut_bound=0.05,
)

ACADEMIA = EnvCard(
    id="AgentGym/Academia-v0",
    kind="tools",
    entry_point="agentgym.envs.tools.academia:AcademiaEnv",
    description="Answer questions about 24,000 papers, their citations and their authors, by walking two networks.",
    citation="AgentBoard (Ma et al. 2024, arXiv:2401.13178) and AgentGym (Xi et al. 2024, arXiv:2406.04151)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=40,
    deterministic=True,
    tools=True,
    events=EVENTS,
    metrics=METRICS,
    costs=COSTS,
    hidden_progress=True,
    shortcuts=EVERYTHING,
    shortcut_bound=0.05,
)

SEARCH_EVENTS = {
    "search": "the `query` and the `titles` found",
    "judge": "the `verdict` on the last results",
    "answer": "the `answer` given",
}

SEARCH_METRICS = {
    "format": "1 for an action that was taken",
    "searches": "searches made so far",
    "retrieval": "share of the supporting passages that this search was the first to show",
    "judge": "1 for a verdict that agrees with whether the results held a supporting passage, -1 for another",
}

SEARCH_QA = EnvCard(
    id="AgentGym/SearchQA-v0",
    kind="tools",
    entry_point="agentgym.envs.tools.search_qa:SearchQAEnv",
    description="Answer a question by searching an encyclopaedia, one to four facts after the other.",
    citation="Search-R1 (Jin et al. 2025, arXiv:2503.09516), ReSeek (Li et al. 2025, arXiv:2510.00568)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=20,
    deterministic=True,
    names_files={"corpus": "", "questions": ""},
    events=SEARCH_EVENTS,
    metrics={
        **SEARCH_METRICS,
        "exact_match": "1 for an answer that equals a right one when both are normalized",
        "f1": "shared words of the answer and a right one, at the end",
        "hops": "articles that must be read one after the other, at the end",
    },
    hidden_progress=True,
    shortcuts={
        "everything": "searches for the question, and answers with the whole first passage",
        "title": "searches for the question, and answers with the title of the first passage",
    },
    shortcut_bound=0.05,
)

MASKED_SPANS = EnvCard(
    id="AgentGym/MaskedSpans-v0",
    kind="tools",
    entry_point="agentgym.envs.tools.masked_spans:MaskedSpansEnv",
    description="Fill in names, dates and numbers that are masked in a passage, by searching other passages.",
    citation="MaskSearch (Wu et al. 2025, arXiv:2505.20285)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=20,
    deterministic=True,
    names_files={"corpus": ""},
    events=SEARCH_EVENTS,
    metrics={
        **SEARCH_METRICS,
        "matched": "share of the spans that were filled in rightly, at the end",
        "recall": "mean share of the words of a span that were said for it, at the end",
    },
    hidden_progress=True,
    shortcuts={
        "everything": "searches for the title, and fills every mask with a whole passage",
        "title": "searches for the title, and fills the masks with the titles of what is found",
    },
    shortcut_bound=0.05,
)

SQL = EnvCard(
    id="AgentGym/SQL-v0",
    kind="tools",
    entry_point="agentgym.envs.tools.sql:SqlEnv",
    description="Answer questions about a SQLite database with one SELECT statement, after looking around or at once.",
    citation="BIRD (Li et al. 2023, arXiv:2305.03111) and AgentGym (Xi et al. 2024, arXiv:2406.04151)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=30,
    deterministic=True,
    names_files={"folder": ""},
    tools=True,
    events=EVENTS,
    metrics={
        "execution_accuracy": "at the end, 1 if the different rows are those of the gold result, as BIRD counts it",
        "tables": "at the end, how many tables the gold statement reads",
    },
    costs=COSTS,
    hidden_progress=True,
    shortcuts={
        "everything": "selects all rows of the table that is named first",
        "count": "counts the rows of the table that is named first",
    },
    shortcut_bound=0.05,
)

WEATHER = EnvCard(
    id="AgentGym/Weather-v0",
    kind="tools",
    entry_point="agentgym.envs.tools.weather:WeatherEnv",
    description="Answer questions about places and their weather, by calling tools.",
    citation="AgentBoard (Ma et al. 2024, arXiv:2401.13178) and AgentGym (Xi et al. 2024, arXiv:2406.04151)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=40,
    deterministic=True,
    tools=True,
    events=EVENTS,
    metrics=METRICS,
    costs=COSTS,
    hidden_progress=True,
    shortcuts=EVERYTHING,
    shortcut_bound=0.05,
)

MOVIE = EnvCard(
    id="AgentGym/Movie-v0",
    kind="tools",
    entry_point="agentgym.envs.tools.movie:MovieEnv",
    description="Answer questions about films and the people who make them, by calling tools.",
    citation="AgentBoard (Ma et al. 2024, arXiv:2401.13178) and AgentGym (Xi et al. 2024, arXiv:2406.04151)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=40,
    deterministic=True,
    tools=True,
    events=EVENTS,
    metrics=METRICS,
    costs=COSTS,
    hidden_progress=True,
    shortcuts=EVERYTHING,
    shortcut_bound=0.05,
)

OFFICE = EnvCard(
    id="AgentGym/Office-v0",
    kind="tools",
    entry_point="agentgym.envs.tools.office:OfficeEnv",
    description="Answer questions about a person's nine apps and change things in them as asked, by calling tools.",
    citation="AppWorld (Trivedi et al. 2024, arXiv:2407.18901)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=60,
    deterministic=True,
    tools=True,
    events=EVENTS,
    metrics={
        "hops": "how many of the nine apps the task needs",
        "gold_calls": METRICS["gold_calls"],
    },
    costs=COSTS,
    hidden_progress=True,
    shortcuts=EVERYTHING,
    shortcut_bound=0.05,
)

CARDS = [TO_DO, SHEET, ACADEMIA, SEARCH_QA, MASKED_SPANS, SQL, WEATHER, MOVIE, OFFICE]
