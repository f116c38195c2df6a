"""Generated seasons: sound ones, and broken ones with known defects."""
