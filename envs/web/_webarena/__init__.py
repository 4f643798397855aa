"""Tasks in WebArena's format: their files, their evaluators, and the browser world that plays them."""
