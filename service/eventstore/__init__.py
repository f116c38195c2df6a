"""The log: one per league, append-only, dense, hashed; and how its hidden places are kept."""
