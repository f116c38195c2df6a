"""Tests of notices that need no database."""
