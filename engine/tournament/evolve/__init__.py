"""What a tournament is after an event."""
