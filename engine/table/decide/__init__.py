"""What a table answers to each command."""
