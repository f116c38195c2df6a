"""Tests of `service/director`."""
