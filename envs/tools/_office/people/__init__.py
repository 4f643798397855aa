"""Who lives in the office world, and what they have done so far."""
