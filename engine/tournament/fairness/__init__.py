"""The entropy that entrants add to their deals, and the published seeds."""
