"""A finished tournament's result, set right: by compensating events, never by an edit."""
