"""Tests of `service/api/rules`."""
