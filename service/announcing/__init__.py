"""From an announcement in JSON to the terms of a tournament."""
