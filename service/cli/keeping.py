"""Keeping a server: its schema, its read models, its checks."""

import os

import rich_click as click

from service.cli.exits import awaited
from service.cli.loading import owner, settings


@click.command()
@click.argument("superuser", metavar="URL")
def prepare(superuser: str) -> None:
    """
    Make roles, databases, schema and queue on the server of URL, a superuser's address.

    Prints the address of each login that it gives a password, this once.  Running it
    again changes nothing.
    """
    for login, address in owner("service.process.preparing:prepare")(superuser).items():
        click.echo(f"{login:<18} {address}")
    click.echo("the server is ready")


@click.command()
def migrate() -> None:
    """
    Bring the database's schema to this version; does nothing the second time.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate, and
    HOLOTABLE_SECRET_KEY.
    """
    owner("service.base.database:migrate")(settings().database_url)
    click.echo("the schema is up to date")


@click.group()
def projections() -> None:
    """Rebuild read models from the log, or compare them with it."""


@projections.command()
@click.argument("name", default="all")
def rebuild(name: str) -> None:
    """
    Build read model NAME (or all) anew from the first event, with a progress bar.

    NAME is one of members, tournaments, tables, hands, standings, records, ratings, disputes,
    openings.
    """
    awaited(owner("service.cli.operate:rebuild")(settings(), name))


@projections.command()
@click.argument("name", default="all")
def compare(name: str) -> None:
    """Compare read model NAME (or all) row by row with one built anew; 1 if they differ."""
    awaited(owner("service.cli.operate:compare")(settings(), name))


@click.command()
@click.argument("league")
@click.option("--tournament", default=None, help="Only this tournament's streams.")
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes at work."
)
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
def audit(league: str, tournament: str | None, jobs: int, as_json: bool) -> None:
    """
    Decide every recorded action of LEAGUE again from its log; 1 if anything differs.

    LEAGUE is its id, lge_..., as GET /v1/leagues has it.  Needs HOLOTABLE_DATABASE_URL with
    the login of holotable_audit, and HOLOTABLE_SECRET_KEY.
    """
    awaited(owner("service.cli.operate:audit")(settings(), league, tournament, jobs, as_json))


@click.command()
@click.argument("league")
@click.option("--operator", required=True, metavar="NAME", help="Who answers for it.")
@click.option("--reason", required=True, help="What damaged the log, as far as it is known.")
@click.option("--dry-run", is_flag=True, help="Only print what fails; 1 if anything does.")
def repair(league: str, operator: str, reason: str, dry_run: bool) -> None:
    """
    Take out of folding the events of LEAGUE that fail by their bytes; nothing is rewritten.

    Version, hash and schema of every event are checked.  What is well formed is never
    touched.  Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and
    HOLOTABLE_SECRET_KEY.
    """
    awaited(owner("service.cli.repair:repair")(settings(), league, operator, reason, dry_run))


@click.group()
def clock() -> None:
    """Look at steps of the database's clock, and believe one before its ten minutes are over."""


@clock.command("show")
def show_clock() -> None:
    """Print the step that is in doubt, and the last ten that were settled; 1 if one is in doubt."""
    awaited(owner("service.cli.clock_steps:show")(settings()))


@clock.command("believe")
@click.option("--operator", required=True, metavar="NAME", help="Who answers for it.")
@click.option("--reason", required=True, help="Why the clock is right now.")
def believe_clock(operator: str, reason: str) -> None:
    """
    Go by the database's clock from now on; it counts as an outage, so nobody times out.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate.
    """
    awaited(owner("service.cli.clock_steps:believe")(settings(), operator, reason))


@click.command("rotate-key")
def rotate_key() -> None:
    """
    Wrap the leagues' keys with a new HOLOTABLE_SECRET_KEY, while the service runs.

    HOLOTABLE_SECOND_SECRET_KEY is the old one; every process must know both by now.  Needs
    HOLOTABLE_DATABASE_URL with the login of holotable_migrate.
    """
    awaited(owner("service.cli.rotate_keys:rotate")(settings()))


@click.command()
def doctor() -> None:
    """
    Check settings, database, schema, clock, broker, signer, projections, quarantine, audits.

    Exits with 1 if one is wrong, 3 if the database is away.
    """
    awaited(owner("service.cli.doctor:doctor")(os.environ))


@click.group()
def quarantine() -> None:
    """Look at leagues that a consumer of the log has stopped following, and release them."""


@quarantine.command("list")
def list_quarantine() -> None:
    """List every league and consumer that is held, with the reason."""
    awaited(owner("service.cli.release:show_all")(settings()))


@quarantine.command("show")
@click.argument("league")
@click.argument("consumer")
def show_quarantine(league: str, consumer: str) -> None:
    """Show why CONSUMER stopped in LEAGUE, and the event that it stopped before."""
    awaited(owner("service.cli.release:show")(settings(), league, consumer))


@quarantine.command("release")
@click.argument("league")
@click.argument("consumer")
@click.option("--skip", is_flag=True, help="Pass over the event; for the consumer `arming` alone.")
def release_quarantine(league: str, consumer: str, skip: bool) -> None:
    """
    Let CONSUMER go on in LEAGUE; what fails again is held again.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate.  The staff log of the
    league says who did it.
    """
    awaited(owner("service.cli.release:release")(settings(), league, consumer, skip))
