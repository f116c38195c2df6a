"""Tests of `service/api/season`."""
