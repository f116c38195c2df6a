"""Signing tree heads, and checking what was signed."""

import os
import sys
from pathlib import Path

import rich_click as click

from service.cli.exits import NO, USAGE, awaited, stop
from service.cli.loading import FILE, owner, settings


@click.group(invoke_without_command=True)
@click.pass_context
def signer(context: click.Context) -> None:
    """
    Sign tree heads, as a process that knows no database; or make, list, revoke its keys.

    Without a command it serves, by the settings HOLOTABLE_SIGNER_KEYFILE,
    HOLOTABLE_SIGNER_MEMORY, HOLOTABLE_HOST and HOLOTABLE_PORT, and takes no others.
    """
    if context.invoked_subcommand is not None:
        return
    try:
        owner("service.process.signer:run")(owner("service.base.settings:read_signer")(os.environ))
    except owner("service.base.settings:SettingsInvalid") as error:
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
    secret = owner("service.base.sources:SystemEntropy")().bytes(32)
    try:
        click.echo(owner("service.process.signer:make_key")(file, name, secret))
    except FileExistsError:
        stop(NO, f"{file} is there already", "a rotated key goes to a file of its own")
    except ValueError as error:
        stop(USAGE, str(error), "give another --name")


@signer.command("keys")
def list_keys() -> None:
    """List every public key that heads were signed with, and its revocation."""
    awaited(owner("service.cli.sign:print_keys")(settings()))


@signer.command("revoke")
@click.argument("key")
@click.option("--reason", required=True, help="Shown to everybody who asks for the keys.")
def revoke_key(key: str, reason: str) -> None:
    """Revoke the public KEY: no head that it signs is kept from then on."""
    awaited(owner("service.cli.sign:revoke")(settings(), key, reason))


@click.group()
def epoch() -> None:
    """Begin a league's log anew for its signer, after events were lost."""


@epoch.command("open")
@click.argument("league")
@click.option("--operator", required=True, metavar="NAME", help="Who answers for it.")
@click.option("--reason", required=True, help="What was lost, and how.")
def open_epoch(league: str, operator: str, reason: str) -> None:
    """Open the next epoch of LEAGUE, logged in as holotable_migrate; it cannot be undone."""
    awaited(owner("service.cli.sign:open_epoch")(settings(), league, operator, reason))


@click.command("verify-head")
@click.argument("url")
@click.argument("league")
@click.option("--key", required=True, type=FILE, help="Public keys, from elsewhere than URL.")
@click.option("--token", required=True, type=FILE, help="A token that may read LEAGUE.")
@click.option(
    "--seen",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Remembers the head that held; made by the first run.",
)
def verify_head(url: str, league: str, key: Path, token: Path, seen: Path) -> None:
    """Check LEAGUE's newest signed head at URL, and that it continues the one seen; 1 if not."""
    sys.exit(owner("service.transparency.verifying:verify_head")(url, league, key, token, seen))


@click.command("verify-receipt")
@click.argument("url")
@click.argument("receipt", type=FILE)
@click.option("--key", required=True, type=FILE, help="Public keys, from elsewhere than URL.")
@click.option("--token", required=True, type=FILE, help="A token that may read the league.")
def verify_receipt(url: str, receipt: Path, key: Path, token: Path) -> None:
    """
    Check that every event of RECEIPT stands in the newest signed tree at URL.

    1 if one does not, and then the evidence is written to RECEIPT.evidence; 3 while no
    signed head reaches so far.
    """
    sys.exit(owner("service.transparency.convicting:verify_receipt")(url, receipt, key, token))
