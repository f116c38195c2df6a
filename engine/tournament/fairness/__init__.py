"""What entrants add to the entropy of their deals, and what is published of the seeds."""
