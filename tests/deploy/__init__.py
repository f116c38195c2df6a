"""What `deploy/` holds, checked by the programs that read it."""
