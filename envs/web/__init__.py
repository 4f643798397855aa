"""Cards of the web worlds."""

CARDS = []
