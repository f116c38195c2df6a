"""
The command ``holotable``: every process of the service, and what its keepers need.

What a command runs is loaded when it runs, so that ``--help`` answers at once and a
broken optional part breaks its own command only.

Exit codes: 0 done, 1 the answer is no (an audit failed, a check is red), 2 wrong
usage or settings, 3 something needed is away, 130 interrupted.
"""

import asyncio
import io
import os
import sys
from collections.abc import Coroutine
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

import rich_click as click
from click.exceptions import Abort, Exit
from rich.console import Console
from rich.markup import escape

DONE: Final = 0
NO: Final = 1
USAGE: Final = 2
AWAY: Final = 3
INTERRUPTED: Final = 130

_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)

click.rich_click.TEXT_MARKUP = "rich"
click.rich_click.COMMAND_GROUPS = {
    "holotable": [
        {"name": "Try it", "commands": ["demo", "up"]},
        {"name": "Processes", "commands": ["api", "worker", "project", "signer"]},
        {
            "name": "Keeping",
            "commands": ["prepare", "migrate", "projections", "audit", "doctor", "epoch"],
        },
        {"name": "Proof", "commands": ["verify-head"]},
        {"name": "People and clients", "commands": ["account", "token", "openapi"]},
        {"name": "Rules", "commands": ["rulesets"]},
    ]
}


def owner(reference: str) -> Any:
    """Return what ``module:name`` names; loaded only now."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def stop(code: int, message: str, next_step: str) -> NoReturn:
    """End the process with one sentence of what is wrong and one of what to do."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"[bold red]holotable:[/] {escape(message)}")
    console.print(f"  next: {escape(next_step)}")
    sys.exit(code)


def settings() -> Any:
    """Return the settings of the environment, or end with what is wrong in them."""
    try:
        return owner("service.settings:read")(os.environ)
    except owner("service.settings:SettingsInvalid") as error:
        stop(USAGE, str(error), "set HOLOTABLE_DATABASE_URL and HOLOTABLE_SECRET_KEY, or try `up`")


def server() -> str | None:
    """Return the server that the environment gives to `demo` and `up`, if it does."""
    try:
        found: str | None = owner("service.settings:given_server")(os.environ)
    except owner("service.settings:SettingsInvalid") as error:
        stop(USAGE, str(error), "correct it, or unset it for a PostgreSQL of our own")
    return found


def known_ruleset(
    _context: click.Context, _option: click.Parameter, name: str | None
) -> str | None:
    """Return *name* if it is a ruleset's; wrong usage if not."""
    presets: dict[str, Any] = owner("engine.rulesets:PRESETS")
    if name is not None and name not in presets:
        raise click.BadParameter(f"there is no ruleset {name}; there are {', '.join(presets)}")
    return name


def awaited(work: Coroutine[Any, Any, int]) -> NoReturn:
    """Run *work* to its end and leave with the code it returns."""
    sys.exit(asyncio.run(work))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="holotable", prog_name="holotable")
def cli() -> None:
    """
    League server for Sabacc: an append-only log, deciders, a REST API.

    [bold]holotable demo[/] plays a league night and checks it; [bold]holotable up[/] stays.
    Settings are environment variables that begin with HOLOTABLE_; see `holotable doctor`.
    """


@cli.command()
@click.option(
    "--players",
    type=click.IntRange(4, 60),
    default=12,
    show_default=True,
    help="Bots at each tournament.",
)
@click.option(
    "--ruleset",
    default=None,
    callback=known_ruleset,
    help="One ruleset for every tournament.  [dim]default: better, then cantina[/]",
)
@click.option("--seed", type=click.IntRange(0), default=4, show_default=True, help="Of the cards.")
@click.option(
    "--tournaments",
    type=click.IntRange(1, 12),
    default=2,
    show_default=True,
    help="Played one after the other, for one season.",
)
@click.option("--keep", is_flag=True, help="Leave the data and say where they are.")
@click.option(
    "--json",
    "summary",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Write what was counted, audited and won.",
)
def demo(
    players: int,
    ruleset: str | None,
    seed: int,
    tournaments: int,
    keep: bool,
    summary: Path | None,
) -> None:
    """
    Play a whole league night with bots, print its story, audit every hand.

    Starts a PostgreSQL (or uses that of HOLOTABLE_DATABASE_URL), the API, the projections
    and a Celery worker of its own and stops them all.  The same [bold]--seed[/] gives the
    same cards for the same tournament, table and hand.
    """
    options = owner("service.demo.options:Options")(
        players=players,
        ruleset=ruleset,
        seed=seed,
        tournaments=tournaments,
        keep=keep,
        summary=summary,
        server=server(),
    )
    sys.exit(owner("service.demo.command:run")(options))


