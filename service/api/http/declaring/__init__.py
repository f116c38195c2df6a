"""The declaration of a route: its path, its parameters, and its callers."""
