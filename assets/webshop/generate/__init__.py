"""The generator that wrote the shipped catalogue; nothing here is imported when the shop runs."""
