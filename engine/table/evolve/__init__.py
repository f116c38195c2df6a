"""The changes that events make to the state of a table."""
