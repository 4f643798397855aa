"""The nine apps: the tools that an agent calls."""
