"""
The command ``holotable``: every process of the service, and what its keepers need.

Exit codes: 0 done, 1 the answer is no (an audit failed, a check is red), 2 wrong
usage or settings, 3 something needed is away, 130 interrupted.
"""

import io
import sys
from itertools import chain
from typing import Final

import rich_click as click
from click.exceptions import Abort, Exit

from service.cli import (
    bundling,
    floors,
    generating,
    keeping,
    leagues,
    people,
    processes,
    replaying,
    rules,
    signing,
    trying,
)
from service.cli.exits import AWAY, INTERRUPTED, stop
from service.cli.loading import owner

SECTIONS: Final = {
    "Try it": (trying.demo, trying.up, floors.floor),
    "Processes": (processes.api, processes.worker, processes.project, signing.signer),
    "Keeping": (
        keeping.prepare,
        keeping.migrate,
        keeping.projections,
        keeping.audit,
        keeping.doctor,
        keeping.quarantine,
        keeping.clock,
        keeping.rotate_key,
        keeping.repair,
        signing.epoch,
    ),
    "Proof": (
        signing.verify_head,
        signing.verify_receipt,
        replaying.replay,
        bundling.bundle,
        generating.generate,
        leagues.league,
    ),
    "People and clients": (people.account, people.player, people.token, people.openapi),
    "Rules": (rules.rulesets, rules.structure, rules.points),
}
"""Every command, as ``--help`` shows them."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="holotable", prog_name="holotable")
def cli() -> None:
    """
    League server for Sabacc: an append-only log, deciders, a REST API.

    [bold]holotable demo[/] plays a league night and checks it; [bold]holotable up[/] stays.
    Settings are environment variables that begin with HOLOTABLE_; see `holotable doctor`.
    """


click.rich_click.TEXT_MARKUP = "rich"
click.rich_click.COMMAND_GROUPS = {
    "holotable": [
        {"name": section, "commands": [str(command.name) for command in commands]}
        for section, commands in SECTIONS.items()
    ]
}
for _command in chain.from_iterable(SECTIONS.values()):
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
        if (told := owner("service.cli.operate:explained")(error)) is None:
            raise
        stop(*told)


if __name__ == "__main__":
    main()
