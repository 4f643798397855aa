"""The office world: nine apps over one database, the people in it, and what is asked of it."""
