"""Bundles: everything needed to check a hand, a tournament or a season elsewhere."""
