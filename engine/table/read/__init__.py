"""What others may see of a table, and how it is read back."""
