"""The rules of the house: pure, synchronous, deterministic; standard library and msgspec only."""
