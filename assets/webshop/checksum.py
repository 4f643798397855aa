"""Written by `generate.build`: what the shipped catalogue must hash to."""

CHECKSUM = "0021a78122a4738c3fa7e14127e6abc8f3b471303088055f67dc7644ca5088a4"
"""SHA-256 of `catalogue.json.gz`."""
