"""Tests of `engine/league`."""
