"""Evaluation: agents over panels of tasks, alone or as players of games, with records, intervals and continuation."""

from agentgym.evaluate.aggregates import WorldScores, aggregate, iqm, mean, optimality_gap, probability_of_improvement
from agentgym.evaluate.answers import Answers, count_answers
from agentgym.evaluate.episode_record import AnswerRecord, EpisodeRecord, PlayerRecord, TurnRecord
from agentgym.evaluate.exporting import FORMATS, Exported, export
from agentgym.evaluate.figures import Figures, figures
from agentgym.evaluate.importing import SOURCES, import_run
from agentgym.evaluate.lineup import Agent
from agentgym.evaluate.matching import MatchResult, evaluate_player, match
from agentgym.evaluate.metrics import (
    Estimate,
    Summary,
    mean_score,
    pass_at_k,
    pass_hat_k,
    success_rate,
    summarize,
    wilson,
)
from agentgym.evaluate.options import WorldOption, world_options
from agentgym.evaluate.planning import RunConfig
from agentgym.evaluate.playing import Interrupted
from agentgym.evaluate.recorder import AgentSetting, RecordHeader, record_episode
from agentgym.evaluate.recording import check_place, keep
from agentgym.evaluate.replay import Replayed, replay
from agentgym.evaluate.run import EvaluationResult, evaluate
from agentgym.evaluate.store import RunFolder, read_episodes
from agentgym.evaluate.suite_run import SuiteResult, evaluate_suite
from agentgym.evaluate.suite_world import Played, WorldResult
from agentgym.evaluate.suites import Suite, SuiteWorld, load_suite, suite_names
from agentgym.evaluate.tournament import Standing, Tournament, tournament
from agentgym.evaluate.trajectories import Trajectory, read_run
from agentgym.evaluate.worlds import open_pool, resolve

__all__ = [
    "FORMATS",
    "SOURCES",
    "Agent",
    "AgentSetting",
    "AnswerRecord",
    "Answers",
    "EpisodeRecord",
    "Estimate",
    "EvaluationResult",
    "Exported",
    "Figures",
    "Interrupted",
    "MatchResult",
    "Played",
    "PlayerRecord",
    "RecordHeader",
    "Replayed",
    "RunConfig",
    "RunFolder",
    "Standing",
    "Suite",
    "SuiteResult",
    "SuiteWorld",
    "Summary",
    "Tournament",
    "Trajectory",
    "TurnRecord",
    "WorldOption",
    "WorldResult",
    "WorldScores",
    "aggregate",
    "check_place",
    "count_answers",
    "evaluate",
    "evaluate_player",
    "evaluate_suite",
    "export",
    "figures",
    "import_run",
    "iqm",
    "keep",
    "load_suite",
    "match",
    "mean",
    "mean_score",
    "open_pool",
    "optimality_gap",
    "pass_at_k",
    "pass_hat_k",
    "probability_of_improvement",
    "read_episodes",
    "read_run",
    "record_episode",
    "replay",
    "resolve",
    "success_rate",
    "suite_names",
    "summarize",
    "tournament",
    "wilson",
    "world_options",
]
