"""The decisions of a table: the events that each command causes."""
