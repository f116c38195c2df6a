"""Tests of `service/projections/rebuilding`."""
