"""The commands, events and states of a tournament. They apply no rule."""
