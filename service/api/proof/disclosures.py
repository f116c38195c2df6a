"""Disclosures: one auditor may open hidden values of a dispute for a time, on record."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from litestar import Response
from msgspec import Meta

from engine.dispute.commands import GrantDisclosure, UseDisclosure
from engine.dispute.errors import DisputeInvalid, NotDisclosed
from engine.errors import Wording
from engine.league.roles import may
from engine.league.state import Created
from engine.tournament.model.state import Finished
from engine.values import PlayerId, stream_of
from service.announcing.inputs import Instant, in_utc
from service.api.http.access.entered import identifiers_of, is_entered
from service.api.http.access.rights import DisputePlace
from service.api.http.declaring.declaration import OnPeople
from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.writing.reasons import keep
from service.api.http.writing.submitting import Order, answer, decide_one
from service.api.proof.dispute_shapes import DisputeChanged
from service.api.proof.disputes import changed, demand_uninvolved
from service.base.errors import NotOver
from service.director.disputes.evidence import stretch_of
from service.director.disputes.opening import Opened, of_masters, of_stretch
from service.people.texts import Written
from service.people.tokens import Principal
from service.projections.reads import queries

What = Literal["hand", "masters"]


class DisclosureWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A disclosure to grant: auditor, values, end and reason."""

    auditor: Annotated[str, Meta(pattern="^plr_[0-9a-f]{32}$")]
    """The auditor, who may not be entered in the disputed tournament."""

    what: What = "hand"
    """`hand` discloses the disputed hand's hidden values, `masters` those of the tournament."""

    until: Instant
    """The end of the disclosure, in the future."""

    reason: Written
    """The reason, 1 to 2000 characters. Members of the league can read it."""

    def __post_init__(self) -> None:
        """Convert ``until`` to UTC, which the log uses."""
        self.until = in_utc(self.until)


class DisclosedWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The values to open: the disputed hand or the masters."""

    what: What = "hand"
    """`hand` opens the disputed hand's hidden values, `masters` those of the tournament."""


class ValuesShown(msgspec.Struct, kw_only=True):
    """Opened hidden values. The log records their opening."""

    id: str
    """The dispute, `dsp_…`."""

    until: datetime
    """The end of the disclosure."""

    values: tuple[Opened, ...]
    """The opened values, in the order of the log."""

    position: str | None = None


class DisclosureShown(msgspec.Struct, kw_only=True):
    """A granted disclosure, with the time of each use."""

    number: int
    """Counts the disclosures of the dispute from 1."""

    auditor: str
    """The player who may open the values."""

    what: What
    """`hand` or `masters`."""

    subject: str
    """The hand or tournament whose values are disclosed."""

    by: str
    """The referee who granted it."""

    until: datetime
    """The end of the disclosure."""

    used: tuple[datetime, ...]
    """The time of each use."""


