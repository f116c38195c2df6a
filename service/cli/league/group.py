"""``holotable league``: the list of its commands."""

import rich_click as click

from service.cli.common import Lazily
from service.cli.league.entries import league_entries
from service.cli.league.fixtures import league_fixtures
from service.cli.league.import_ import league_import
from service.cli.league.money import league_money


@click.group()
def league() -> None:
    """Export, suspend, restore or move a league, check an archive, import players, show entries."""


def export() -> click.Command:
    """Write an archive of LEAGUE (lge_...) to the file or into the directory TARGET."""
    from service.cli.league.export import league_export

    return league_export


def check() -> click.Command:
    """Check the archive FILE without a database. Exit with 1 if a check fails."""
    from service.cli.league.check import league_check

    return league_check


def suspend() -> click.Command:
    """Let LEAGUE (lge_...) take no commands. Reads and audits go on, and its clocks stand still."""
    from service.cli.league.suspend import suspend_league

    return suspend_league


def restore() -> click.Command:
    """Let LEAGUE take commands again. Open decisions get their full time again."""
    from service.cli.league.restore import restore_league

    return restore_league


def pack() -> click.Command:
    """Copy LEAGUE (lge_...) into the new FILE for another cell.  The league must be suspended."""
    from service.cli.league.pack import league_pack

    return league_pack


def unpack() -> click.Command:
    """Write the league in FILE into this cell, and check every byte of its log."""
    from service.cli.league.unpack import league_unpack

    return league_unpack


def release() -> click.Command:
    """Give the packed LEAGUE up to its copy with the code ARRIVAL, for ever."""
    from service.cli.league.release import release_league

    return release_league


for _command in (league_import, league_fixtures, league_entries, league_money):
    league.add_command(_command)
# Archives, suspensions and moves import the service. All other commands ask a server.
for _load in (export, check, suspend, restore, pack, unpack, release):
    league.add_command(Lazily(_load))
