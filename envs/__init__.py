"""Every world's card; the worlds themselves are imported when they are made."""

from agentgym.envs import games, text, web

CARDS = [*games.CARDS, *text.CARDS, *web.CARDS]
