"""The map: a site of our own."""
