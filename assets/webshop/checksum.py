"""Written by `generate.build`: what the shipped catalogue must hash to."""

CHECKSUM = "efaa01acb1b3f9271d71a39f893f1ec6a62f33323aa3919bc45ade4a37cb42c1"
"""SHA-256 of `catalogue.json.gz`."""
