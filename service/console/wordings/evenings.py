"""The faults of the terms of an evening."""

from collections.abc import Mapping

from service.base.languages import N_

EVENINGS: Mapping[str, str] = {
    "must be a level of the clock, but not the last one": N_(
        "Choose a level of the clock, but not the last one."
    ),
    "must be a level of the clock": N_("Choose a level of the clock."),
    "must be null in a casino, and in a game that counts hands": N_(
        "A casino and a game that counts hands have no late registration."
    ),
    "late seats never deal": N_(
        "Here every seat deals once. Late seats would never deal, so there is no late registration."
    ),
    "must be false: a casino has no waitlist, approval or late registration": N_(
        "A casino has no waitlist, no approval and no late registration."
    ),
    "registration must open before it closes": N_("Entries must open before they close."),
    "a casino has one table": N_("A casino has one table only."),
    "a casino has no rounds": N_("A casino has no rounds."),
    "must be positive, or 0 if the game counts hands instead of chips": N_(
        "This must be more than 0, or 0 if the game counts hands instead of chips."
    ),
    "must be 1 at least": N_("The least is 1."),
    "must be 2 at least": N_("The least is 2."),
    "must be between entrants_min and %(most)s": N_(
        "Use a number from the fewest players on, up to %(most)s."
    ),
    "must be positive": N_("This must be more than 0."),
    "must not be negative": N_("This must not be less than 0."),
    "must not be after starts_at": N_("This must not be later than the start."),
    "must be after starts_at": N_("This must be later than the start."),
    "must lie in the future": N_("Choose a time that is still to come."),
    "registration has opened": N_("Entries are open already, so this stays."),
    "play has begun": N_("Play has begun, so this stays."),
    "each table would raise its forced bets by itself, and the ruleset stays": N_(
        "With more than one table, each would raise its forced bets by itself, and the ruleset "
        "stays."
    ),
    "late registration is over, or never began": N_(
        "Late registration is over, or there was none."
    ),
    "in play, late registration ends by a level or by time as before": N_(
        "Once play has begun, late registration ends by a level or by a time as before."
    ),
    "it would be over already: close it instead": N_(
        "It would be over already. Close late registration instead."
    ),
    "a payout deal divides them": N_("A deal divides the prizes, so this stays."),
    "registration has closed: it may only rise": N_("Entries are closed, so this may only rise."),
    "registration has closed, and the shares stay": N_("Entries are closed, so the shares stay."),
    "place %(place)s would be worth %(worth)s and not %(was)s, by rounding": N_(
        "By rounding, place %(place)s would be worth %(worth)s and not %(was)s, counted in the "
        "smallest coins."
    ),
    "must be positive, a year at most": N_("This must be more than 0, and a year at most."),
    "must not be negative, and a year at most": N_(
        "This must not be less than 0, and a year at most."
    ),
    "must be positive, a day at most": N_("This must be more than 0, and a day at most."),
    "must be 60 at least, a year at most": N_(
        "This must be a minute at least, and a year at most."
    ),
    "late registration ends with a level or after a time, not both": N_(
        "Late registration ends with a level or after a time. Choose one of them."
    ),
    "must be 0 to 100, and 0 without late registration": N_(
        "Use a number from 0 to 100. Without late registration it is 0."
    ),
    "must be 2 at least, and needs no_show seat_absent": N_(
        "The least is 2. It needs a seat for those who have not come."
    ),
    "seat_absent needs check_in_opens_before_seconds": N_(
        "Those who have not come get a seat only if there is a check-in."
    ),
    "must name numbers of tables, descending": N_("Name numbers of tables, the largest first."),
    "must be more than table sizes may lie apart, and 3 at least": N_(
        "This must be 3 at least, and more than the tables may differ in size."
    ),
    "must follow levels of the clock, ascending, and never the last level": N_(
        "Breaks follow levels of the clock in their order, and never the last level."
    ),
    "must last a second at least": N_("This must last a second at least."),
    "low must be 1 at least, and not above high": N_(
        "The lower number must be 1 at least, and not above the higher one."
    ),
    "at_left must be 2 at least, and clock_seconds not negative": N_(
        "Two players must be left at least, and the clock must not be less than 0."
    ),
    "there are never more than %(most)s tables": N_("There are never more than %(most)s tables."),
    "a single table takes no more entrants than it has seats": N_(
        "A single table takes no more players than it has seats."
    ),
    "the first applies to several tables, and the format has one": N_(
        "This is for several tables, and this evening has one."
    ),
    "the first applies to several tables, and a casino has one": N_(
        "This is for several tables, and a casino has one."
    ),
    "the first applies to the final, and there is none without a cut": N_(
        "This is for the final, and without a cut there is none."
    ),
    "rounds have no rebuys": N_("An evening of rounds has no rebuys."),
    "a round cannot begin after the last hands": N_("A round cannot begin after the last hands."),
    "late registration must end before the last hands": N_(
        "Late registration must end before the last hands."
    ),
    "prices a rebuy, and the ruleset allows none unless it is overridden": N_(
        "This prices a rebuy, and the game allows none. Allow rebuys too."
    ),
    "both say what places are worth": N_("Two fields say what places are worth. Use one of them."),
    "both say how many places are paid": N_(
        "Two fields say how many places are paid. Use one of them."
    ),
    "a game that counts hands has no knock-outs": N_("A game that counts hands has no knock-outs."),
    "shares must be positive": N_("Every share must be more than 0."),
    "must say who gets the prize pool": N_("Say who gets the prize pool."),
    "must say what the smallest fields get": N_("Say what the places get if few come."),
    "must be set if there is money to pay": N_("Choose the currency, since there is money to pay."),
    "must be null: this game has no chips": N_("This game has no chips, so nobody buys any."),
    "must all be 0 in a casino, where chips belong to the players": N_(
        "A casino has no fees: the chips belong to the players."
    ),
    "amounts must be between 0 and %(most)s": N_(
        "Amounts go from 0 to %(most)s, counted in the smallest coins."
    ),
    "must bring whole units of %(unit)s chips, with a max of at least 1": N_(
        "This brings a multiple of %(unit)s chips, and at least one is allowed."
    ),
    "every row must have shares, each 1 to %(most)s": N_(
        "Every row needs shares, each from 1 to %(most)s."
    ),
    "must have %(most)s rows at most": N_("Give at most %(most)s rows."),
    "must have one row for each size of field": N_("Give one row for each number of players."),
    "must be positive, the first place's the largest": N_(
        "Every prize must be more than 0, and the first place's the largest."
    ),
    "must not be above table_seats: there is one table": N_(
        "There is one table, so this must not be more than its seats."
    ),
    "must have no add-on and no bounty in rounds": N_(
        "An evening of rounds has no add-on and no bounties."
    ),
    "must have no late registration in rounds": N_(
        "An evening of rounds has no late registration."
    ),
    "rounds need tables of %(least)s at least": N_("Rounds need tables of %(least)s at least."),
    "rounds take %(most)s at most": N_("An evening of rounds takes at most %(most)s players."),
    "a game without chips needs fresh stacks, points by place and no final_stack": N_(
        "A game without chips starts every round afresh, gives points by place, and has no "
        "stack for the final."
    ),
    "must not name more times than later rounds and the final": N_(
        "Name no more times than there are later rounds and the final."
    ),
    "must come one after another, after the start": N_(
        "The times come one after another, and after the start."
    ),
    "must not rise from place to place": N_("A better place must not get fewer points."),
    "must not be more than a table has seats": N_("Give no more places than a table has seats."),
    "must be empty unless points go by places": N_("Leave this empty unless points go by places."),
    "must be null without a cut": N_("Leave this empty: without a cut there is no final."),
    "must be a positive multiple of %(unit)s": N_("Use a multiple of %(unit)s."),
}
