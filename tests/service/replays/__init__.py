"""Tests of `service/replays`."""
