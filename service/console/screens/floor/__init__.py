"""The director's floor and its acts."""
