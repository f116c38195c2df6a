"""What a table is after an event."""
