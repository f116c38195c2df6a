"""Tests of `service/api/public`."""
