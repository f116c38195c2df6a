"""Tests of `service/process`."""
