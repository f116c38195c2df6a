"""The event log: how it is written, read, watched and addressed."""
