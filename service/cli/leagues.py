"""A league's data, taken away whole and checked elsewhere; players, fixtures, entries, money."""

import sys
from pathlib import Path

import rich_click as click

from service.cli.exits import awaited
from service.cli.loading import FILE, owner, settings


@click.group()
def league() -> None:
    """Take a league's data away, check an archive; bring players in; see who enters and pays."""


@league.command("export")
@click.argument("league_id", metavar="LEAGUE")
@click.argument("target", type=click.Path(path_type=Path))
def export_league(league_id: str, target: Path) -> None:
    """
    Write LEAGUE (lge_...) to the file TARGET, or into the directory TARGET.

    The log with every hash, signed heads, texts, names, and tables as CSV; sealed values
    stay sealed.  Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and
    HOLOTABLE_SECRET_KEY.
    """
    awaited(owner("service.cli.archive:export")(settings(), league_id, target))


@league.command("check")
@click.argument("file", type=FILE)
@click.option("--key", type=FILE, default=None, help="Public keys, from elsewhere than FILE.")
def check_league(file: Path, key: Path | None) -> None:
    """Check the archive FILE by itself, without any database; 1 if anything does not hold."""
    sys.exit(owner("service.cli.archive:check")(file, key))


@league.command("import")
@click.argument("url")
@click.argument("league_id", metavar="LEAGUE")
@click.argument("roster", metavar="FILE", type=FILE)
@click.option("--token", required=True, type=FILE, help="A token that may manage LEAGUE.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, and do nothing.")
def import_players(url: str, league_id: str, roster: Path, token: Path, dry_run: bool) -> None:
    """Make members of the players in FILE, as CSV: all, or with a faulty row none; 1 if refused."""
    sys.exit(
        owner("service.cli.import_players:import_list")(url, league_id, roster, token, dry_run)
    )


TOKEN = click.option("--token", required=True, type=FILE, help="A token that may do it.")

_KEY_MAX = 255


def _fit(_: click.Context, option: click.Parameter, key: str | None) -> str | None:
    if key is None:
        return None
    if not (key.isascii() and key.isprintable() and 0 < len(key.strip()) == len(key) <= _KEY_MAX):
        said = "a key is 1 to 255 printable ASCII characters, with no space at its ends"
        raise click.BadParameter(said, param=option)
    return key


KEY = click.option(
    "--key",
    default=None,
    callback=_fit,
    help="Asked again under the same key, it is done once.  [dim]default: one that is shown[/]",
)


@league.command("fixtures")
@click.argument("url")
@click.argument("season")
@click.option("--plan", type=FILE, default=None, help="A recurrence to plan, as JSON.")
@KEY
@TOKEN
def plan_fixtures(url: str, season: str, plan: Path | None, key: str | None, token: Path) -> None:
    """List the recurring tournaments of SEASON, one JSON a line, or plan another; 1 if refused."""
    if key and plan is None:
        raise click.UsageError("--key is for --plan: looking needs none")
    sys.exit(owner("service.cli.ask_server:fixtures")(url, season, token, plan, key))


@league.command("entries")
@click.argument("url")
@click.argument("tournament")
@click.option("--approve", metavar="ENTRANT", default=None, help="Let ENTRANT in.")
@click.option("--refuse", nargs=2, metavar="ENTRANT REASON", default=None, help="Say no, and why.")
@TOKEN
def see_entries(
    url: str,
    tournament: str,
    approve: str | None,
    refuse: tuple[str, str] | None,
    token: Path,
) -> None:
    """List who has entered TOURNAMENT, waits or asks, or answer who asks; 1 if refused."""
    if approve and refuse:
        raise click.UsageError("one answer at a time: --approve or --refuse")
    sys.exit(owner("service.cli.ask_server:entries")(url, tournament, token, approve, refuse))


@league.command("money")
@click.argument("url")
@click.argument("tournament")
@click.option(
    "--paid",
    type=(str, str, int),
    metavar="ENTRANT KIND AMOUNT",
    default=None,
    help="Write down what was seen paid: buy_in, fee, rebuy, add_on, bounty or refund.",
)
@KEY
@TOKEN
def keep_money(
    url: str, tournament: str, paid: tuple[str, str, int] | None, key: str | None, token: Path
) -> None:
    """Show the books of TOURNAMENT as JSON, amounts in minor units, or add a payment."""
    if key and paid is None:
        raise click.UsageError("--key is for --paid: looking needs none")
    sys.exit(owner("service.cli.ask_server:money")(url, tournament, token, paid, key))
