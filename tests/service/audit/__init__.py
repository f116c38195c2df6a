"""Tests of `service/audit`."""
