"""
The command ``holotable``: every process of the service, and what its keepers need.

Exit codes: 0 done, 1 the answer is no (an audit failed, a check is red), 2 wrong
usage or settings, 3 something needed is away, 130 interrupted.
"""

import io
import sys
from typing import Final

import rich_click as click
from click.exceptions import Abort, Exit

from service.cli.common import AWAY, INTERRUPTED, Lazily, stop


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="holotable", prog_name="holotable")
def cli() -> None:
    """
    League server for Sabacc: an append-only log, deciders, a REST API.

    [bold]holotable demo[/] plays a league night and checks it; [bold]holotable up[/] stays.
    Settings are environment variables that begin with HOLOTABLE_; see `holotable doctor`.
    """


def demo() -> click.Command:
    """Play a whole league night with bots, print its story, audit every hand."""
    from service.cli.demo import demo

    return demo


def up() -> click.Command:
    """Run the whole stack until it is stopped (Ctrl-C)."""
    from service.cli.demo import up

    return up


def floor() -> click.Command:
    """Show TOURNAMENT's floor: tables, seats, stacks, what each does, the next level."""
    from service.cli.floor import floor

    return floor


def api() -> click.Command:
    """Serve the public API."""
    from service.cli.processes import api

    return api


def worker() -> click.Command:
    """Run a Celery worker: starts of tournaments, deadlines, awards, audits."""
    from service.cli.processes import worker

    return worker


def project() -> click.Command:
    """Follow the log and keep the read models."""
    from service.cli.processes import project

    return project


def signer() -> click.Command:
    """Sign tree heads, as a process that knows no database; or make, list, revoke its keys."""
    from service.cli.signer import signer

    return signer


def prepare() -> click.Command:
    """Make roles, databases, schema and queue on the server of URL, a superuser's address."""
    from service.cli.schema import prepare

    return prepare


def migrate() -> click.Command:
    """Bring the database's schema to this version; does nothing the second time."""
    from service.cli.schema import migrate

    return migrate


def projections() -> click.Command:
    """Rebuild read models from the log, or compare them with it."""
    from service.cli.projections import projections

    return projections


def audit() -> click.Command:
    """Decide every recorded action of LEAGUE again from its log; 1 if anything differs."""
    from service.cli.audit import audit

    return audit


def doctor() -> click.Command:
    """Check settings, database, schema, clock, broker, signer, projections, quarantine, audits."""
    from service.cli.doctor import doctor

    return doctor


def quarantine() -> click.Command:
    """Look at leagues that a consumer of the log has stopped following, and release them."""
    from service.cli.quarantine import quarantine

    return quarantine


def clock() -> click.Command:
    """Look at steps of the database's clock, and believe one before its ten minutes are over."""
    from service.cli.clock import clock

    return clock


def rotate_key() -> click.Command:
    """Wrap the leagues' keys with a new HOLOTABLE_SECRET_KEY, while the service runs."""
    from service.cli.rotate_key import rotate_key

    return rotate_key


def repair() -> click.Command:
    """Take out of folding the events of LEAGUE that fail by their bytes; nothing is rewritten."""
    from service.cli.repair import repair

    return repair


def epoch() -> click.Command:
    """Begin a league's log anew for its signer, after events were lost."""
    from service.cli.epoch import epoch

    return epoch


def verify_head() -> click.Command:
    """Check LEAGUE's newest signed head at URL, and that it continues the one seen; 1 if not."""
    from service.cli.verify import verify_head

    return verify_head


def verify_receipt() -> click.Command:
    """Check that every event of RECEIPT stands in the newest signed tree at URL."""
    from service.cli.verify import verify_receipt

    return verify_receipt


def replay() -> click.Command:
    """Replay a hand: who did what by which rule, pots and stacks, and what was seen then."""
    from service.cli.replay import replay

    return replay


def bundle() -> click.Command:
    """Write a hand, a tournament or a season with all that proves it into one file."""
    from service.cli.bundle import bundle

    return bundle


def generate() -> click.Command:
    """Write a season that was never played as a bundle, to try a verifier on."""
    from service.cli.generate import generate

    return generate


def league() -> click.Command:
    """Take a league's data away, check an archive; bring players in; see who enters and pays."""
    from service.cli.league import league

    return league


def account() -> click.Command:
    """Make accounts, as an operator would."""
    from service.cli.people import account

    return account


def player() -> click.Command:
    """What an operator does to a player."""
    from service.cli.people import player

    return player


def token() -> click.Command:
    """Make bearer tokens, as an operator would."""
    from service.cli.people import token

    return token


def openapi() -> click.Command:
    """Print the API's OpenAPI document; with --check FILE, 1 if FILE is another."""
    from service.cli.processes import openapi

    return openapi


def rulesets() -> click.Command:
    """List the rulesets, show one whole, compare two."""
    from service.cli.rules import rulesets

    return rulesets


def structure() -> click.Command:
    """Propose the levels of a tournament."""
    from service.cli.rules import structure

    return structure


def points() -> click.Command:
    """List the formulas that points are counted by, try one."""
    from service.cli.rules import points

    return points


SECTIONS: Final = {
    "Try it": (demo, up, floor),
    "Processes": (api, worker, project, signer),
    "Keeping": (
        prepare,
        migrate,
        projections,
        audit,
        doctor,
        quarantine,
        clock,
        rotate_key,
        repair,
        epoch,
    ),
    "Proof": (verify_head, verify_receipt, replay, bundle, generate, league),
    "People and clients": (account, player, token, openapi),
    "Rules": (rulesets, structure, points),
}
"""Every command, as ``--help`` shows them."""

click.rich_click.TEXT_MARKUP = "rich"
click.rich_click.COMMAND_GROUPS = {"holotable": []}
for _section, _loads in SECTIONS.items():
    _commands = [Lazily(_load) for _load in _loads]
    click.rich_click.COMMAND_GROUPS["holotable"].append(
        {"name": _section, "commands": [str(_command.name) for _command in _commands]}
    )
    for _command in _commands:
        cli.add_command(_command)


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
        # The edge of the process: what its keeper can act on is said in two sentences
        # with its exit code, everything else is raised again with its traceback.
        from service.process.failures import explained

        if (told := explained(error)) is None:
            raise
        stop(*told)


if __name__ == "__main__":
    main()
