"""Tests of `service/api/tournament`."""
