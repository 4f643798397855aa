"""Tasks of WebSuite: templates over our own sites, written in WebArena's format, with the way that its oracle takes."""
