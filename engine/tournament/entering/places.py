"""
Places before play begins: entries, the waitlist, and offers of free places.

The first on the waitlist gets the first offer. An offered place stays taken until the answer.

Source: rulebook ``waitlist`` and ``entry.approval``.
"""

from datetime import datetime, timedelta

from engine.tournament.evolve.tournament import after
from engine.tournament.model.acting import acting
from engine.tournament.model.commands import Register, Withdraw
from engine.tournament.model.commands.entering import (
    AnswerOffer,
    Approve,
    CloseRegistration,
    ExpireOffer,
    Refuse,
)
from engine.tournament.model.errors import (
    AlreadyEntered,
    BotsForbidden,
    BotsOnly,
    EntrantUnknown,
    RegistrationOver,
    TournamentFull,
)
from engine.tournament.model.errors.entering import (
    ApplicantUnknown,
    EntryRefused,
    NoOffer,
    OfferExpired,
)
from engine.tournament.model.events import (
    EntrantRegistered,
    EntrantWithdrawn,
    Event,
    RegistrationClosed,
    TournamentAnnounced,
)
from engine.tournament.model.events.entering import (
    EntrantWaitlisted,
    EntryApproved,
    EntryRequested,
    EntryRequestWithdrawn,
    OfferWithdrawn,
    PlaceOffered,
    WaitlistLeft,
)
from engine.tournament.model.events.entering import EntryRefused as EntryWasRefused
from engine.tournament.model.state import (
    Registering,
    Running,
    State,
    entry_of,
    phase_of,
    registering_of,
)
from engine.tournament.model.state.entering import Entering
from engine.tournament.model.terms import one_table
from engine.tournament.model.terms.announced import closes_at
from engine.tournament.model.values.entering import Applicant
from engine.values import PlayerId


def capacity(terms: TournamentAnnounced) -> int:
    """Return the most entrants who may be in at once."""
    if one_table(terms.format, terms.ruleset):
        return min(terms.entrants_max, terms.table_seats)
    return terms.entrants_max


def check_bot(terms: TournamentAnnounced, *, bot: bool) -> None:
    """Raise BotsForbidden or BotsOnly if the terms exclude such an entrant."""
    if bot and terms.bots == "forbidden":
        raise BotsForbidden
    if not bot and terms.bots == "only":
        raise BotsOnly


def check_outside(entering: Entering, player: PlayerId) -> None:
    """Raise AlreadyEntered or EntryRefused if *player* waits, has applied, or was refused."""
    for each in (*entering.waiting, *entering.applicants):
        if each.player == player:
            raise EntryRefused if each.refused is not None else AlreadyEntered


def known(entering: Entering, command: Register) -> bool:
    """Return whether *command* was carried out before: its entrant waits, or has applied."""
    found = entering.waiter(command.entrant) or entering.applicant(command.entrant)
    return found is not None and found.player == command.player


def applicant_of(command: Register) -> Applicant:
    """Return the applicant that *command* names."""
    return Applicant(entrant=command.entrant, player=command.player, bot=command.bot)


def requested(newcomer: Applicant) -> EntryRequested:
    """Return an application for a director's approval."""
    return EntryRequested(
        entrant=newcomer.entrant, player=newcomer.player, bot=newcomer.bot, rule="entry.approval"
    )


def lined_up(
    terms: TournamentAnnounced, entering: Entering, who: Applicant, by: PlayerId | None = None
) -> EntrantWaitlisted:
    """
    Return the next waitlist position, for *who*.

    Args:
        by: The member of staff who acts for the player, if any.

    Raises:
        TournamentFull: If there is no waitlist.
    """
    if not terms.entry.waitlist:
        raise TournamentFull(entrants_max=terms.entrants_max)
    return EntrantWaitlisted(
        entrant=who.entrant,
        player=who.player,
        bot=who.bot,
        number=entering.lined_up + 1,
        by=by,
        rule="waitlist",
    )


def register(state: State, command: Register) -> tuple[Event, ...]:
    """Return the entry of a player, or a waitlist position, or an application."""
    registering = registering_of(state)
    terms, entering = registering.terms, registering.entering
    mine = entry_of(registering, command.entrant)
    if known(entering, command) or (mine is not None and mine.player == command.player):
        return ()
    if mine is not None or any(each.player == command.player for each in registering.entrants):
        raise AlreadyEntered
    check_outside(entering, command.player)
    early = terms.entry.registration_closes_before_seconds > 0
    if registering.closed or (early and command.now >= closes_at(terms)):
        raise RegistrationOver(phase=phase_of(state))
    check_bot(terms, bot=command.bot)
    newcomer, by = applicant_of(command), acting(command.by, command.player)
    if terms.entry.approval and by is None:
        return (requested(newcomer),)
    return (_admitted(registering, newcomer, by),)


def _admitted(
    state: Registering, who: Applicant, by: PlayerId | None = None
) -> EntrantRegistered | EntrantWaitlisted:
    """Return a place for *who*, or a waitlist position if others wait or no place is free."""
    unasked = [each for each in state.entering.waiting if each.offered_until is None]
    if unasked or _free(state) < 1:
        return lined_up(state.terms, state.entering, who, by)
    return registered(state, who, by)


def registered(
    state: Registering | Running, who: Applicant, by: PlayerId | None = None
) -> EntrantRegistered:
    """Return the entry of *who*, with the next registration number."""
    return EntrantRegistered(
        entrant=who.entrant, player=who.player, bot=who.bot, number=state.registered + 1, by=by
    )


