"""From rules and local times to instants, and from occurrences to announced tournaments."""
