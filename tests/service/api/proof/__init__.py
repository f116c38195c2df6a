"""Tests of `service/api/proof`."""
