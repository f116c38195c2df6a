"""The checks of ``holotable doctor``."""
