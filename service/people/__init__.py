"""People: accounts, entered players, rosters, texts, and their erasure."""
