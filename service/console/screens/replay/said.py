"""The steps of a replay in a reader's words."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from engine.table.read.replay import HIDDEN, Step
from service.base.languages import N_
from service.console.deeds import AT_TABLE
from service.console.drawing.spoken import suit_name
from service.console.languages import Spoken
from service.console.rules.writing import signed

Data = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A step in words, and the cards that it shows."""

    text: str
    cards: tuple[str, ...] = ()
    """Cards that the step moved, as the viewer may see them."""

    hidden: int = 0
    """Number of cards that the viewer could not see."""


@dataclass(frozen=True, slots=True)
class Saying:
    """
    Says the steps of one hand.

    Args:
        names: The names of the players by seat.
    """

    language: Spoken
    names: Mapping[int, str]

    def of(self, step: Step) -> Sentence:
        """Return *step* in words."""
        return SAID[step.event](self, step.data)

    def said(self, text: str, **values: object) -> str:
        """Return *text* in the reader's language."""
        said = self.language.gettext(text)
        return said % values if values else said

    def name(self, seat: object) -> str:
        """Return the name of the player in *seat*."""
        return self.names.get(seat, f"#{seat}") if isinstance(seat, int) else str(seat)

    def listed(self, seats: Iterable[object]) -> str:
        """Return the names of the players in *seats*, joined by commas."""
        return ", ".join(self.name(each) for each in seats)


def _parts(data: Data, member: str) -> list[Data]:
    found = data.get(member)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []


def _faces(value: object) -> tuple[tuple[str, ...], int]:
    """Return the cards of *value* that can be seen, and the number of the others."""
    listed = _list(value) if isinstance(value, list) else [] if value is None else [value]
    seen = tuple(str(each) for each in listed if each != HIDDEN)
    return seen, len(listed) - len(seen)


def _opened(say: Saying, data: Data) -> Sentence:
    if data.get("deal") == 1:
        return Sentence(
            say.said(N_("The hand opens. %(name)s has the button."), name=say.name(data["button"]))
        )
    return Sentence(say.said(N_("The hand is dealt again, deal %(number)s."), number=data["deal"]))


def _posted(say: Saying, data: Data) -> Sentence:
    posts = "; ".join(f"{say.name(each['seat'])} {each['chips']}" for each in _parts(data, "posts"))
    return Sentence(say.said(N_("Forced bets: %(posts)s."), posts=posts))


def _dice(say: Saying, data: Data) -> Sentence:
    suit = suit_name(str(data["suit"]), say.language.gettext)
    return Sentence(
        say.said(
            N_("The dice show the target %(target)s and %(suit)s."),
            target=signed(int(str(data["target"]))),
            suit=suit,
        )
    )


def _dealt(words: str) -> "Say":
    def say_it(say: Saying, data: Data) -> Sentence:
        seen: tuple[str, ...] = ()
        hidden = 0
        for each in _parts(data, "dealt"):
            faces, more = _faces(each.get("cards", each.get("card")))
            seen, hidden = seen + faces, hidden + more
        return Sentence(say.said(words), seen, hidden)

    return say_it


def _asked(say: Saying, data: Data) -> Sentence:
    phases = {
        "select": N_("Choosing cards to keep: %(names)s."),
        "improve": N_("Choosing new cards to add: %(names)s."),
        "bet": N_("Next to bet: %(names)s."),
        "card": N_("Next card turn: %(names)s."),
    }
    return Sentence(say.said(phases[str(data["phase"])], names=say.listed(_list(data["seats"]))))


def _chose(words: str) -> "Say":
    def say_it(say: Saying, data: Data) -> Sentence:
        faces, hidden = _faces(data["cards"])
        return Sentence(say.said(words, name=say.name(data["seat"])), faces, hidden)

    return say_it


_VERBS = {
    "fold": N_("%(name)s folds."),
    "check": N_("%(name)s checks."),
    "call": N_("%(name)s calls and pays %(paid)s."),
    "stay": N_("%(name)s stays and pays %(paid)s."),
    "raise_to": N_("%(name)s raises to %(amount)s."),
}


