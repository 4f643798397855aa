"""Written by `generate.build`: what the shipped repairs must hash to."""

CHECKSUM = "3e9b3216d1aec186bbed05e453e6e98b0e9b4c03fd1fef5cd0a58fb02f1d4209"
"""SHA-256 of `repairs.json.gz`."""
