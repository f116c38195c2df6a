"""What can be asked of a tournament, what can have happened, what it is."""