def _acted(say: Saying, data: Data) -> Sentence:
    words = _VERBS.get(str(data["verb"]), N_("%(name)s acts."))
    said = say.said(words, name=say.name(data["seat"]), paid=data["paid"], amount=data["amount"])
    if data.get("all_in"):
        said += " " + say.said(N_("All-in."))
    if data.get("timed_out"):
        said += " " + say.said(N_("The clock answered."))
    return Sentence(said)


_TURNS = {
    "stand": N_("%(name)s stands."),
    "draw": N_("%(name)s draws a card."),
    "gain": N_("%(name)s gains a card."),
    "trade": N_("%(name)s trades a card."),
    "swap": N_("%(name)s swaps a card."),
    "junk": N_("%(name)s junks the hand."),
    "buy": N_("%(name)s buys a card."),
}


def _turn(say: Saying, data: Data) -> Sentence:
    words = _TURNS.get(str(data["verb"]), N_("%(name)s acts."))
    faces: tuple[str, ...] = ()
    hidden = 0
    for member in ("given", "shown", "drawn", "taken"):
        seen, more = _faces(data.get(member))
        faces, hidden = faces + seen, hidden + more
    said = say.said(words, name=say.name(data["seat"]))
    if data.get("fee"):
        said += " " + say.said(N_("It costs %(fee)s."), fee=data["fee"])
    if data.get("timed_out"):
        said += " " + say.said(N_("The clock answered."))
    return Sentence(said, faces, hidden)


def _plain(words: str, *members: str) -> "Say":
    return lambda say, data: Sentence(say.said(words, **{each: data[each] for each in members}))


def _named(words: str, *members: str) -> "Say":
    return lambda say, data: Sentence(
        say.said(words, name=say.name(data["seat"]), **{each: data[each] for each in members})
    )


def _showing(words: str, member: str) -> "Say":
    return lambda say, data: Sentence(say.said(words), *_faces(data[member]))


def _shift(say: Saying, data: Data) -> Sentence:
    dice = _list(data["dice"])
    said = say.said(N_("The dice show %(one)s and %(two)s."), one=dice[0], two=dice[1])
    doubles = say.said(N_("Doubles!"))
    return Sentence(f"{said} {doubles}" if dice[0] == dice[1] else said)


def _pots(say: Saying, data: Data) -> Sentence:
    pots = _parts(data, "pots")
    chips = " + ".join(str(each["chips"]) for each in pots)
    return Sentence(say.said(N_("The pots are counted: %(chips)s."), chips=chips))


def _draw_off(words: str, member: str) -> "Say":
    def say_it(say: Saying, data: Data) -> Sentence:
        cards = [each["card"] for each in _parts(data, member)]
        return Sentence(say.said(words), *_faces(cards))

    return say_it


def _awarded(say: Saying, data: Data) -> Sentence:
    shares = ", ".join(
        f"{say.name(each['seat'])} +{each['chips']}" for each in _parts(data, "shares")
    )
    if not shares:
        return Sentence(say.said(N_("Pot %(pot)s stays on the table."), pot=data["pot"]))
    return Sentence(
        say.said(N_("Pot %(pot)s goes to: %(shares)s."), pot=data["pot"], shares=shares)
    )


def _settled(say: Saying, data: Data) -> Sentence:
    winners = _list(data["winners"])
    if not winners:
        return Sentence(say.said(N_("The hand is over. Nobody has won it.")))
    return Sentence(say.said(N_("The hand is over. Won by %(names)s."), names=say.listed(winners)))


