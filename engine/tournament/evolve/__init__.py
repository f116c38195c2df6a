"""The state of a tournament after an event."""
