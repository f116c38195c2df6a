"""Tests of `service/log`."""
