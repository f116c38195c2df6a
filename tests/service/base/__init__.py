"""Tests of `service/base`."""
