"""``holotable league``: a league's archives, players and entries, a file for each command."""
