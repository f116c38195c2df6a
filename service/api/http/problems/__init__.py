"""Problem documents (RFC 9457) and the faults of a body."""
