"""Results that are frozen by a dispute."""
