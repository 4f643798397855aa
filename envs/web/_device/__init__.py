"""Tasks on a phone and a desktop computer of our own: templates, judge, and players that do not do the task."""
