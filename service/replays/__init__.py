"""Hands shown again, and the forms in which they are written."""
