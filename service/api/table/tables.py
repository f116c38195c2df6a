"""Live tables: views for their callers, and actions of players."""

import asyncio
from datetime import datetime
from typing import Annotated, NamedTuple

import msgspec
from litestar import Response

from engine.coordination.clocks import with_clock
from engine.errors import CommandRejected
from engine.kit.audiences import Reader
from engine.table.model.errors import EntrantNotSeated
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.table.read.view_parts import TableView
from engine.tournament.levels import structure_of
from engine.tournament.model.state import Seating
from engine.values import EntrantId, number_of, stream_of
from service.api.http.access.authentication import authenticate
from service.api.http.access.phases import tables_of
from service.api.http.access.rights import (
    AS_KNOWN,
    BELIEVED,
    TABLE,
    TablePlace,
    TournamentPlace,
    reach,
)
from service.api.http.access.viewers import entrant_of, tournament_of_table, viewer_in
from service.api.http.declaring.queries import Wait
from service.api.http.operations import operation
from service.api.http.problems.answers import answer_refusal
from service.api.http.reading.called import names_at
from service.api.http.reading.etags import Tags, not_modified, tag_of
from service.api.http.reading.event_versions import Events
from service.api.http.reading.listing import Pages
from service.api.http.reading.moments import AS_OF_PROBLEMS, Moment, Then
from service.api.http.reading.paging import Page
from service.api.http.shell import Asked, Shell, operation_of, principal_of, shell_of, waits
from service.api.http.writing.submitting import Order, answer, encoded
from service.api.table.actions import Action
from service.api.table.commanding import command_of
from service.api.table.feed import Feed, FeedItem
from service.api.table.views import TableSeen, read_of, shown_of
from service.base.errors import StreamNotFound
from service.director.submitting import submit_to_table
from service.log.streams import table_stream
from service.log.writer import Loaded, Receipt
from service.people.idempotency import Refusal
from service.people.tokens import Principal


class Done(msgspec.Struct, kw_only=True):
    """An accepted action, with all its events at the table."""

    table: str
    version: int
    """The new version of the table's stream. The ``ETag`` is made of it."""

    events: tuple[FeedItem, ...]
    """The events of the action at the table, as the caller may see them."""

    position: str | None


class SeatListed(msgspec.Struct, kw_only=True):
    """An occupied seat in a list of tables."""

    seat: int
    entrant: str
    name: str | None
    """The player's name now."""

    stack: int
    """The chips in front of the seat."""


class TableListed(msgspec.Struct, kw_only=True):
    """A table in a list, with its occupied seats."""

    id: str
    number: int
    """The number of the table in its tournament, from 1."""

    hand_number: int
    """The number of the hand opened last, or 0 before the first hand."""

    idle: bool
    """True if no hand is in play."""

    closed: bool
    """True if the table is closed. Nobody sits there any more."""

    seats: tuple[SeatListed, ...]
    """The occupied seats, in order."""


@operation(
    "GET", "/v1/tables/{table_id:str}", "read_table",
    "Read a table as the caller may see it. Use If-None-Match with wait for a long poll.",
    needs="read_league", scope="leagues:read",
    answer=TableSeen, problems=(*AS_OF_PROBLEMS, "too_many_streams"),
    about="A request that waits counts as a stream.",
)  # fmt: skip
async def read_table(
    request: Asked,
    place: Annotated[TablePlace, BELIEVED],
    shell: Shell,
    then: Then,
    wait: Wait,
    tags: Tags,
    principal: Principal,
) -> Response[bytes]:
    """Read the table from the aggregate. The ``ETag`` begins with its version."""
    moment = await then.moment(place.league)
    if moment is not None:
        return await _then(shell, principal, place, moment)
    known = await _known(shell, principal, place)
    if tags.unchanged(known.tag):
        before = known.tag
        if wait:
            place = await _after_news(request, place, wait)
            known = await _known(shell, principal, place)
        if known.tag == before:
            return not_modified(before)
    seen = await _seen(shell, place, known.viewer)
    read = read_of(place.league, place.loaded, seen)
    shown = shown_of(read, known.names, shell.now(), known.closed_since)
    return encoded(shown, headers={"ETag": known.tag})