def _free(state: Registering) -> int:
    return capacity(state.terms) - len(state.entrants) - len(state.entering.offers())


def approve(state: Registering, command: Approve) -> tuple[Event, ...]:
    """
    Return the entry, or the waitlist position, of an approved applicant.

    Raises:
        ApplicantUnknown: If the entrant does not wait for approval.
        RegistrationOver: If registration has closed.
    """
    if entry_of(state, command.entrant) or state.entering.waiter(command.entrant):
        return ()
    who = state.entering.applicant(command.entrant)
    if who is None:
        raise ApplicantUnknown
    if state.closed:
        raise RegistrationOver(phase=phase_of(state))
    approved = EntryApproved(entrant=who.entrant, rule="entry.approval")
    return (approved, _admitted(state, who))


def refuse(state: Registering | Running, command: Refuse) -> tuple[EntryWasRefused, ...]:
    """
    Return the refusal of an applicant. A director may still approve the applicant later.

    Raises:
        ApplicantUnknown: If the entrant does not wait for approval.
    """
    who = state.entering.applicant(command.entrant)
    if who is None:
        raise ApplicantUnknown
    if who.refused is not None:
        return ()
    return (EntryWasRefused(entrant=who.entrant, reason=command.reason, rule="entry.approval"),)


def withdraw(state: State, command: Withdraw) -> tuple[Event, ...]:
    """
    Return the events that withdraw an entry, a waitlist position or an application.

    A place that becomes free is offered to the next on the waitlist.

    Raises:
        EntrantUnknown: If the entry is unknown.
        RegistrationOver: If play has begun. The table then plays for an absent entrant.
    """
    entering = state.entering if isinstance(state, Registering | Running) else Entering()
    asking = entering.applicant(command.entrant)
    if asking is not None and asking.refused is None:
        by = acting(command.by, asking.player)
        return (EntryRequestWithdrawn(entrant=command.entrant, by=by),)
    waiter = entering.waiter(command.entrant)
    if waiter is not None:
        by = acting(command.by, waiter.player)
        left = WaitlistLeft(entrant=command.entrant, cause="withdrawn", by=by, rule="waitlist")
        return with_offers(state, (left,), command.now)
    registering = registering_of(state)
    entry = entry_of(registering, command.entrant)
    if entry is None:
        raise EntrantUnknown
    gone = EntrantWithdrawn(entrant=command.entrant, by=acting(command.by, entry.player))
    return with_offers(state, (gone,), command.now)


def answer(state: State, command: AnswerOffer) -> tuple[Event, ...]:
    """
    Return the entry of a player who accepts an offer, or the next offer.

    Raises:
        NoOffer: If no place is offered to this entrant.
        OfferExpired: If the answer comes after the offer has ended.
    """
    registering = registering_of(state)
    if command.accepted and entry_of(registering, command.entrant) is not None:
        return ()
    who = registering.entering.waiter(command.entrant)
    if who is None or who.offered_until is None:
        raise NoOffer
    if command.now > who.offered_until:
        raise OfferExpired(until=who.offered_until)
    if command.accepted:
        return (registered(registering, who),)
    left = WaitlistLeft(entrant=who.entrant, cause="declined", by=None, rule="waitlist.offer")
    return with_offers(state, (left,), command.now)


def expire(state: State, command: ExpireOffer) -> tuple[Event, ...]:
    """
    Return the end of an unanswered offer, followed by the next offer.

    The offer ended at its instant even if this command comes late. The next one has the full time.
    """
    who = state.entering.waiter(command.entrant) if isinstance(state, Registering) else None
    if who is None or who.offered_until is None or command.now <= who.offered_until:
        return ()
    return with_offers(state, (_expired(who),), command.now)


def _expired(who: Applicant) -> WaitlistLeft:
    return WaitlistLeft(entrant=who.entrant, cause="expired", by=None, rule="waitlist.expired")


def with_offers(state: State, events: tuple[Event, ...], now: datetime) -> tuple[Event, ...]:
    """Return *events*, followed by offers of the places that are free after them."""
    then = after(state, events)
    if not isinstance(then, Registering) or then.closed:
        return events
    until = min(now + timedelta(seconds=then.terms.entry.offer_seconds), closes_at(then.terms))
    if until <= now:
        return events
    unasked = [each.entrant for each in then.entering.waiting if each.offered_until is None]
    offers = tuple(
        PlaceOffered(
            entrant=entrant, until=until, candidates=tuple(unasked[index:]), rule="waitlist.offer"
        )
        for index, entrant in enumerate(unasked[: max(_free(then), 0)])
    )
    return (*events, *offers)


def close(state: State, command: CloseRegistration) -> tuple[Event, ...]:
    """
    Return the events that close registration. Players on the waitlist keep their positions.

    Raises:
        RegistrationOver: If the tournament has started without late registration, or is over.
    """
    if isinstance(state, Running):
        return ()
    registering = registering_of(state)
    due = closes_at(registering.terms)
    if registering.closed or (command.scheduled and command.now < due):
        return ()
    ended = offers_ended(registering, command.now)
    return (*ended, RegistrationClosed(entrants=len(registering.entrants)))


def offers_ended(state: Registering, now: datetime) -> tuple[WaitlistLeft | OfferWithdrawn, ...]:
    """Return the events that end open offers when registration closes."""
    return tuple(
        _expired(each)
        if each.offered_until is not None and each.offered_until <= now
        else OfferWithdrawn(entrant=each.entrant, rule="registration.closed")
        for each in state.entering.offers()
    )