@cli.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where the API listens.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Of the API; 0 takes a free one.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".holotable"),
    show_default=True,
    help="Where the log lives; a restart with the same directory goes on where it was.",
)
def up(host: str, port: int, data: Path) -> None:
    """
    Run the whole stack until it is stopped (Ctrl-C).

    HOLOTABLE_DATABASE_URL, with a superuser's login, replaces the PostgreSQL it would start.
    """
    sys.exit(owner("service.demo.standing:stay")(data.resolve(), host, port, server()))


@cli.command()
def api() -> None:
    """
    Serve the public API.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_api, and HOLOTABLE_SECRET_KEY.
    """
    owner("service.app:run")(settings())


@cli.command()
def worker() -> None:
    """
    Run a Celery worker: starts of tournaments, deadlines, awards, audits.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_worker, HOLOTABLE_SECRET_KEY
    and HOLOTABLE_BROKER_URL.
    """
    owner("service.tasks:run_worker")(settings())


@cli.command()
def project() -> None:
    """
    Follow the log and keep the read models.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_project, and
    HOLOTABLE_SECRET_KEY.
    """
    owner("service.projections.runner:run")(settings())


@cli.group(invoke_without_command=True)
@click.pass_context
def signer(context: click.Context) -> None:
    """
    Sign tree heads, as a process that knows no database; or make, list, revoke its keys.

    Without a command it serves, by the settings HOLOTABLE_SIGNER_KEY_FILE,
    HOLOTABLE_SIGNER_MEMORY, HOLOTABLE_HOST and HOLOTABLE_PORT, and takes no others.
    """
    if context.invoked_subcommand is not None:
        return
    try:
        owner("service.transparency.process:run")(owner("service.settings:read_signer")(os.environ))
    except owner("service.settings:SettingsInvalid") as error:
        stop(
            USAGE,
            str(error),
            "a key is made by `holotable signer new-key`; see docs/guides/signed-heads.md",
        )


@signer.command("new-key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--name", required=True, help="Of the signer, as clients see it: league.example/1")
def new_key(file: Path, name: str) -> None:
    """Write a new private key to FILE (mode 0600) and FILE.pub; print the public key."""
    secret = owner("service.sources:SystemEntropy")().bytes(32)
    try:
        click.echo(owner("service.transparency.process:make_key")(file, name, secret))
    except FileExistsError:
        stop(NO, f"{file} is there already", "a rotated key goes to a file of its own")
    except ValueError as error:
        stop(USAGE, str(error), "give another --name")


@signer.command("keys")
def list_keys() -> None:
    """List every public key that heads were signed with, and its revocation."""
    awaited(owner("service.transparency.operating:print_keys")(settings()))


@signer.command("revoke")
@click.argument("key")
@click.option("--reason", required=True, help="Shown to everybody who asks for the keys.")
def revoke_key(key: str, reason: str) -> None:
    """Revoke the public KEY: no head that it signs is kept from then on."""
    awaited(owner("service.transparency.operating:revoke")(settings(), key, reason))


@cli.group()
def epoch() -> None:
    """Begin a league's log anew for its signer, after events were lost."""


@epoch.command("open")
@click.argument("league")
@click.option("--operator", required=True, metavar="NAME", help="Who answers for it.")
@click.option("--reason", required=True, help="What was lost, and how.")
def open_epoch(league: str, operator: str, reason: str) -> None:
    """Open the next epoch of LEAGUE, logged in as holotable_migrate; it cannot be undone."""
    awaited(
        owner("service.transparency.operating:open_epoch")(settings(), league, operator, reason)
    )


@cli.command("verify-head")
@click.argument("url")
@click.argument("league")
@click.option("--key", required=True, type=_FILE, help="Public keys, from elsewhere than URL.")
@click.option("--token", required=True, type=_FILE, help="A token that may read LEAGUE.")
@click.option(
    "--seen",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Remembers the head that held; made by the first run.",
)
def verify_head(url: str, league: str, key: Path, token: Path, seen: Path) -> None:
    """Check LEAGUE's newest signed head at URL, and that it continues the one seen; 1 if not."""
    sys.exit(owner("service.transparency.verifying:verify_head")(url, league, key, token, seen))


@cli.command()
@click.argument("superuser", metavar="URL")
def prepare(superuser: str) -> None:
    """
    Make roles, databases, schema and queue on the server of URL, a superuser's address.

    Prints the address of each login that it gives a password, this once.  Running it
    again changes nothing.
    """
    for login, address in owner("service.preparing:prepare")(superuser).items():
        click.echo(f"{login:<18} {address}")
    click.echo("the server is ready")


