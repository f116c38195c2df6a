"""Tests of `service/people`."""
