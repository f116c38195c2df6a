"""Tests of `service/api/league`."""
