"""``holotable league``: a league's archives, players, fixtures, entries and money."""

import csv
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import rich_click as click

from service.base.client import Refused, answered, client
from service.base.sources import SystemEntropy
from service.cli.common import DRY_RUN, FILE, NO, Lazily, err


@click.group()
def league() -> None:
    """Export, suspend and restore a league, check an archive, import players, show entries."""


_COLUMNS = ("line", "outcome", "player", "claim", "detail")
_KEY_MAX = 255

TOKEN = click.option("--token", required=True, type=FILE, help="File with a token that allows it.")


def _fit(_: click.Context, option: click.Parameter, key: str | None) -> str | None:
    if key is None:
        return None
    if not (key.isascii() and key.isprintable() and 0 < len(key.strip()) == len(key) <= _KEY_MAX):
        said = "a key is 1 to 255 printable ASCII characters, without spaces at its ends"
        raise click.BadParameter(said, param=option)
    return key


KEY = click.option(
    "--key",
    default=None,
    callback=_fit,
    help="Idempotency key of a retry; nothing happens twice.  [dim]default: a new one[/]",
)


@league.command("import")
@click.argument("url")
@click.argument("league_id", metavar="LEAGUE")
@click.argument("roster", metavar="FILE", type=FILE)
@click.option("--token", required=True, type=FILE, help="File with a token that may manage LEAGUE.")
@DRY_RUN
def league_import(url: str, league_id: str, roster: Path, token: Path, dry_run: bool) -> None:
    """Import the players in FILE (CSV) into LEAGUE: all, or none if a row is faulty."""
    # The output holds claim codes, which are shown only once.  A retry creates nobody twice.
    try:
        with client(url, token) as api:
            found = answered(
                api.post(
                    f"/v1/leagues/{league_id}/members/import",
                    content=roster.read_bytes(),
                    headers={"Content-Type": "text/csv"},
                    params={"dry_run": "true"} if dry_run else {},
                )
            )
    except Refused as no:
        _print_rows(no.problem.get("rows", []))
        sys.exit(_refused(no))
    _print_rows(found["rows"])
    sys.exit(NO if any(row["detail"] for row in found["rows"]) else 0)


def _print_rows(rows: Iterable[Mapping[str, object]]) -> None:
    written = csv.writer(sys.stdout, lineterminator="\n")
    written.writerow(_COLUMNS)
    for row in rows:
        written.writerow([row[column] or "" for column in _COLUMNS])


@league.command("fixtures")
@click.argument("url")
@click.argument("season")
@click.option("--plan", type=FILE, default=None, help="File with a recurrence to plan, as JSON.")
@KEY
@TOKEN
def league_fixtures(url: str, season: str, plan: Path | None, key: str | None, token: Path) -> None:
    """List the recurring tournaments of SEASON, one JSON a line, or plan a new one."""
    if key and plan is None:
        raise click.UsageError("--key is only for --plan: a list needs no key")
    path = f"seasons/{season}/fixtures"
    if plan is None:
        sys.exit(_listed(url, path, token))
    sys.exit(_told(url, path, token, plan.read_bytes(), _shown(key)))


@league.command("entries")
@click.argument("url")
@click.argument("tournament")
@click.option("--approve", metavar="ENTRANT", default=None, help="Approve ENTRANT.")
@click.option(
    "--refuse", nargs=2, metavar="ENTRANT REASON", default=None, help="Refuse ENTRANT for REASON."
)
@TOKEN
def league_entries(
    url: str,
    tournament: str,
    approve: str | None,
    refuse: tuple[str, str] | None,
    token: Path,
) -> None:
    """List the entrants, waitlist and applicants of TOURNAMENT, or answer an applicant."""
    if approve and refuse:
        raise click.UsageError("give one answer at a time: --approve or --refuse")
    path = f"tournaments/{tournament}/registrations"
    if approve is not None:
        sys.exit(_told(url, f"{path}/{approve}/approve", token, b"{}"))
    if refuse is not None:
        entrant, reason = refuse
        body = json.dumps({"reason": reason}).encode()
        sys.exit(_told(url, f"{path}/{entrant}/refuse", token, body))
    sys.exit(_listed(url, path, token))


@league.command("money")
@click.argument("url")
@click.argument("tournament")
@click.option(
    "--paid",
    type=(str, str, int),
    metavar="ENTRANT KIND AMOUNT",
    default=None,
    help="Record a payment: buy_in, fee, rebuy, add_on, bounty or refund.",
)
@KEY
@TOKEN
def league_money(
    url: str, tournament: str, paid: tuple[str, str, int] | None, key: str | None, token: Path
) -> None:
    """Print the books of TOURNAMENT as JSON, in minor units, or record a payment."""
    if key and paid is None:
        raise click.UsageError("--key is only for --paid: the books need no key")
    if paid is None:
        sys.exit(_told(url, f"tournaments/{tournament}/ledger", token, None))
    entrant, kind, amount = paid
    body = json.dumps({"entrant": entrant, "kind": kind, "amount": amount}).encode()
    sys.exit(_told(url, f"tournaments/{tournament}/payments", token, body, _shown(key)))


def _shown(key: str | None) -> str:
    """Return *key*, or a new one. It is printed before the request, because no answer may come."""
    if key is not None:
        return key
    drawn = str(SystemEntropy().uuid())
    err.print(f"sent with --key {drawn}: use it for a retry")
    return drawn


def _listed(url: str, path: str, token: Path) -> int:
    """Print every item of a list, one a line."""
    cursor: str | None = None
    try:
        with client(url, token) as api:
            while True:
                query = {} if cursor is None else {"cursor": cursor}
                page = answered(api.get(f"/v1/{path}", params=query))
                sys.stdout.writelines(f"{json.dumps(item)}\n" for item in page["items"])
                cursor = page["next_cursor"]
                if cursor is None:
                    return 0
    except Refused as no:
        return _refused(no)


def _told(url: str, path: str, token: Path, body: bytes | None, key: str | None = None) -> int:
    """Print the answer to a GET, or to a POST of *body* under the idempotency *key*."""
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    try:
        with client(url, token) as api:
            asked = f"/v1/{path}"
            done = (
                api.get(asked) if body is None else api.post(asked, content=body, headers=headers)
            )
            sys.stdout.write(f"{json.dumps(answered(done))}\n")
    except Refused as no:
        return _refused(no)
    return 0


def _refused(no: Refused) -> int:
    err.print(str(no), markup=False)
    return 1


def export() -> click.Command:
    """Write an archive of LEAGUE (lge_...) to the file or into the directory TARGET."""
    from service.cli.league_archive import league_export

    return league_export


def check() -> click.Command:
    """Check the archive FILE without a database. Exit with 1 if a check fails."""
    from service.cli.league_archive import league_check

    return league_check


def suspend() -> click.Command:
    """Let LEAGUE (lge_...) take no commands. Reads and audits go on, and its clocks stand still."""
    from service.cli.moderation import suspend_league

    return suspend_league


def restore() -> click.Command:
    """Let LEAGUE take commands again. Open decisions get their full time again."""
    from service.cli.moderation import restore_league

    return restore_league


# Archives and suspensions import the service. All other commands ask a server.
for _load in (export, check, suspend, restore):
    league.add_command(Lazily(_load))
