"""Seasons made up by chance: whole ones that hold, and broken ones that say what is wrong."""
