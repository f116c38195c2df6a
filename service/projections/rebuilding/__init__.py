"""Building the read models again from the first event, and comparing them with the log."""
