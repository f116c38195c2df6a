"""A test of clients: scripted situations at tables of all rulesets, and what a client got wrong."""
