"""Every world's card; the worlds themselves are imported when they are made."""

from agentgym.envs import code, games, multiagent, text, tools, web

CARDS = [*code.CARDS, *games.CARDS, *multiagent.CARDS, *text.CARDS, *tools.CARDS, *web.CARDS]
