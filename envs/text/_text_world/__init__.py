"""TextWorld: its generator, the games that were made, and the interpreter that plays them."""
