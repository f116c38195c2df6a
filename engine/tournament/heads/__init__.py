"""The last event of each table, recorded in the tournament's log when it is over."""
