"""Tests of `service/tasks`."""
