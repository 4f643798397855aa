"""The parts of ScienceWorld: its simulator in Java, its words, its tasks."""
