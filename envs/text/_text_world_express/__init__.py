"""The parts of TextWorldExpress: its engine in Java, its games and their parameters, its words."""
