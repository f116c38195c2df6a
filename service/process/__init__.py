"""The processes of the service, each put together in one place."""
