"""The faults of results and prizes, and of what tables do next."""

from collections.abc import Mapping

from service.base.languages import N_

RESULTS: Mapping[str, str] = {
    "the order must name every entrant with a place, and nobody else": N_(
        "Name everybody who has a place, and nobody else."
    ),
    "entrants of a payout deal stay above the rest; award the prizes again": N_(
        "The players of a deal stay above the others. "
        "Divide the prizes under “Other prizes” instead."
    ),
    "a payout deal gives more than the places; award the prizes again": N_(
        "The deal gives other prizes than the places. "
        "Divide the prizes under “Other prizes” instead."
    ),
    "the entrant has no place": N_("This player has no place."),
    "at least one entrant must keep a result": N_("At least one player must keep a result."),
    "each award must go to a different entrant with a place": N_(
        "Each prize goes to another player, and only to players with a place."
    ),
    "an award must be positive": N_("A prize must be more than 0."),
    "an entrant whose result was forfeited gets no prize": N_(
        "A player whose result was taken away gets no prize."
    ),
    "the awards come to %(given)s, not to the %(paid_out)s paid out": N_(
        "The prizes come to %(given)s, and %(paid_out)s were paid out, counted in the smallest "
        "coins."
    ),
    "an entrant has two places": N_("One player has two places."),
    "places are counted from 1": N_("Places are counted from 1."),
    "a tournament without entrants gives no points": N_(
        "An evening without players gives no points."
    ),
    "a currency has up to %(most)s fraction digits": N_(
        "A currency has up to %(most)s digits after the point."
    ),
    "an entrant who should leave is not seated there": N_(
        "A player who should leave does not sit there any more."
    ),
    "another draw has been made": N_("Another draw was made in the meantime."),
    "the draw leaves out an entrant who is still in": N_(
        "The draw leaves out a player who is still in."
    ),
    "an entrant who should move is no longer seated there": N_(
        "A player who should move does not sit there any more."
    ),
    "the stacks do not cover everyone still in": N_(
        "A stack is missing, or belongs to somebody who is out."
    ),
    "an entrant without chips is not seated at that table": N_(
        "A player without chips does not sit at that table."
    ),
    "a no-show is not seated there": N_("A player who has not come does not sit there."),
    "the tables are not those of the round": N_("These are not the tables of the round."),
    "the stacks do not cover everyone at the table": N_(
        "A stack is missing, or belongs to another table."
    ),
    "only breaking a table may empty it": N_(
        "Moving would leave the table empty. Break it instead."
    ),
    "an entrant would stay at the broken table": N_("A player would stay at the broken table."),
    "the table's carry has nowhere to go": N_(
        "The chips in the middle of that table would have nowhere to go."
    ),
    "the table is not in play": N_("Nobody plays at that table any more."),
    "an entrant must move to one other table": N_("A player moves to one other table."),
    "a seat is no longer free": N_("A seat is no longer free."),
    "there is no such seat": N_("There is no such seat."),
}
