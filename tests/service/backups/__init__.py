"""Tests of `service/backups`."""
