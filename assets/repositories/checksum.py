"""Written by `generate.build`: what the shipped repairs must hash to."""

CHECKSUM = "af38794d2f16fce2b4ef6363f9673e3fd0a763f2ab764ca0bf057d12138022ba"
"""SHA-256 of `repairs.json.gz`."""
