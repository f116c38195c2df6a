"""Tests of `service/api/table`."""
