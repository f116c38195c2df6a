"""The public HTTP API. It calls the engine for every decision about the game."""
