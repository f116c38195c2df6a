"""Games in memory: a program against house bots, with no database and no server."""
