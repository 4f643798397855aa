"""Weather: questions about places and their weather, by tool calls."""

from __future__ import annotations

from agentgym.envs._kit.tools import QuestionEnv, World
from agentgym.envs.tools import WEATHER
from agentgym.envs.tools._weather import geography, history, outlook  # each puts its templates into the book
from agentgym.envs.tools._weather.slots import BOOK
from agentgym.envs.tools._weather.tools import TOOLBOX, Desk

TEMPLATES = (geography, history, outlook)


class WeatherEnv(QuestionEnv):
    """Answer questions about places and their weather.

    Description: 300 places in 32 countries, with their true coordinates and elevations, and two years of weather that
    every task draws anew: temperature, rain, snowfall and wind of each day and hour, air quality, forecasts of the next
    two weeks. A day follows from latitude, elevation, season and the climate of the country, from fields that drift
    over the globe, so that neighbors share their weather, and from noise that carries on from day to day; nothing is
    stored. A task asks for a number, a name, a date or a list. Each is one of some seventy computations over one to
    four kinds of look-up, in several wordings.

    Observation: the result of the call as JSON. The first observation is the question.

    Actions: one tool call, `{"name": "get_latitude_longitude", "arguments": {"name": "Valencia"}}`. `finish` ends the
    episode with the answer. Weather is asked for by coordinates; history ends the day before the current date, a query
    spans at most 30 days, and several places share a name, told apart by the code of their country. A call that cannot
    be done is refused, with what to do instead.

    Reward: 1 at `finish` (success) for the right answer; 0 otherwise. Numbers may be rounded to two decimals, names are
    compared without regard to case, lists without regard to order. `progress` is the share of the gold calls whose
    results were seen.

    Splits: `train` without end, `val` and `test` 200 tasks each. No question is asked in two splits, in whatever words.

    Oracle: plays the gold calls. Expert: reads the question, looks up what it needs call by call, and finishes.

    Args:
        budget: Tool calls that may be made; then only `finish` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: the tools, their arguments and the kinds of question are those of the weather environment of AgentBoard (Ma
    et al. 2024), which AgentGym (Xi et al. 2024) serves; it asks a web service. Differences: generated weather, hours,
    wind and lists of countries and places beside the published tools, forecasts that err, distances on a sphere,
    arguments that are checked and never evaluated, no gap between the levels of air quality, reward for an answer that
    was given and not for one that any tool printed.
    """

    card = WEATHER
    world = World(
        BOOK,
        TOOLBOX,
        Desk,
        lambda desk: desk.seed,
        lambda name: (name, name.partition(", ")[0]),  # no question is about two places of one name
    )
