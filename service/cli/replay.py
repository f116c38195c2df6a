"""``holotable replay``: a hand in the terminal, or in another format."""

import re
import sys

import rich_click as click
from rich.console import Console
from rich.text import Text

from engine.kit.audiences import AUDITOR, PUBLIC
from engine.table.read.replay import Replay
from engine.values import number_of
from service.base.database import async_engine, pool
from service.base.errors import StreamNotFound
from service.base.settings import Settings
from service.bundles.gathering import located
from service.cli.common import awaited, err, settings
from service.log.keys import Keys
from service.people import operator_log
from service.projections.reads import queries
from service.replays.forms import SINGLE, TEXT, WHOLE
from service.replays.reading import read_replay

_RULE = re.compile(r"\[[a-z_.]+\]$")
_HEADING = re.compile(r"^(?:Hand |-- ).*$")


@click.command()
@click.argument("hand", metavar="HAND")
@click.option(
    "--as",
    "perspective",
    default="public",
    show_default=True,
    help="Viewer: public, an ent_..., or auditor; only public before the hand is over.",
)
@click.option(
    "--step", type=click.IntRange(1), default=None, help="Print only the step with this number."
)
@click.option(
    "--json", "form", flag_value="application/json", help="Print the API's JSON, without names."
)
@click.option(
    "--ndjson", "form", flag_value="application/x-ndjson", help="Print one step a line, as JSON."
)
@click.option("--phh", "form", flag_value="text/x-phh", help="Print a poker hand history (PHH).")
@click.option("--text", "form", flag_value="text/plain", default="text/plain", hidden=True)
def replay(hand: str, perspective: str, step: int | None, form: str) -> None:
    """
    Replay a hand step by step: actions with their rules, pots, stacks and visible cards.

    See docs/guides/replay.md.  Needs HOLOTABLE_DATABASE_URL with the login of
    holotable_audit, and HOLOTABLE_SECRET_KEY.
    """
    awaited(show(settings(), hand, perspective, step, form))


async def show(settings: Settings, hand: str, perspective: str, step: int | None, form: str) -> int:
    """Print a replay. Return 1 if the viewer may not see it yet, 2 for a wrong hand or format."""
    if perspective not in (PUBLIC, AUDITOR) and not perspective.startswith("ent_"):
        return _refused(2, f"there is no viewer {perspective}", "use public, auditor or an ent_…")
    try:
        found = await _read(settings, hand, perspective)
    except (StreamNotFound, ValueError, KeyError):
        return _refused(2, f"there is no hand {hand}", "look it up with the API")
    if perspective != PUBLIC and not found.over:
        return _refused(1, "the hand is still in play", "try again later")
    if perspective != PUBLIC:
        await _written_down(settings, hand)
    if step is None:
        _print(WHOLE[form](found), form)
        return 0
    if form not in SINGLE:
        return _refused(2, "a PHH document holds a whole hand", "leave out --step")
    if step > len(found.steps):
        return _refused(2, f"the hand has {len(found.steps)} steps", "give one of these")
    _print(SINGLE[form](found.steps[step - 1]), form)
    return 0


async def _read(settings: Settings, hand: str, perspective: str) -> Replay:
    engine = async_engine(settings.database_url, 2)
    reading = await pool(settings.database_url, 1)
    try:
        async with engine.connect() as connection:
            league, _ = await located(connection, reading, "hand", hand)
            row = await queries.hand(connection, hand)
            if row is None:
                raise StreamNotFound("it does not exist, or you may not see it")
            keys = await Keys(*settings.secret_keys).of(connection, league)
        return await read_replay(reading, row, keys, perspective)
    finally:
        await reading.close()
        await engine.dispose()


async def _written_down(settings: Settings, hand: str) -> None:
    """Record the operator before the command shows anybody's cards."""
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.begin() as connection:
            row = await queries.hand(connection, hand)
            leagues = [] if row is None else [number_of(row.league)]
            await operator_log.add(
                connection, leagues, operator_log.operator(), "hand_opened_by_operator", hand
            )
    finally:
        await engine.dispose()


def _print(written: bytes, form: str) -> None:
    if form != TEXT:
        sys.stdout.buffer.write(written if written.endswith(b"\n") else written + b"\n")
        return
    # A terminal gets colours, and other outputs the same lines without them.
    console = Console(soft_wrap=True, highlight=False)
    for line in written.decode().splitlines():
        shown = Text(line)
        shown.highlight_regex(_RULE, "dim")
        shown.highlight_regex(_HEADING, "bold")
        console.print(shown)


def _refused(code: int, problem: str, follows: str) -> int:
    err.print(f"{problem}\n  next: {follows}")
    return code
