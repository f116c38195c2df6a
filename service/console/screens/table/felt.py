"""The drawing of a table: seats in a ring, the viewer's at the bottom, and the middle."""

from collections.abc import Container, Mapping

import msgspec

from engine.table.read.view_parts import LastHandView, RoundView, SeatView, TableView

DEALT = 5
"""Cards dealt to a seat in Coruscant Shift. Other players see only their backs."""


class SeatShown(msgspec.Struct, frozen=True, kw_only=True):
    """A seat in the ring."""

    number: int
    """The number of the seat at the table."""

    name: str
    page: str | None
    """The player's page, or null if names are no links here."""

    mine: bool
    stack: int
    put_in: int
    """Chips put into the street."""

    state: str
    """``live``, ``all_in``, ``folded``, ``out`` of the hand, or ``idle`` between hands."""

    disqualified: bool
    """True for a player who keeps the seat only until the hand in play ends."""

    acting: bool
    """True if the table waits for the seat."""

    answered: bool
    away: bool
    marks: tuple[str, ...]
    """``button``, ``small``, ``big``, ``caller``."""

    up: tuple[str, ...]
    """Cards that everybody sees."""

    down: int
    """Number of cards that lie face down."""

    total: int | None
    """The total of the cards, if it is public."""

    name_of_hand: str | None
    won: int
    """Chips won with the hand that has just ended, or 0."""


class Felt(msgspec.Struct, frozen=True, kw_only=True):
    """The table as its viewer sees it."""

    number: int
    hand_number: int
    chips: bool
    """False in a game that counts hands instead of chips."""

    seats: tuple[SeatShown, ...]
    """The seats clockwise, beginning with the viewer's, which is at the bottom."""

    pot: int
    """Chips in all pots."""

    side_pots: tuple[int, ...]
    """The pots one by one, if there are several and somebody is all-in."""

    current_bet: int
    carry: int
    sabacc_pot: int | None
    """Null in a game without a Sabacc pot."""

    target: int | None
    suit: str | None
    rounds: RoundView | None
    dice: tuple[int, int] | None
    """The pair of dice rolled last, in a game of card turns."""

    phase: str | None
    held: bool
    """True while a director has stopped the table. The log's reason is a word for programs."""

    closed: bool


def felt_of(
    view: TableView,
    names: Mapping[str, str],
    seat: int | None,
    *,
    chips: bool,
    known: Mapping[int, tuple[str, ...]] | None = None,
    pages: Mapping[str, str] | None = None,
    disqualified: Container[str] = (),
) -> Felt:
    """
    Return the drawing of *view*, turned so that *seat* is at the bottom.

    Args:
        known: Cards that the viewer knows, by seat. They are drawn face up.
        pages: The page of each entrant's player, if names are to be links.
        disqualified: The entrants who keep their seats only until the hand in play ends.
    """
    places = sorted(view.seats, key=lambda each: each.seat)
    first = next((n for n, each in enumerate(places) if each.seat == seat), 0)
    ended, pots = _ended(view), tuple(each.chips for each in view.pots)
    return Felt(
        number=view.number,
        hand_number=view.hand_number,
        chips=chips,
        seats=tuple(
            _seat(
                view,
                each,
                names,
                each.seat == seat,
                (known or {}).get(each.seat, ()),
                (pages or {}).get(each.entrant),
                disqualified=each.entrant in disqualified,
            )
            for each in (*places[first:], *places[:first])
        ),
        pot=sum(pots),
        side_pots=pots if len(pots) > 1 and any(each.all_in for each in places) else (),
        current_bet=view.current_bet,
        carry=view.carry,
        sabacc_pot=view.sabacc_pot if view.sabacc_pot or view.rounds else None,
        target=view.target if ended is None else ended.target,
        suit=view.suit if ended is None else ended.suit,
        rounds=view.rounds,
        dice=view.rounds.rolls[-1] if view.rounds and view.rounds.rolls else None,
        phase=view.phase,
        held=view.held is not None,
        closed=view.closed,
    )


def _seat(
    view: TableView,
    seat: SeatView,
    names: Mapping[str, str],
    mine: bool,
    known: tuple[str, ...],
    page: str | None,
    *,
    disqualified: bool,
) -> SeatShown:
    ended = _ended(view)
    shown = seat.revealed
    if ended is not None:
        shown = next((each for each in ended.revealed if each.seat == seat.seat), None)
    up = (*seat.field, *known) if shown is None else shown.cards
    if ended is not None and ended.shown and seat.seat in ended.winners:
        up = ended.shown
    return SeatShown(
        number=seat.seat,
        name=names.get(seat.entrant, seat.entrant),
        page=page,
        mine=mine,
        stack=seat.stack,
        put_in=seat.put_in,
        state="idle" if view.hand is None else _state(seat),
        disqualified=disqualified,
        acting=view.decision is not None and seat.seat in view.decision.seats,
        answered=seat.answered,
        away=seat.away,
        marks=_marks(view, seat.seat),
        up=up,
        down=0 if shown or known else _down(view, seat),
        total=shown.total if shown else seat.announced,
        name_of_hand=shown.name if shown else None,
        won=0 if ended is None else _won(ended, seat.seat),
    )


def _ended(view: TableView) -> LastHandView | None:
    """Return the last hand while no other is in play, or None."""
    return view.last_hand if view.hand is None else None


def _state(seat: SeatView) -> str:
    if not seat.dealt:
        return "out"
    if not seat.live:
        return "folded"
    return "all_in" if seat.all_in else "live"


def _marks(view: TableView, seat: int) -> tuple[str, ...]:
    caller = view.rounds.caller if view.rounds else None
    named = (
        ("button", view.button),
        ("small", view.small_blind),
        ("big", view.big_blind),
        ("caller", caller),
    )
    return tuple(name for name, at in named if at == seat)


def _down(view: TableView, seat: SeatView) -> int:
    if view.hand is None or not seat.live:
        return 0
    if seat.card_count is not None:
        return seat.card_count - len(seat.field)
    return DEALT if seat.kept is None else seat.kept


def _won(ended: LastHandView, seat: int) -> int:
    paid = [share for award in ended.awards for share in award.winners]
    return sum(chips for at, chips in (*paid, *ended.sabacc_awards) if at == seat)
