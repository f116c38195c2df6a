"""
The subcommands of ``holotable``. A command lies where its name says.

``holotable audit`` is ``audit.py``, and ``holotable token create`` is in ``token.py``.  A group of
many commands is a folder: its list is ``group.py``, and ``holotable account create`` is
``account/create.py``.

``service.cli.main`` lists the commands by section and imports one when it is called.  So
``--help`` answers at once, and a broken optional part breaks only its own command.
"""
