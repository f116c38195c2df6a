"""Tests of `engine/coordination`."""
