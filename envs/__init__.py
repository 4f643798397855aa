"""Every world's card; the worlds themselves are imported when they are made."""

from agentgym.envs import games, web

CARDS = [*games.CARDS, *web.CARDS]