async def _after_news(request: Asked, place: TablePlace, seconds: float) -> TablePlace:
    """
    Wait for news of the table, as a stream does. Return the table as the caller may see it then.

    Raises:
        TooManyStreams: If the caller, or everybody together, has too many streams open.
        Unauthenticated: If the token has ended meanwhile.
        StreamNotFound: If the caller has left the league meanwhile.
    """
    shell = shell_of(request)
    feed = Feed(shell, place.league, place.stream, 0, Reader())
    with shell.limits.streams.held(principal_of(request)):
        waits(request.scope)
        newest = await feed.news(place.loaded.version, seconds)
    await authenticate(request, operation_of(request))
    # This process's copy is new enough, unless the news are another process's.
    copy = shell.runtime.writer.known(place.league, place.stream)
    fresh = copy is None or copy.version < newest
    return await reach(request, place.id, TABLE, fresh=fresh, believe=True)


class _Known(NamedTuple):
    """The parts of an answer beside the table."""

    viewer: EntrantId | None
    names: dict[str, str]
    closed_since: datetime | None
    tag: str
    """
    The tag of the table as *viewer* sees it.

    It changes with a name too. Otherwise a client would keep one that was erased or taken down.
    """


async def _known(shell: Shell, principal: Principal, place: TablePlace) -> _Known:
    tournament = await tournament_of_table(shell, place)
    viewer = viewer_in(shell, principal, tournament)
    seated = (each.entrant for each in place.state.entrants())
    names = await names_at(shell, tournament, seated)
    closed = shell.doors.closed_since(place.league)
    beside = msgspec.json.encode((viewer, names, closed))
    return _Known(viewer, names, closed, tag_of(place.loaded.version, beside))


