"""What a route declares: its path, its parameters, who may call it."""
