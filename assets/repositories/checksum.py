"""Written by `generate.build`: what the shipped repairs must hash to."""

CHECKSUM = "54b418c613e964ec0017ec3467838a03770b5416fef73faa3412263402509a7d"
"""SHA-256 of `repairs.json.gz`."""
