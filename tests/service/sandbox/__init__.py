"""Tests of `service/sandbox`."""
