"""Tests of `service/api/me`."""
