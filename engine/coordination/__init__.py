"""Rules and views that concern several aggregates."""
