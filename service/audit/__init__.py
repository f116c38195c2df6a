"""Proving a league: bytes, chains, commitments, decks, and every action decided again."""
