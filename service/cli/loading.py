"""What commands load when they run, and read of their environment."""

import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import rich_click as click

from service.cli.exits import USAGE, stop

FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
"""A file that must be there."""


def owner(reference: str) -> Any:
    """Return what ``module:name`` names; loaded only now."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def settings() -> Any:
    """Return the settings of the environment, or end with what is wrong in them."""
    try:
        return owner("service.base.settings:read")(os.environ)
    except owner("service.base.settings:SettingsInvalid") as error:
        stop(USAGE, str(error), "set HOLOTABLE_DATABASE_URL and HOLOTABLE_SECRET_KEY, or try `up`")


def server() -> str | None:
    """Return the server that the environment gives to `demo` and `up`, if it does."""
    try:
        found: str | None = owner("service.base.settings:given_server")(os.environ)
    except owner("service.base.settings:SettingsInvalid") as error:
        stop(USAGE, str(error), "correct it, or unset it for a PostgreSQL of our own")
    return found
