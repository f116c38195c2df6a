"""The parts that the handlers of routes are built from."""
