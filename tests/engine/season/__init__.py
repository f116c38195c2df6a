"""Tests of `engine/season`."""
