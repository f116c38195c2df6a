"""Tests of `engine/hand`."""
