"""Written by `generate.build`: what the file of best models must hash to."""

CHECKSUM = ""
"""SHA-256 of `best.json`."""
