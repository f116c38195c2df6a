"""What the house does at tables and tournaments."""
