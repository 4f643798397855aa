"""Written by `generate.build`: what the file of best models must hash to."""

CHECKSUM = "9416a99ce10bbcd09cf0b9d6521a1947cde119ebdf77768973895e487d9d8858"
"""SHA-256 of `best.json`."""
