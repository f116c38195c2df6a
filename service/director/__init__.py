"""The house's work: submitting commands to tournaments and tables, and acting by the clock."""
