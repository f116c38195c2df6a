"""How far each table's log had come when its tournament was over, written above it."""
