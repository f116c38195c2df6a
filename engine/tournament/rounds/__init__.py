"""Scheduled rounds: pairing, scores, and the cut to the final."""
