"""Changing announced terms: the start, the number of places, late registration and the prizes."""

from datetime import datetime

import msgspec
from litestar import Response
from msgspec import UNSET, UnsetType
from msgspec.structs import fields

from engine.rulesets.differences import Difference, between
from engine.tournament.model.commands.entering import ChangeTerms
from engine.tournament.model.events.entering import TermsChanged
from service.announcing.changing import TermsWanted, changeable_of, patched
from service.api.http.access.phases import entering_of
from service.api.http.access.rights import TournamentPlace
from service.api.http.operations import operation
from service.api.http.problems.faults import faults_of, refused
from service.api.http.reading.called import names_of
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.writing.preconditions import as_read
from service.api.http.writing.reasons import signed
from service.api.http.writing.submitting import Order
from service.api.tournament.entering import EntryChanged, entry_changed
from service.base.documents import Document
from service.director.admission import table_ids
from service.director.submitting import submit_to_tournament
from service.log.catalogue import tag_of
from service.log.read import read_last_of_types, voided
from service.people.texts import Written, words


class _Texts(TermsWanted, forbid_unknown_fields=True, kw_only=True):
    """All members of the request, with their texts."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""


TermsChangeWanted: type[msgspec.Struct] = msgspec.defstruct(
    "TermsChangeWanted",
    [
        ("reason", Written),
        *((each.name, each.type | None | UnsetType, UNSET) for each in fields(TermsWanted)),
    ],
    namespace={
        "TEXTS_OF": _Texts,
        "__doc__": (
            "The reason, and the members to change, as a merge patch (RFC 7396) over the terms "
            "that hold. Missing members stay, inside `fees` and `entry` too. Null sets a default."
        ),
    },
    module=__name__,
    kw_only=True,
    forbid_unknown_fields=True,
)
"""All members of :class:`TermsWanted` as optional, with the reason."""


class TermsChangeShown(msgspec.Struct, kw_only=True):
    """One change of announced terms."""

    number: int
    """Counts the changes of this tournament from 1."""

    at: datetime
    """The instant at which it was stored."""

    by: str
    """The member of staff who changed the terms."""

    by_name: str | None
    """The name of that member now."""

    reason: str | None
    """Null once it is erased."""

    changed: tuple[Difference, ...]
    """The terms that differ, by the path of their member."""


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/terms-changes", "change_terms",
    "Change announced terms: the start, the number of places, late registration or the prizes.",
    scope="tournaments:manage", needs="run_tournaments", body=TermsChangeWanted,
    answer=EntryChanged, status=201,
    problems=(
        "forbidden", "terms_invalid", "terms_contradict", "terms_fixed", "start_fixed",
        "fees_fixed", "late_entry_fixed", "prizes_fixed", "seats_being_drawn",
        "tournament_not_announced", "tournament_over", "text_forged",
    ),
    key_required=True, dry_run=True, precondition="demanded",
)  # fmt: skip
async def change_terms(place: TournamentPlace, order: Order, shell: Shell) -> Response[bytes]:
    """
    Change the terms for everybody. The ruleset stays.

    More places are offered to the waitlist. Fewer remove nobody. Entrants may withdraw until play
    begins.
    """
    asked: Document = msgspec.json.decode(order.request)
    reason = asked.pop("reason")
    whole = patched(place.state.terms, asked)
    try:
        wanted = msgspec.convert(whole, TermsWanted, strict=True)
    except msgspec.ValidationError as error:
        raise refused(faults_of(whole, TermsWanted)) from error
    order = as_read(place, order)
    command = ChangeTerms(
        terms=changeable_of(wanted),
        table_ids=table_ids(order),
        **await signed(shell, place.league, order, reason),
    )
    receipt = await submit_to_tournament(shell.runtime, place.league, place.id, command, order)
    return entry_changed(receipt, place, 201)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/terms-changes", "list_terms_changes",
    "List the changes of the announced terms, with their reasons, the newest first.",
    scope="leagues:read", needs="read_league", answer=Page[TermsChangeShown],
    problems=("invalid_cursor", "text_forged"),
)  # fmt: skip
async def list_terms_changes(place: TournamentPlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """Read the changes from the aggregate. Only the log knows their times."""
    found = entering_of(place.state).changes
    times = await _times(shell, place, len(found)) if found else ()
    said = await words(shell.engine, [each.reason for each in found])
    staff = await names_of(shell, (each.by for each in found))
    shown = [
        TermsChangeShown(
            number=number,
            at=at,
            by=each.by,
            by_name=staff.get(each.by),
            reason=said.get(each.reason.text),
            changed=between(each.before, each.after),
        )
        for number, (each, at) in enumerate(zip(found, times, strict=True), 1)
    ]
    paged = await pages.live(place.league, f"terms-changes {place.id}", int)
    return pages.answer(paged.cut(shown[::-1], lambda each: (each.number,), descending=True))


async def _times(shell: Shell, place: TournamentPlace, number: int) -> tuple[datetime, ...]:
    """Return the times of the first *number* changes, the oldest first."""
    kinds, most = [tag_of(TermsChanged)], place.loaded.version
    rows = await read_last_of_types(shell.pool, place.league, place.stream, kinds, 0, most)
    away = await voided(shell.pool, place.league)
    # The log may have grown since the state was read.
    return tuple(row.at for row in rows if row.position not in away)[:number]
