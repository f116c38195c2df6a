"""The reader's own screens: home, signing in, the account."""
