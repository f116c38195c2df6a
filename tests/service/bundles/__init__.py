"""Tests of `service/bundles`."""
