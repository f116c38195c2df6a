"""Counts of a night's events, taken only from the public feeds."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from service.base.documents import Document


@dataclass(slots=True, kw_only=True)
class Tally:
    """The counters of a night. A test checks that each is above zero after the demo."""

    hands: int = 0
    events: int = 0
    side_pots: int = 0
    odd_chips_carried: int = 0
    levels_raised: int = 0
    players_moved: int = 0
    tables_broken: int = 0
    deadlines_run_out: int = 0
    seats_away: int = 0
    hands_killed: int = 0
    seats_back: int = 0
    openings: int = 0
    """The openings of players' entropy, counted once for each deck."""

    omissions: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            **{
                field.name: getattr(self, field.name) + getattr(other, field.name)
                for field in fields(Tally)
            }
        )


def counted(feed: Iterable[Document]) -> Tally:
    """Return the counts of one stream's feed, given with the oldest event first."""
    tally = Tally()
    level: Document | None = None
    for item in feed:
        tally.events += 1
        data = item["data"]
        match item["type"]:
            case "hand_opened":
                tally.levels_raised += level is not None and data["level"] != level
                level = data["level"]
                tally.openings += len(data["openings"])
                tally.omissions += len(data["omissions"])
            case "hand_settled":
                tally.hands += 1
            case "pots_formed":
                tally.side_pots += len(data["pots"]) - 1
            case "pot_awarded":
                tally.odd_chips_carried += data["remainder"]
            case "selection_committed" | "improvement_committed" | "seat_acted":
                tally.deadlines_run_out += data["timed_out"]
            case "seat_went_away":
                tally.seats_away += 1
            case "hand_killed":
                tally.hands_killed += 1
            case "seat_came_back":
                tally.seats_back += 1
            case "entrants_moved":
                tally.players_moved += len(data["moves"])
            case "table_broken":
                tally.tables_broken += 1
                tally.players_moved += len(data["moves"])
            case _:
                continue
    return tally
