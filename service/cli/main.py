"""
The command ``holotable``: every process of the service, and the tools of its operators.

Exit codes: 0 done; 1 the answer is no (an audit failed, a check is red); 2 wrong usage or
settings; 3 something that is needed is not available; 130 interrupted.
"""

import io
import sys
from typing import Final

import rich_click as click
from click.exceptions import Abort, Exit

from service.base.dumps import forbid_dumps
from service.cli.common import AWAY, INTERRUPTED, Lazily, stop


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="holotable", prog_name="holotable")
def cli() -> None:
    """
    Holotable is a league server for the card game Sabacc, with a REST API.

    [bold]holotable demo[/] plays a league night with bots and checks it.  [bold]holotable up[/]
    runs the whole stack until you stop it.
    Settings are environment variables that begin with HOLOTABLE_. See `holotable doctor`.
    """


def demo() -> click.Command:
    """Play a league night with bots, print its story and audit every hand."""
    from service.cli.demo import demo

    return demo


def up() -> click.Command:
    """Run the whole stack until you stop it (Ctrl-C)."""
    from service.cli.up import up

    return up


def selfplay() -> click.Command:
    """Let BOT play against house bots in memory, and report what it won and got wrong."""
    from service.cli.selfplay import selfplay

    return selfplay


def conformance() -> click.Command:
    """Play scripted situations against a client, and report what it got wrong."""
    from service.cli.conformance import conformance

    return conformance


def floor() -> click.Command:
    """Show the floor of TOURNAMENT: tables, seats, stacks, states and the next level."""
    from service.cli.floor import floor

    return floor


def api() -> click.Command:
    """Serve the public API."""
    from service.cli.api import api

    return api


def worker() -> click.Command:
    """Run a Celery worker: starts of tournaments, deadlines, awards, audits."""
    from service.cli.worker import worker

    return worker


def project() -> click.Command:
    """Follow the log and update the read models."""
    from service.cli.project import project

    return project


def bots() -> click.Command:
    """Play the house bots of every league."""
    from service.cli.bots import bots

    return bots


def health() -> click.Command:
    """Ask PROCESS on this machine whether it is alive and ready. Exit with 1 if not."""
    from service.cli.health import health

    return health


def signer() -> click.Command:
    """Sign tree heads in a process without a database, or make, list and revoke its keys."""
    from service.cli.signer.group import signer

    return signer


def push() -> click.Command:
    """Set up push messages to browsers."""
    from service.cli.push import push

    return push


def prepare() -> click.Command:
    """Create roles, databases, schema and queue on the server at URL."""
    from service.cli.prepare import prepare

    return prepare


def migrate() -> click.Command:
    """Migrate the database's schema to this version. A second run changes nothing."""
    from service.cli.migrate import migrate

    return migrate


def backup() -> click.Command:
    """Copy the database and the keys into the new folder TARGET, while the service runs."""
    from service.cli.backup import backup

    return backup


def restore() -> click.Command:
    """Restore BACKUP into an empty database, and check every byte of its log."""
    from service.cli.restore import restore

    return restore


def prune() -> click.Command:
    """Delete jobs, tokens and other records that are older than their period. Never an event."""
    from service.cli.prune import prune

    return prune


def archive() -> click.Command:
    """Copy a finished season into files that still verify in years. Nothing is deleted."""
    from service.cli.archive import archive

    return archive


def projections() -> click.Command:
    """Rebuild read models from the log, or compare them with it."""
    from service.cli.projections import projections

    return projections


def audit() -> click.Command:
    """Decide every action in the log of LEAGUE again. Exit with 1 if anything differs."""
    from service.cli.audit import audit

    return audit


def doctor() -> click.Command:
    """Check every part of the service, and name the command that repairs each fault."""
    from service.cli.doctor import doctor

    return doctor


def quarantine() -> click.Command:
    """Show the leagues that a consumer of the log has stopped following, and release them."""
    from service.cli.quarantine import quarantine

    return quarantine


def clock() -> click.Command:
    """Show the steps of the database's clock, or believe one before its ten minutes are over."""
    from service.cli.clock import clock

    return clock


