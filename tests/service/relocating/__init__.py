"""Tests of `service/relocating`."""
