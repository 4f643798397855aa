"""JSON lines, under the name by which rooms further up import them."""

from agentgym.core.lines import mend, read_lines, whole_length

__all__ = ["mend", "read_lines", "whole_length"]
