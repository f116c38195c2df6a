"""Routes for rulesets, and for calculations with the rules."""
