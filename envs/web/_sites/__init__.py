"""Sites of our own: Starlette applications over SQLite whose content is generated from a seed."""
