"""Reading a table: views, replays and the recall of commands from events."""
