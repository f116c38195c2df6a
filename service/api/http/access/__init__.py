"""Who the caller is, and what the caller may see and do."""
