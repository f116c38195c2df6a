"""The processes of the service, each assembled in one place."""
