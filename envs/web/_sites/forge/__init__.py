"""The code host: projects, files, issues, merge requests, labels, milestones, wiki and members."""
