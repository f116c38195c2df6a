"""From a request to a command: preconditions, dry runs, submission."""
