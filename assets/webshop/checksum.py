"""Written by `generate.build`: what the shipped catalogue must hash to."""

CHECKSUM = "a3e95fd708cf0ad764b3c188af1036dabf1551373a8998ea46883100d672ac88"
"""SHA-256 of `catalogue.json.gz`."""
