"""Entry to a tournament: drafts, places, the waitlist, check-in and late registration."""
