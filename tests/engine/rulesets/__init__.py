"""Tests of `engine/rulesets`."""
