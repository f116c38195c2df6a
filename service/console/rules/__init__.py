"""The rules of an evening in a card player's words, written from its ruleset."""
