"""Tests of `service/projections/models`."""
