"""What leaves the service whole: tables as CSV, and a league as one archive."""
