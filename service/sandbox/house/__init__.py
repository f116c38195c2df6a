"""The process ``bots``: it plays the house bots of every league."""
