"""Jericho: its interpreter in a process of its own, the stories it knows, and what may be said to them."""
