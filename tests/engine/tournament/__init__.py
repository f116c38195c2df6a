"""Tests of `engine/tournament`."""
