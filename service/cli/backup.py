"""``holotable backup``: copy an installation with its keys, while it runs."""

from contextlib import ExitStack
from pathlib import Path

import rich_click as click

from service.backups.keys import together
from service.backups.taking import take
from service.cli.backup_options import DATA, FOLDER, PASSPHRASE, passphrase_in
from service.cli.common import FILE, err, out, server, settings
from service.process import at_rest


@click.command()
@click.argument("target", type=FOLDER)
@DATA
@PASSPHRASE
@click.option(
    "--with",
    "others",
    type=FILE,
    multiple=True,
    help="Another secret file to copy, such as the signer's key. May be given again.",
)
@click.option("--without-keys", is_flag=True, help="Copy no key and no secret file.")
def backup(
    target: Path,
    data: Path | None,
    passphrase_file: Path | None,
    others: tuple[Path, ...],
    without_keys: bool,
) -> None:
    """
    Copy the database and the keys into the new folder TARGET, while the service runs.

    Needs HOLOTABLE_DATABASE_URL with the login of holotable_migrate, and HOLOTABLE_SECRET_KEY;
    or --data.  Needs pg_dump of the server's version or newer.
    """
    own: dict[str, Path] = {}
    if without_keys and (others or passphrase_file):
        raise click.UsageError("--without-keys copies no secret: leave out the other options")
    with ExitStack() as held:
        if data is None:
            told = settings()
        else:
            own = at_rest.secret_files(data)
            if "key" not in own:
                raise click.UsageError(f"{data} is no folder of `holotable up`")
            told = at_rest.settings(data, held.enter_context(at_rest.existing(data, server())))
        made = take(
            told,
            target,
            files=together(told, own, others),
            with_keys=not without_keys,
            passphrase=passphrase_in(passphrase_file),
        )
    size = sum(part.size for part in made.parts.values())
    out.print(
        f"{target}: {made.events} events of {len(made.leagues)} leagues at "
        f"{made.taken_at:%Y-%m-%dT%H:%M:%SZ}, {size} bytes",
        markup=False,
    )
    for each in made.faults:
        err.print(f"this log has a fault, and so has its copy: {each}", markup=False)
    if made.faults:
        err.print(
            "a restore will suspend these leagues and open the others\n  next: "
            "docs/guides/repairing-a-league.md, and take another backup; keep the last one without "
            "a fault",
            markup=False,
        )
    out.print(f"  {_SECRECY[made.keys]}", markup=False)


_SECRECY = {
    "plain": "it holds the keys unsealed, and they open every hidden card: guard it as the server",
    "sealed": "the keys are sealed by the passphrase; names, addresses of sign-ins and digests of "
    "passwords in the database are not",
    "none": "it holds no key, and is of little use without HOLOTABLE_SECRET_KEY and the signer's "
    "key: keep these elsewhere",
}
