"""The event log: writing it, reading it, and waiting for it to grow."""
