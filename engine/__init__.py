"""The rules of the house: pure, synchronous and deterministic. They need only msgspec."""
