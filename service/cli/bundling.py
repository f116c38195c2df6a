"""Taking evidence away, to be checked elsewhere."""

import rich_click as click

from service.cli.exits import awaited
from service.cli.loading import owner, settings


@click.command()
@click.argument("kind", type=click.Choice(["hand", "tournament", "season"]))
@click.argument("subject", metavar="ID")
@click.option("-o", "--output", default=None, help="File to write; else ID.bundle, - for stdout.")
@click.option(
    "--viewer",
    default="public",
    show_default=True,
    help="Whose openings it holds: public, an ent_..., or auditor for all of them.",
)
def bundle(kind: str, subject: str, output: str | None, viewer: str) -> None:
    """
    Write a hand, a tournament or a season with all that proves it into one file.

    Its format is api-spec/bundle.md; api-spec/verifier/verify.py checks it without us.
    All but public ones stand in the staff log.  Needs HOLOTABLE_DATABASE_URL with the
    login of holotable_audit, and HOLOTABLE_SECRET_KEY.
    """
    awaited(owner("service.cli.write_bundle:write")(settings(), kind, subject, viewer, output))
