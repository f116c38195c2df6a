"""The processes of the service. Each is assembled in one place."""
