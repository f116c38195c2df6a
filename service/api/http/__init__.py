"""What a handler is made of."""
