"""Corrections of a finished tournament's result, by compensating events and never by an edit."""
