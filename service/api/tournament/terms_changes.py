"""Changing announced terms: the start, the number of places, late registration and the prizes."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from litestar import Response
from msgspec import UNSET, UnsetType
from msgspec.structs import fields

from engine.rulesets.differences import members_that_differ
from engine.tournament.model.commands.entering import ChangeTerms
from engine.tournament.model.events.entering import TermsChanged
from engine.tournament.model.terms.changeable import TermsChange
from engine.values import TextId
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
from service.base.documents import Document, Json
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


class TermChanged(msgspec.Struct, kw_only=True):
    """A member of the terms with a new value. Null means that the terms have no such member."""

    member: str
    """The path of the member, joined by full stops: ``entry.waitlist``."""

    before: Json
    """The value before the change, any JSON."""

    after: Json
    """The value after the change, any JSON."""


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

    changed: tuple[TermChanged, ...]
    """The members that were changed, by their paths."""


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
    numbered = [*enumerate(entering_of(place.state).changes, 1)][::-1]
    paged = await pages.live(place.league, f"terms-changes {place.id}", int)
    page = paged.cut(numbered, lambda each: each[:1], descending=True)
    changes = [each for _, each in page.items]
    times = await _times(shell, place, changes)
    said = await words(shell.engine, [each.reason for each in changes])
    staff = await names_of(shell, (each.by for each in changes))
    shown = [
        TermsChangeShown(
            number=number,
            at=times[each.reason.text],
            by=each.by,
            by_name=staff.get(each.by),
            reason=said.get(each.reason.text),
            changed=tuple(
                TermChanged(member=member, before=before, after=after)
                for member, before, after in members_that_differ(each.before, each.after)
            ),
        )
        for number, each in page.items
        if each.reason.text in times
    ]
    return pages.answer(Page(items=shown, next_cursor=page.next_cursor))


async def _times(
    shell: Shell, place: TournamentPlace, changes: Sequence[TermsChange]
) -> dict[TextId, datetime]:
    """
    Return the times of *changes* by the texts of their reasons, which no two changes share.

    A change is missing if its event was voided after this process read the state.
    """
    wanted = {each.reason.text for each in changes}
    kinds, codec, number = [tag_of(TermsChanged)], shell.runtime.writer.codec, len(wanted)
    away = await voided(shell.pool, place.league) if wanted else frozenset()
    times: dict[TextId, datetime] = {}
    while not wanted <= times.keys():
        rows = await read_last_of_types(shell.pool, place.league, place.stream, kinds, 0, number)
        for row in rows:
            if row.position not in away:
                event = codec.public(row.stream, row.type, row.schema_version, row.data)
                if isinstance(event, TermsChanged):
                    times[event.reason.text] = row.at
        if len(rows) < number:
            break
        number *= 2
    return times
