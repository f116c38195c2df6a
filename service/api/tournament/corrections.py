"""Correcting the result of a tournament. Staff who were entered in it may not correct it."""

from typing import Annotated, Literal

import msgspec
from litestar import Response
from msgspec import Meta

from engine.tournament import decider
from engine.tournament.model.commands.correcting import CorrectResult, Forfeit, Reaward
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.state import Finished, entry_of
from engine.tournament.model.values import Award, Payout, Placing
from engine.values import EntrantId, PlayerId
from service.api.http.access.phases import entries_of, payouts_of, placings_of
from service.api.http.access.rights import TournamentPlace
from service.api.http.operations import operation
from service.api.http.reading.called import names_at, names_of
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.writing.reasons import signed
from service.api.http.writing.submitting import Order, answer
from service.director.corrections import counted_still
from service.log.writer import States, StreamEvents
from service.people.texts import Written, words

Entrants = tuple[Annotated[str, Meta(pattern="^ent_[0-9a-f]{32}$")], ...]


class CorrectionWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The complete order of finish, winner first. Entrants in one group share their places."""

    order: tuple[Entrants, ...]
    """Groups of entrants, winner first. Every entrant stands in exactly one group."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""


class ForfeitWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The entrant that loses its result and prize."""

    entrant: str
    """The entrant that loses its result."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""


class RewardWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The new division of the money paid out. An entrant without an award gets nothing."""

    awards: tuple[Award, ...]
    """The new payout of each entrant who gets one."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""


class Corrected(msgspec.Struct, kw_only=True):
    """The result after a correction."""

    tournament: str
    number: int
    """Counts the corrections of this tournament from 1, or 0 if the result did not change."""
    placings: tuple[Placing, ...]
    """The places that count now, best first."""

    payouts: tuple[Payout, ...]
    """The payouts that count now."""

    position: str | None = None


class CorrectionShown(msgspec.Struct, kw_only=True):
    """One correction, with the result after it."""

    number: int
    """Counts the corrections of this tournament from 1."""

    kind: Literal["correction", "forfeit", "reaward"]
    """The kind of the correction."""

    by: str
    """The player who corrected the result."""

    by_name: str | None
    """The name of that player now."""

    names: dict[str, str]
    """The names of the players now, by entrant."""

    reason: str | None
    """Null once it is erased."""
    placings: tuple[Placing, ...]
    """The places after this correction."""

    payouts: tuple[Payout, ...]
    """The payouts after this correction."""

    forfeited: tuple[str, ...]
    """The entrants whose results are forfeited after this correction."""


_PROBLEMS = (
    "forbidden", "tournament_not_finished", "correction_invalid", "frozen", "season_closed",
    "text_forged",
)  # fmt: skip


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/corrections", "correct_result",
    "Correct the order of finish. Prizes and points follow the new order.",
    scope="tournaments:manage", needs="report_results",
    answer=Corrected, status=201, problems=_PROBLEMS, dry_run=True,
    key_required=True,
    precondition="demanded",
)  # fmt: skip
async def correct_result(
    shell: Shell, body: CorrectionWanted, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Append the corrected result. The old one stays in the log."""
    command = CorrectResult(
        order=tuple(tuple(EntrantId(each) for each in group) for group in body.order),
        **await signed(shell, place.league, order, body.reason),
    )
    return await _corrected(shell, place, place.id, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/forfeits", "forfeit_result",
    "Forfeit an entrant's result: last place and no prize. Everyone below moves up.",
    scope="tournaments:manage", needs="report_results",
    answer=Corrected, status=201, problems=_PROBLEMS, dry_run=True,
    key_required=True,
    precondition="demanded",
)  # fmt: skip
async def forfeit_result(
    shell: Shell, body: ForfeitWanted, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Append the result that follows from the forfeit."""
    entrant = EntrantId(body.entrant)
    about = _player_of(place, entrant)
    command = Forfeit(
        entrant=entrant,
        **await signed(shell, place.league, order, body.reason, about=about),
    )
    return await _corrected(shell, place, place.id, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/awards", "award_anew",
    "Divide the money paid out in another way. The places stay.",
    scope="tournaments:manage", needs="report_results",
    answer=Corrected, status=201, problems=_PROBLEMS, dry_run=True,
    key_required=True,
    precondition="demanded",
)  # fmt: skip
async def award_anew(
    shell: Shell, body: RewardWanted, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Append the result with the new payouts."""
    command = Reaward(awards=body.awards, **await signed(shell, place.league, order, body.reason))
    return await _corrected(shell, place, place.id, order, command)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/corrections", "list_corrections",
    "List the corrections of a result, with their reasons.",
    scope="leagues:read", needs="read_league", answer=Page[CorrectionShown],
    problems=("invalid_cursor", "text_forged"),
)  # fmt: skip
async def list_corrections(place: TournamentPlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """Read the corrections from the aggregate, in order of their numbers."""
    found = place.state.corrections if isinstance(place.state, Finished) else ()
    said = await words(shell.engine, [each.reason for each in found])
    staff = await names_of(shell, (each.by for each in found))
    called = await names_at(shell, place.state, (each.entrant for each in entries_of(place.state)))
    shown = [
        CorrectionShown(
            number=each.number,
            kind=each.kind,
            by=each.by,
            by_name=staff.get(each.by),
            names=called,
            reason=said.get(each.reason.text),
            placings=each.placings,
            payouts=each.payouts,
            forfeited=each.forfeited,
        )
        for each in found
    ]
    paged = await pages.live(place.league, f"corrections {place.id}", int)
    return pages.answer(paged.cut(shown, lambda each: (each.number,)))


def _player_of(place: TournamentPlace, entrant: EntrantId) -> PlayerId | None:
    found = entry_of(place.state, entrant) if isinstance(place.state, Finished) else None
    return None if found is None else found.player


async def _corrected(
    shell: Shell,
    place: TournamentPlace,
    tournament_id: str,
    order: Order,
    command: CorrectResult | Forfeit | Reaward,
) -> Response[bytes]:
    async def decide(states: States) -> list[StreamEvents]:
        state = (await states.load(place.stream)).state
        entries = [StreamEvents(place.stream, decider.decide(state, command))]
        return [*entries, *await counted_still(states, place.stream, entries, command.now)]

    receipt = await shell.runtime.writer.submit(place.league, order, decide)
    events = [each.event for each in receipt.recorded if isinstance(each.event, ResultCorrected)]
    content = {
        "tournament": tournament_id,
        "number": events[0].number if events else 0,
        "placings": events[0].placings if events else placings_of(place.state),
        "payouts": events[0].payouts if events else payouts_of(place.state),
    }
    return answer(receipt, content, version_of=place.stream)
