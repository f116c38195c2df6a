"""The commands, events, errors and state of a table. The rules are elsewhere."""
