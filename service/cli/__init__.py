"""
The subcommands of ``holotable``: a file for each command or group, declaration and body.

``service.cli.main`` lists them by section, and imports a command when it is called.  So
``--help`` answers at once, and a broken optional part breaks its own command only.
"""
