"""What can be asked of a table, what can have happened, what it is; no rule."""
