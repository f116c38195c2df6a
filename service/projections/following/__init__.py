"""The process ``project``, and how far it is behind."""
