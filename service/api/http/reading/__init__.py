"""Bodies, lists, positions and entity tags."""
