"""A project tracker: tickets on boards, in sprints and versions, a query language, reports and roles."""
