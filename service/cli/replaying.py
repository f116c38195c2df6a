"""Looking at a hand again, step by step."""

import rich_click as click

from service.cli.exits import awaited
from service.cli.loading import owner, settings


@click.command()
@click.argument("hand", metavar="HAND")
@click.option(
    "--as",
    "perspective",
    default="public",
    show_default=True,
    help="Who looks: public, an ent_..., or auditor; all but public once the hand is over.",
)
@click.option("--step", type=click.IntRange(1), default=None, help="One step, by its number.")
@click.option("--json", "form", flag_value="application/json", help="As the API answers it.")
@click.option("--ndjson", "form", flag_value="application/x-ndjson", help="One step a line.")
@click.option("--phh", "form", flag_value="text/x-phh", help="After the poker hand history.")
@click.option("--text", "form", flag_value="text/plain", default="text/plain", hidden=True)
def replay(hand: str, perspective: str, step: int | None, form: str) -> None:
    """
    Replay a hand: who did what by which rule, pots and stacks, and what was seen then.

    See docs/guides/replay.md.  Needs HOLOTABLE_DATABASE_URL with the login of
    holotable_audit, and HOLOTABLE_SECRET_KEY.
    """
    awaited(owner("service.cli.show_replay:show")(settings(), hand, perspective, step, form))
