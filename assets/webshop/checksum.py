"""Written by `generate.build`: what the shipped catalogue must hash to."""

CHECKSUM = "11435df6dbe1f023747d587cfe6dca9489e46f5e421356880aab0035e55caf44"
"""SHA-256 of `catalogue.json.gz`."""
