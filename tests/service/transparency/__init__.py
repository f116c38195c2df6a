"""Tests of `service/transparency`."""
