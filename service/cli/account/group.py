"""``holotable account``: the list of its commands."""

import rich_click as click

from service.cli.account.create import account_create
from service.cli.account.founder import founder
from service.cli.account.invite import invite
from service.cli.account.reset import account_reset
from service.cli.account.restore import restore_account
from service.cli.account.suspend import suspend_account
from service.cli.account.uninvite import uninvite


@click.group()
def account() -> None:
    """Create accounts and reset passwords, as an operator."""


for _command in (
    account_create,
    account_reset,
    suspend_account,
    restore_account,
    invite,
    uninvite,
    founder,
):
    account.add_command(_command)
