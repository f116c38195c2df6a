"""Tests of `service/projections`."""
