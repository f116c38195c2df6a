"""Webhooks: messages about public events of a league, sent to addresses that its owners choose."""
