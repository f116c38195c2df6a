"""Tests of `engine/dispute`."""
