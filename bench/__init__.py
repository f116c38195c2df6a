"""Benchmarks. Each measures a ratio between two things in one run on one server."""
