"""Scheduled rounds: who meets whom, what a round is worth, and who goes on to the final."""
