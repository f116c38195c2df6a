"""Tests of `service/cli`."""
