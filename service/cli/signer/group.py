"""``holotable signer``: the process that signs tree heads, and the list of its commands."""

import os

import rich_click as click

from service.base.settings import SettingsInvalid, read_signer
from service.cli.common import USAGE, Lazily, stop
from service.process.signer import run


@click.group(invoke_without_command=True)
@click.pass_context
def signer(context: click.Context) -> None:
    """
    Sign tree heads in a process without a database, or make, list and revoke its keys.

    Without a command it serves.  Its settings are HOLOTABLE_SIGNER_KEY,
    HOLOTABLE_SIGNER_MEMORY, HOLOTABLE_SIGNER_TOKEN, HOLOTABLE_HOST and HOLOTABLE_PORT, and
    those of logs and metrics.
    """
    if context.invoked_subcommand is not None:
        return
    try:
        run(read_signer(os.environ))
    except SettingsInvalid as error:
        stop(
            USAGE,
            str(error),
            "make a key with `holotable signer new-key`, and the token with `holotable prepare "
            "URL --into FOLDER`; see docs/guides/signed-heads.md",
        )


def new_key() -> click.Command:
    """Write a new private key to FILE (mode 0600) and FILE.pub. Print the public key."""
    from service.cli.signer.new_key import new_key

    return new_key


def keys() -> click.Command:
    """List the public keys of all signed heads, and their revocations."""
    from service.cli.signer.keys import list_keys

    return list_keys


def revoke() -> click.Command:
    """Revoke the public KEY. Heads that it signs later are refused."""
    from service.cli.signer.revoke import revoke_key

    return revoke_key


# The signer has no database. Only the commands for its keys import one.
for _load in (new_key, keys, revoke):
    signer.add_command(Lazily(_load))