@cli.command()
def migrate() -> None:
    """
    Bring the database's schema to this version; does nothing the second time.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate, and
    HOLOTABLE_SECRET_KEY.
    """
    owner("service.database:migrate")(settings().database_url)
    click.echo("the schema is up to date")


@cli.group()
def projections() -> None:
    """Rebuild read models from the log, or compare them with it."""


@projections.command()
@click.argument("name", default="all")
def rebuild(name: str) -> None:
    """
    Build read model NAME (or all) anew from the first event, with a progress bar.

    NAME is one of members, tournaments, tables, hands, standings.
    """
    awaited(owner("service.keeping:rebuild")(settings(), name))


@projections.command()
@click.argument("name", default="all")
def compare(name: str) -> None:
    """Compare read model NAME (or all) row by row with one built anew; 1 if they differ."""
    awaited(owner("service.keeping:compare")(settings(), name))


@cli.command()
@click.argument("league")
@click.option("--tournament", default=None, help="Only this tournament's streams.")
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
def audit(league: str, tournament: str | None, as_json: bool) -> None:
    """
    Decide every recorded action of LEAGUE again from its log; 1 if anything differs.

    LEAGUE is its id, lge_..., as GET /v1/leagues has it.  Needs HOLOTABLE_DATABASE_URL with
    the login of holotable_audit, and HOLOTABLE_SECRET_KEY.
    """
    awaited(owner("service.keeping:audit")(settings(), league, tournament, as_json))


@cli.command()
@click.option("--check", type=_FILE, default=None, help="Compare instead of printing.")
def openapi(check: Path | None) -> None:
    """Print the API's OpenAPI document; with --check FILE, 1 if FILE is another."""
    text: str = owner("service.app:openapi_document")()
    if check is None:
        click.echo(text, nl=False)
    elif check.read_text(encoding="utf-8") != text:
        stop(NO, f"{check} is not what the code says", f"run `holotable openapi > {check}`")


@cli.group()
def rulesets() -> None:
    """List the rulesets, show one whole, compare two."""


@rulesets.command("list")
def list_rulesets() -> None:
    """List every preset with its game, revision and hash."""
    sys.exit(owner("service.rulesets:print_list")())


@rulesets.command("show")
@click.argument("name")
def show_ruleset(name: str) -> None:
    """Print preset NAME with every parameter, as JSON."""
    sys.exit(owner("service.rulesets:print_one")(name))


@rulesets.command("diff")
@click.argument("one")
@click.argument("other")
def compare_rulesets(one: str, other: str) -> None:
    """Print in what presets ONE and OTHER differ; 1 if they do."""
    sys.exit(owner("service.rulesets:print_differences")(one, other))


@cli.group()
def account() -> None:
    """Make accounts, as an operator would."""


@account.command("create")
@click.argument("login")
@click.option("--name", default=None, help="Shown to others.  [dim]default: the login[/]")
@click.password_option(envvar="HOLOTABLE_ACCOUNT_PASSWORD", help="Asked for if not given.")
def create_account(login: str, name: str | None, password: str) -> None:
    """Make an account LOGIN and print its player id."""
    awaited(owner("service.keeping:create_account")(settings(), login, name or login, password))


@cli.group()
def token() -> None:
    """Make bearer tokens, as an operator would."""


@token.command("create")
@click.argument("login")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    help="As leagues:read or tables:play; may be repeated.  [dim]default: all that people have[/]",
)
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=90,
    show_default=True,
    help="Until it expires.",
)
def create_token(login: str, scopes: tuple[str, ...], days: int) -> None:
    """Make a token for LOGIN and print it, this once."""
    awaited(owner("service.keeping:create_token")(settings(), login, scopes, days))


@token.command("revoke")
@click.argument("named", metavar="TOKEN")
def revoke_token(named: str) -> None:
    """End TOKEN, named by its secret or its id; whoever uses it is nobody from then on."""
    awaited(owner("service.keeping:revoke_token")(settings(), named))


@cli.command()
def doctor() -> None:
    """Check settings, database, schema, clock, broker and signer; 1 if one is wrong, 3 if away."""
    awaited(owner("service.keeping:doctor")(os.environ))


def main() -> None:
    """Run the command; an interruption is no traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # a story is read while it happens
    try:
        cli(standalone_mode=False)
    except Exit as leaving:
        sys.exit(leaving.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except (ConnectionError, TimeoutError) as error:
        stop(AWAY, f"cannot be reached: {error}", "run `holotable doctor`")
    except Exception as error:
        if (told := owner("service.keeping:explained")(error)) is None:
            raise
        stop(*told)


if __name__ == "__main__":
    main()
