"""A seeded, deterministic simulation of the service: many processes, one thread, virtual time."""