Say = Callable[[Saying, Data], Sentence]
SAID: dict[str, Say] = {
    "hand_opened": _opened,
    "table_beacon_awaited": _plain(
        N_("The deal waits for pulse %(round)s of the beacon."), "round"
    ),
    "table_beacon_mixed": _plain(N_("The beacon's pulse is mixed in.")),
    "forced_bets_posted": _posted,
    "dice_rolled": _dice,
    "cards_dealt": _dealt(N_("Cards are dealt.")),
    "replacements_dealt": _dealt(N_("New cards are dealt.")),
    "shift_dealt": _dealt(N_("After the shift, new cards are dealt.")),
    "hand_killed": _named(N_("The hand of %(name)s is killed.")),
    "decision_opened": _asked,
    "decision_extended": _plain(N_("The time for the decision is extended.")),
    "selection_committed": _chose(N_("%(name)s has chosen the cards to keep.")),
    "improvement_committed": _chose(N_("%(name)s has chosen the cards to add.")),
    "selections_closed": _plain(N_("Everybody has chosen.")),
    "improvements_closed": _plain(N_("Everybody has added.")),
    "cards_discarded": _plain(N_("The other cards are discarded.")),
    "pile_committed": _plain(
        N_("The discards become pile %(pile)s, of %(size)s cards."), "pile", "size"
    ),
    "seat_acted": _acted,
    "street_closed": _plain(N_("The betting ends, with %(chips)s wagered."), "chips"),
    "card_turn_taken": _turn,
    "cards_fielded": _chose(N_("%(name)s lays cards into the field.")),
    "hand_called": _plain(N_("The hand is called.")),
    "discard_flipped": _showing(N_("A card is turned over and opens the discards."), "card"),
    "market_card_laid": _showing(N_("A card is laid open as pilot."), "card"),
    "shift_rolled": _shift,
    "hands_taken_up": _plain(N_("All live hands are given up.")),
    "card_round_closed": _plain(N_("Card round %(round)s ends."), "round"),
    "totals_announced": _plain(N_("Everybody announces the total.")),
    "hands_revealed": _plain(N_("All live hands are turned over.")),
    "hands_ranked": _plain(N_("All live hands are turned over.")),
    "penalty_paid": _named(
        N_("%(name)s bombed out and pays %(paid)s into the Sabacc pot."), "paid"
    ),
    "unmatched_returned": _named(N_("%(chips)s that nobody matched go back to %(name)s."), "chips"),
    "pots_formed": _pots,
    "draw_off_dealt": _draw_off(N_("Equal hands: each tied player gets an open card."), "cards"),
    "demise_dealt": _draw_off(N_("Sudden Demise: each tied player gets an open card."), "dealt"),
    "cube_rolled": lambda say, data: Sentence(
        say.said(N_("The chance cube decides for %(name)s."), name=say.name(data["winner"]))
    ),
    "pot_awarded": _awarded,
    "sabacc_pot_awarded": _named(N_("%(name)s takes the Sabacc pot of %(chips)s."), "chips"),
    "hand_settled": _settled,
    "hand_shown": lambda say, data: Sentence(
        say.said(N_("%(name)s shows the hand."), name=say.name(data["seat"])),
        *_faces(data["cards"]),
    ),
    "hand_quit": _plain(N_("A player leaves the table and folds.")),
    "deal_voided": _plain(N_("The deal is void. All chips go back.")),
    "seat_went_away": _named(N_("%(name)s is away.")),
    "seat_came_back": _named(N_("%(name)s is back.")),
    "table_held": _plain(N_("A director holds the table.")),
    "table_resumed": _plain(N_("The table goes on.")),
    # No hand is in play at these. Only the words that everybody uses for them are needed.
    **{
        each: _plain(AT_TABLE[each])
        for each in (
            "table_opened", "table_waiting", "table_closed", "arrivals_seated", "seats_vacated",
            "chips_bought", "chips_returned", "penalty_imposed", "carry_awarded",
        )
    },
}  # fmt: skip
"""By the type of the event: all events of a table."""

OWNERS = frozenset({
    "cards_dealt", "replacements_dealt", "shift_dealt", "selection_committed",
    "improvement_committed", "card_turn_taken",
})  # fmt: skip
"""Steps with cards that only their owner sees."""
