"""A test of clients: scripted situations at tables of all rulesets, and a report of mistakes."""
