"""The orders of directors, and the rules that act between hands without an order."""
