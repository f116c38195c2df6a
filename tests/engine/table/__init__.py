"""Tests of `engine/table`."""
