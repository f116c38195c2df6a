"""Notices: messages to one person, by mail or push, at most once for each kind and occasion."""
