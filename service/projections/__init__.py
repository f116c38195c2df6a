"""Read models: lists, standings and hand histories, all of which follow from the log."""
