"""The public HTTP API; nothing here decides anything about the game."""
