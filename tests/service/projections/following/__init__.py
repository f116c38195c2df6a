"""Tests of `service/projections/following`."""
