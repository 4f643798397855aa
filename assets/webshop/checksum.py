"""Written by `generate.build`: what the shipped catalogue must hash to."""

CHECKSUM = "ee4d60073e0aecf334a8238778b2f9a278753172a03ad68cc13d2ad36392cc0d"
"""SHA-256 of `catalogue.json.gz`."""