@operation(
    "POST", "/v1/disputes/{dispute_id:str}/disclosures", "grant_disclosure",
    "Let one auditor open the disputed hand's hidden values, or the masters, for a time.",
    needs="rule_disputes", scope="hands:audit", answer=DisputeChanged,
    status=201, key_required=True,
    problems=("forbidden", "dispute_invalid", "another_person_needed", "text_forged"),
    on_people=OnPeople("disclosure", "lets an auditor open sealed values", "rule_disputes"),
)  # fmt: skip
async def grant_disclosure(
    body: DisclosureWanted,
    place: DisputePlace,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Grant the disclosure to an auditor who does not play in the disputed tournament."""
    await demand_uninvolved(shell, principal, place)
    subject = place.state.opened.subject
    await _demand_auditor(shell, place, body.auditor)
    about = subject.hand if body.what == "hand" else subject.tournament
    command = GrantDisclosure(
        auditor=PlayerId(body.auditor),
        what=body.what,
        subject=str(about),
        until=body.until,
        by=PlayerId(principal.account.player),
        reason=await keep(shell, place.league, order, body.reason),
        now=order.received_at,
    )
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    return await changed(shell, place, receipt, 201)


@operation(
    "GET", "/v1/disputes/{dispute_id:str}/disclosures", "list_disclosures",
    "List the disclosures of a dispute, with their uses.",
    needs="read_league", scope="leagues:read", answer=Page[DisclosureShown],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_disclosures(place: DisputePlace, pages: Pages) -> Response[bytes]:
    """List the disclosures in order. Every member may see that somebody looked."""
    state = place.state
    shown = [
        DisclosureShown(
            number=number,
            auditor=each.auditor,
            what=each.what,
            subject=each.subject,
            by=each.by,
            until=each.until,
            used=tuple(
                used.at
                for used in state.used
                if (used.by, used.what, used.expires_at) == (each.auditor, each.what, each.until)
            ),
        )
        for number, each in enumerate(state.disclosures, 1)
    ]
    paged = await pages.live(place.league, f"disclosures {place.id}", int)
    return pages.answer(paged.cut(shown, lambda each: (each.number,)))


@operation(
    "POST", "/v1/disputes/{dispute_id:str}/openings", "open_disclosed",
    "Open the values disclosed to me. Each opening is an event of the dispute.",
    needs="audit_hands", scope="hands:audit", answer=ValuesShown, status=201,
    key_required=True, problems=("forbidden", "not_disclosed", "not_over", "another_person_needed"),
)  # fmt: skip
async def open_disclosed(
    body: DisclosedWanted,
    place: DisputePlace,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Record the opening, then show the values. The hand, or the tournament, must be over."""
    await demand_uninvolved(shell, principal, place)
    subject, player = place.state.opened.subject, PlayerId(principal.account.player)
    about = str(subject.hand if body.what == "hand" else subject.tournament)
    if place.state.disclosed(player, body.what, about, shell.now()) is None:
        raise NotDisclosed
    await _demand_over(shell, place, body.what)
    command = UseDisclosure(by=player, what=body.what, subject=about, now=order.received_at)
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    if body.what == "hand":
        where = await stretch_of(shell.engine, subject)
        values = await of_stretch(shell.runtime, place.league, where)
    else:
        values = await of_masters(shell.runtime, place.league, about)
    content = {"id": place.id, "until": receipt.recorded[0].event.expires_at, "values": values}
    return answer(receipt, content, 201, version_of=place.stream)


async def _demand_auditor(shell: Shell, place: DisputePlace, player: str) -> None:
    """
    Check that *player* may audit the disputed tournament.

    Raises:
        DisputeInvalid: If the role does not allow it, or *player* counts as entered there, or
            was the claimant under another identifier.
    """
    writer = shell.runtime.writer
    league = (await writer.load(place.league, stream_of(place.league))).state
    role = league.role_of(PlayerId(player)) if isinstance(league, Created) else None
    subject, entered = place.state.opened.subject, False
    if subject.tournament is not None:
        there = stream_of(subject.tournament)
        state = (await writer.load(place.league, there)).state
        entered = await is_entered(shell, place.league, state, player)
    claimant = place.state.opened.claimant
    merged = claimant != player and claimant in await identifiers_of(shell, place.league, player)
    if merged or not may(role, "audit_hands", entered=entered):
        raise DisputeInvalid(problem=Wording("this person may not audit here"))


async def _demand_over(shell: Shell, place: DisputePlace, what: What) -> None:
    """
    Check that nobody still plays with the values to be opened.

    Raises:
        NotOver: If the hand, or for masters the tournament, is still in play.
    """
    subject = place.state.opened.subject
    if what == "masters":
        there = stream_of(str(subject.tournament))
        if not isinstance((await shell.runtime.writer.load(place.league, there)).state, Finished):
            raise NotOver("the tournament is not over")
        return
    async with shell.engine.connect() as connection:
        row = await queries.hand(connection, str(subject.hand))
    if row is None or row.state != "settled":
        raise NotOver("the hand is not settled yet")