async def _then(
    shell: Shell, principal: Principal, place: TablePlace, moment: Moment
) -> Response[bytes]:
    """Show the table as the caller's entry at that moment saw it, without legal actions."""
    table = await moment.state(place.stream)
    if not isinstance(table.state, Table):
        raise StreamNotFound("it did not exist then, or you may not see it")
    tournament = (await moment.state(stream_of(table.state.tournament))).state
    viewer = entrant_of(tournament, principal.account.player)
    seen = with_clock(seen_by(table.state, viewer), tournament)
    then = Loaded(table.state, table.version, table.hash, table.at)
    read = read_of(place.league, then, msgspec.structs.replace(seen, legal=()))
    names = await names_at(shell, tournament, (each.entrant for each in read.seats))
    return encoded(shown_of(read, names, table.at), headers=moment.headers)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/tables", "list_tables",
    "List a tournament's open tables.",
    needs="read_league", scope="leagues:read", answer=Page[TableListed],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_tables(place: TournamentPlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """List the open tables from the aggregates, by number."""
    paged = await pages.live(place.league, f"tables {place.id}", int)
    page = paged.cut(tables_of(place.state), lambda each: (each.number,))
    items = await asyncio.gather(*(_listed(shell, place, each) for each in page.items))
    found = [each for each in items if each is not None]
    return pages.answer(Page(items=found, next_cursor=page.next_cursor))


@operation(
    "POST", "/v1/tables/{table_id:str}/actions", "act",
    "Act at a table: bet, choose cards or show a hand.",
    needs="own_entry", scope="tables:play", answer=Done, key_required=True,
    problems=(
        "facing_bet", "nothing_to_call", "call_amount_changed", "bet_too_small", "bet_too_large",
        "amount_not_in_units", "amount_missing", "raise_not_allowed", "verb_not_played",
        "selection_too_small", "cards_duplicated", "card_missing", "source_missing",
        "table_held", "table_closed", "not_dealt_in",
        "stale_decision", "not_your_turn", "wrong_phase", "entrant_not_seated", "no_decision_open",
        "selection_final", "card_not_held", "card_action_not_allowed", "call_too_early",
        "nothing_to_show", "event_version_unknown",
    ),
)  # fmt: skip
async def act(
    request: Asked,
    body: Action,
    order: Order,
    place: Annotated[TablePlace, AS_KNOWN, BELIEVED],
    shell: Shell,
    events: Events,
    principal: Principal,
) -> Response[bytes]:
    """Submit the action to the table. A refusal is kept, and its answer lists legal actions."""
    viewer = viewer_in(shell, principal, await tournament_of_table(shell, place))
    try:
        receipt = await _perform(shell, place, viewer, order, body)
    except CommandRejected as error:
        return await _refused(request, place, viewer, order, error)
    return await _done(shell, place, viewer, receipt, events)


async def _perform(
    shell: Shell,
    place: TablePlace,
    viewer: EntrantId | None,
    order: Order,
    body: Action,
) -> Receipt:
    if viewer is None:
        raise EntrantNotSeated()
    salt = shell.runtime.entropy.token
    command = command_of(body, entrant=viewer, now=order.received_at, salt=salt)
    return await submit_to_table(shell.runtime, place.league, place.id, command, order)


async def _refused(
    request: Asked,
    place: TablePlace,
    viewer: EntrantId | None,
    order: Order,
    error: CommandRejected,
) -> Response[bytes]:
    shell = shell_of(request)
    account = principal_of(request).account.number
    kept = shell.limits.keeps_refusal(account)
    if kept:
        await shell.refusals.keep(
            Refusal(
                received_at=order.received_at,
                league=number_of(place.league),
                account=account,
                stream=place.stream,
                command=order.command_id,
                code=error.code,
            )
        )
    state = (await shell.runtime.writer.load(place.league, place.stream, fresh=False)).state
    legal = seen_by(state, viewer).legal if isinstance(state, Table) else ()
    facts = {"legal_actions": msgspec.to_builtins(legal)} | ({} if kept else {"kept": False})
    return answer_refusal(request, error, facts)


async def _done(
    shell: Shell, place: TablePlace, viewer: EntrantId | None, receipt: Receipt, events: int
) -> Response[bytes]:
    """Return the answer to an action. It depends only on its events and the request."""
    rows = [each.row for each in receipt.recorded if each.stream == place.stream]
    reader = Reader(entrant=viewer)
    feed = Feed(shell, place.league, place.stream, receipt.epoch, reader, events)
    content = {
        "table": place.id,
        "version": rows[-1].stream_version if rows else place.loaded.version,
        "events": await feed.items(rows),
    }
    return answer(receipt, content, 200, version_of=place.stream)


async def _seen(shell: Shell, place: TablePlace, viewer: EntrantId | None) -> TableView:
    view = seen_by(place.state, viewer)
    if not structure_of(place.state.ruleset):
        return view
    # Workers raise levels, so this process's copy of the tournament may be outdated.
    above = stream_of(place.state.tournament)
    return with_clock(view, (await shell.runtime.writer.load(place.league, above)).state)


async def _listed(shell: Shell, place: TournamentPlace, seating: Seating) -> TableListed | None:
    loaded = await shell.runtime.writer.load(place.league, table_stream(seating.table))
    state = loaded.state
    if not isinstance(state, Table):
        return None
    called = await names_at(shell, place.state, (each.entrant for each in state.entrants()))
    return TableListed(
        id=state.table,
        number=state.number,
        hand_number=state.hand_number,
        idle=state.idle,
        closed=state.closed,
        seats=tuple(
            SeatListed(
                seat=each.seat,
                entrant=each.entrant,
                name=called.get(each.entrant),
                stack=each.stack,
            )
            for each in state.entrants()
        ),
    )
