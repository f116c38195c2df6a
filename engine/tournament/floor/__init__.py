"""What a director orders on the floor, and what the floor does by itself between hands."""
