"""The house at work: it submits commands to tournaments and tables, and acts by the clock."""
