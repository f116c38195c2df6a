"""Tests of `service/api/http`."""
