"""
The subcommands of ``holotable``, a module for each concern.

What a command runs is loaded when it runs, so that ``--help`` answers at once and a
broken optional part breaks its own command only.  A new command is written here with
``click.command`` or ``click.group`` and listed in ``service.cli.main.SECTIONS``.
"""
