"""Tests of `service/exports`."""
