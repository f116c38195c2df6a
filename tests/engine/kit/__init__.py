"""Tests of `engine/kit`."""
