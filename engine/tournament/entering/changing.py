"""
Changes of announced terms: the start, the number of places, late registration and the prizes.

The ruleset never changes. Nobody who has entered loses the place, and until the start everybody may
withdraw.

Source: rulebook ``terms.changed``.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import zip_longest

from msgspec.structs import asdict, fields, replace

from engine.errors import Wording
from engine.kit.house_bots import is_house_bot
from engine.rulesets.structure import counts_per_table
from engine.tournament.entering.announcing import check_terms
from engine.tournament.entering.checking_in import check_in_opens_at
from engine.tournament.entering.late import is_over
from engine.tournament.entering.places import with_offers
from engine.tournament.model.commands.entering import ChangeTerms
from engine.tournament.model.errors import (
    TermsContradict,
    TermsInvalid,
    TournamentNotAnnounced,
    TournamentOver,
)
from engine.tournament.model.errors.entering import (
    FeesFixed,
    LateEntryFixed,
    PrizesFixed,
    StartFixed,
    TermsFixed,
)
from engine.tournament.model.events import Event, TournamentAnnounced
from engine.tournament.model.events.entering import TermsChanged
from engine.tournament.model.state import (
    Announced,
    Drafted,
    Registering,
    Running,
    State,
    Unannounced,
    entries_of,
    phase_of,
)
from engine.tournament.model.terms import EntryTerms, FeeTerms, Rounds
from engine.tournament.model.terms.announced import closes_at
from engine.tournament.model.terms.changeable import ChangeableTerms
from engine.tournament.model.values import Entry
from engine.tournament.model.values.entering import Applicant
from engine.tournament.money.pool import amounts_of
from engine.tournament.seating.draw import tables_for, tables_needed

Known = Announced | Registering | Running
"""A tournament whose terms may change."""

_PRIZES = ("guaranteed", "table", "amounts", "paid_percent", "unit")
"""The members of the fees that say what places are worth. All others are prices and policies."""

_LATE = ("late_registration_level", "late_registration_seconds", "re_entries_max")


def change(state: State, command: ChangeTerms) -> tuple[Event, ...]:
    """
    Return the new terms and the offers that follow, or nothing if the terms stay as they are.

    Raises:
        TournamentNotAnnounced: If the tournament is a draft, or was never announced.
        TournamentOver: If the tournament is finished or cancelled.
        TermsInvalid: If a term is not sound, or an instant has passed.
        TermsContradict: If two terms contradict each other.
        StartFixed: If play has begun.
        FeesFixed: If somebody has entered at the announced price.
        PrizesFixed: If registration has closed and a place would be worth less.
        LateEntryFixed: If play has begun and late registration cannot change in this way.
        TermsFixed: If another member can no longer change.
    """
    known = _known(state)
    old, new = known.terms, changed(known.terms, command.terms)
    if new == old:
        return ()
    check_terms(new)
    _check_instants(known, new, command.now)
    _check_places(old, new)
    _check_fees(known, new)
    if isinstance(known, Running):
        _check_in_play(known, new, command.now)
    if not isinstance(known, Announced):
        _check_prizes(known, new, command.now)
    return with_offers(state, (_event(known, new, command),), command.now)


def changed(terms: TournamentAnnounced, wanted: ChangeableTerms) -> TournamentAnnounced:
    """Return *terms* with the members of *wanted*, and with the hours that move with the start."""
    later = wanted.starts_at - terms.starts_at
    floor, plan = terms.floor, terms.format
    if floor.last_hands_at is not None:
        floor = replace(floor, last_hands_at=floor.last_hands_at + later)
    if isinstance(plan, Rounds):
        plan = replace(plan, starts_at=tuple(each + later for each in plan.starts_at))
    return replace(terms, **asdict(wanted), floor=floor, format=plan)


def _known(state: State) -> Known:
    if isinstance(state, Unannounced | Drafted):
        raise TournamentNotAnnounced
    if not isinstance(state, Announced | Registering | Running):
        raise TournamentOver(phase=phase_of(state))
    return state


def _event(state: Known, new: TournamentAnnounced, command: ChangeTerms) -> TermsChanged:
    opens_at = check_in_opens_at(new)
    return TermsChanged(
        **asdict(new),
        by=command.by,
        reason=command.reason,
        check_in_again=(
            isinstance(state, Registering)
            and state.entering.check_in_opened
            and opens_at is not None
            and command.now < opens_at
        ),
        late_registration_until=_late_until(state, new.entry),
        rule="terms.changed",
    )


def _late_until(state: Known, entry: EntryTerms) -> datetime | None:
    """Return the end of late registration by time. It counts from the start of play as before."""
    until = state.entering.late_until
    old, seconds = state.terms.entry.late_registration_seconds, entry.late_registration_seconds
    if until is None or old is None or seconds is None:
        return None
    return until + timedelta(seconds=seconds - old)


def _check_instants(state: Known, new: TournamentAnnounced, now: datetime) -> None:
    """Check that instants change only while they lie ahead. Source: rulebook ``terms.start``."""
    old = state.terms
    if new.starts_at != old.starts_at:
        if isinstance(state, Running):
            raise StartFixed
        if new.starts_at <= now:
            raise TermsInvalid(field="starts_at", problem=Wording("must lie in the future"))
    opens_at = new.registration_opens_at
    if opens_at == old.registration_opens_at:
        return
    if not isinstance(state, Announced):
        raise TermsFixed(field="registration_opens_at", problem=Wording("registration has opened"))
    if opens_at is None or opens_at <= now:
        raise TermsInvalid(field="registration_opens_at", problem=Wording("must lie in the future"))


def _check_places(old: TournamentAnnounced, new: TournamentAnnounced) -> None:
    """
    Check that a larger number of places does not give each table forced bets of its own.

    Source: rulebook ``terms.places``.
    """
    if counts_per_table(new.ruleset) and _tables(old) == 1 < _tables(new):
        raise TermsContradict(
            field="entrants_max",
            other="ruleset.escalation",
            problem=Wording(
                "each table would raise its forced bets by itself, and the ruleset stays"
            ),
        )


def _tables(terms: TournamentAnnounced) -> int:
    if isinstance(terms.format, Rounds) or terms.entry.late:
        return tables_needed(terms.entrants_max, table_seats=terms.table_seats)
    return tables_for(terms, terms.entrants_max)


def _check_fees(state: Known, new: TournamentAnnounced) -> None:
    """Check that nobody has entered or waits at other fees. Source: rulebook ``terms.fees``."""
    old, entering = state.terms, state.entering
    known = not isinstance(state, Announced) and state.registered > 0
    if not known and not entering.waiting and not entering.applicants:
        return
    for name in _differing(_priced(old.fees), _priced(new.fees)):
        raise FeesFixed(field=f"fees.{name}")
    # Rulebook ``entry.house_bots``: they play for no money, and those in line may get a place.
    present: tuple[Entry | Applicant, ...]
    present = (*entries_of(state), *entering.waiting, *entering.applicants)
    house = any(is_house_bot(each.player) for each in present)
    if (old.currency is not None or house) and new.currency != old.currency:
        raise FeesFixed(field="currency")


def _priced(fees: FeeTerms) -> FeeTerms:
    """Return *fees* without what places are worth."""
    return replace(fees, **{name: getattr(FeeTerms(), name) for name in _PRIZES})


def _check_in_play(state: Running, new: TournamentAnnounced, now: datetime) -> None:
    """Check that only late registration changes of the entry. Source: rulebook ``terms.late``."""
    old = state.terms
    if new.entrants_min != old.entrants_min:
        raise TermsFixed(field="entrants_min", problem=Wording("play has begun"))
    for name in _differing(old.entry, new.entry):
        if name not in _LATE:
            raise TermsFixed(field=f"entry.{name}", problem=Wording("play has begun"))
        _check_late(state, new.entry, f"entry.{name}", now)


def _check_late(state: Running, entry: EntryTerms, field: str, now: datetime) -> None:
    if is_over(state, now):
        raise LateEntryFixed(
            field=field, problem=Wording("late registration is over, or never began")
        )
    old = state.terms.entry
    if _ends_by(entry) != _ends_by(old):
        raise LateEntryFixed(
            field=field,
            problem=Wording("in play, late registration ends by a level or by time as before"),
        )
    level, until = entry.late_registration_level, _late_until(state, entry)
    passed = level is not None and state.clock is not None and state.clock.level > level
    if passed or (until is not None and until <= now):
        raise LateEntryFixed(
            field=field, problem=Wording("it would be over already: close it instead")
        )


def _ends_by(entry: EntryTerms) -> tuple[bool, bool]:
    """Return whether late registration ends with a level, and whether it ends after a time."""
    return entry.late_registration_level is not None, entry.late_registration_seconds is not None


def _check_prizes(state: Registering | Running, new: TournamentAnnounced, now: datetime) -> None:
    """
    Check that no prize becomes lower once registration has closed, or while a deal divides them.

    Source: rulebook ``terms.prizes``.
    """
    old = state.terms
    names = [name for name in ("payouts", "prize_pool") if getattr(old, name) != getattr(new, name)]
    names += [f"fees.{name}" for name in _differing(old.fees, new.fees) if name in _PRIZES]
    if not names or not _closed(state, now):
        return
    if isinstance(state, Running) and (
        state.books.offer is not None or state.books.deal is not None
    ):
        raise PrizesFixed(field=names[0], problem=Wording("a payout deal divides them"))
    if old.currency is None:
        return  # there were no prizes
    for name in names:
        if name not in ("prize_pool", "fees.guaranteed"):
            raise PrizesFixed(
                field=name, problem=Wording("registration has closed, and the shares stay")
            )
    if new.prize_pool < old.prize_pool:
        raise PrizesFixed(
            field="prize_pool", problem=Wording("registration has closed: it may only rise")
        )
    if new.fees.guaranteed < old.fees.guaranteed:
        raise PrizesFixed(
            field="fees.guaranteed", problem=Wording("registration has closed: it may only rise")
        )
    after = amounts_of(replace(state, terms=new))
    for place, (was, now_worth) in enumerate(
        zip_longest(amounts_of(state), after, fillvalue=0), start=1
    ):
        if now_worth < was:
            raise PrizesFixed(
                field=names[0],
                problem=Wording(
                    f"place {place} would be worth {now_worth} and not {was}, by rounding"
                ),
            )


def _closed(state: Registering | Running, now: datetime) -> bool:
    """Return whether registration has closed, even if no event has closed it yet."""
    return isinstance(state, Running) or state.closed or now >= closes_at(state.terms)


def _differing(one: FeeTerms | EntryTerms, other: FeeTerms | EntryTerms) -> Iterator[str]:
    """Yield the names of the members in which two structs of one type differ."""
    for each in fields(one):
        if getattr(one, each.name) != getattr(other, each.name):
            yield each.name
