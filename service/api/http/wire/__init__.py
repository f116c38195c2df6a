"""Connections, limits, compression and content negotiation, before a handler runs."""
