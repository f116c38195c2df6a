"""
The subcommands of ``holotable``, with one file for each command or group.

``service.cli.main`` lists them by section and imports a command when it is called.  So
``--help`` answers at once, and a broken optional part breaks only its own command.
"""
