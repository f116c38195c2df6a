"""The caller's identity, and the caller's rights to see and act."""