def rotate_key() -> click.Command:
    """Wrap the leagues' keys with a new HOLOTABLE_SECRET_KEY, while the service runs."""
    from service.cli.rotate_key import rotate_key

    return rotate_key


def repair() -> click.Command:
    """Void the damaged events of LEAGUE, so that folding passes over them. Nothing is rewritten."""
    from service.cli.repair import repair

    return repair


def epoch() -> click.Command:
    """Open a new epoch of a league's log for its signer, after events were lost."""
    from service.cli.epoch import epoch

    return epoch


def verify_head() -> click.Command:
    """Check that LEAGUE's newest signed head at URL continues the one seen. Exit with 1 if not."""
    from service.cli.verify_head import verify_head

    return verify_head


def verify_receipt() -> click.Command:
    """Check that the newest signed tree at URL holds every event of RECEIPT."""
    from service.cli.verify_receipt import verify_receipt

    return verify_receipt


def replay() -> click.Command:
    """Replay a hand step by step: actions with their rules, pots, stacks and visible cards."""
    from service.cli.replay import replay

    return replay


def bundle() -> click.Command:
    """Write a hand, a tournament or a season into one file, with everything that proves it."""
    from service.cli.bundle import bundle

    return bundle


def generate() -> click.Command:
    """Write a made-up season as a bundle, for testing a verifier."""
    from service.cli.generate import generate

    return generate


def league() -> click.Command:
    """Export, suspend, restore or move a league, check an archive, import players, show entries."""
    from service.cli.league.group import league

    return league


def account() -> click.Command:
    """Create accounts and reset passwords, as an operator."""
    from service.cli.account.group import account

    return account


def player() -> click.Command:
    """Erase a player, as an operator."""
    from service.cli.player import player

    return player


def text() -> click.Command:
    """Take down words that people wrote, as an operator."""
    from service.cli.text import text

    return text


def maintenance() -> click.Command:
    """Let the installation take no commands for a while. Reads go on, and clocks stand still."""
    from service.cli.maintenance import maintenance

    return maintenance


def operators_log() -> click.Command:
    """Show the newest entries of the operators' log, newest first, of every league."""
    from service.cli.operators_log import operators_log

    return operators_log


def token() -> click.Command:
    """Create and revoke bearer tokens, as an operator."""
    from service.cli.token import token

    return token


def openapi() -> click.Command:
    """Print the API's OpenAPI document. With --check FILE, exit with 1 if FILE differs."""
    from service.cli.openapi import openapi

    return openapi


def rulesets() -> click.Command:
    """List the rulesets, show one, or compare two."""
    from service.cli.rulesets import rulesets

    return rulesets


def structure() -> click.Command:
    """Propose the levels of a tournament."""
    from service.cli.structure import structure

    return structure


def points() -> click.Command:
    """List the points formulas, or try one."""
    from service.cli.points import points

    return points


SECTIONS: Final = {
    "Try it": (demo, up, selfplay, conformance, floor),
    "Processes": (api, worker, project, bots, signer, health),
    "Operations": (
        prepare,
        migrate,
        backup,
        restore,
        prune,
        archive,
        projections,
        audit,
        doctor,
        quarantine,
        clock,
        rotate_key,
        push,
        repair,
        epoch,
        maintenance,
        operators_log,
    ),
    "Proof": (verify_head, verify_receipt, replay, bundle, generate, league),
    "People and clients": (account, player, text, token, openapi),
    "Rules": (rulesets, structure, points),
}
"""The commands by section, as ``--help`` shows them."""

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
    """Run the command. An interruption ends it without a traceback."""
    forbid_dumps()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # the demo's story is read while it happens
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
        stop(AWAY, f"not available: {error}", "run `holotable doctor`")
    except Exception as error:
        # This is the edge of the process. An error that the operator can act on is printed in two
        # sentences, with its exit code. Any other error keeps its traceback.
        from service.process.failures import explained

        if (told := explained(error)) is None:
            raise
        stop(*told)


if __name__ == "__main__":
    main()
