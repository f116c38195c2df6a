"""The contradictions of a game whose rules were changed."""

from collections.abc import Mapping

from service.base.languages import N_

RULESETS: Mapping[str, str] = {
    "rebuy.max and rebuy.seconds must not be negative": N_(
        "Rebuys cannot have a number or a time below 0."
    ),
    "rebuy.until_level is below 1, the first level": N_(
        "Rebuys are sold to the end of level 1 at least."
    ),
    "score hands_won has no chips to buy": N_(
        "This game counts hands, so there are no chips to buy."
    ),
    "score hands_won has no chips: starting_stack must be null": N_(
        "This game counts hands, so nobody has a starting stack."
    ),
    "score hands_won has no chips: staying must be free": N_(
        "This game counts hands, so staying must be free."
    ),
    "score hands_won has no chips for forced bets": N_(
        "This game counts hands, so it has no forced bets."
    ),
    "score hands_won has no use for special_item: nobody is ever broke": N_(
        "This game counts hands, so nobody ever stakes an item."
    ),
    "short_forced not_dealt_in needs an ante": N_(
        "Leaving out players with too few chips needs an ante."
    ),
    "short_forced not_dealt_in needs an ante that stays as it is": N_(
        "Leaving out players with too few chips needs an ante that does not rise."
    ),
    "antes and starting_stack must be multiples of chip_unit %(unit)s": N_(
        "Antes and the starting stack are multiples of %(unit)s chips."
    ),
    "an ante of 0 leaves nothing to play for": N_("Without an ante there is nothing to play for."),
    "score hands_won has no chips to bet": N_("A game that counts hands has no chips to bet."),
    "end open is for Coruscant Shift": N_("Only Coruscant Shift can go on without an end."),
    "end each_dealt_once needs a dealer, and in this game the house deals": N_(
        "In this game the house deals, so it cannot end once everybody has dealt."
    ),
    "pot_building_rounds is below 0": N_("The number of rounds that build the pot is 0 at least."),
    "max_rounds is not between pot_building_rounds + 1 and %(most)s": N_(
        "There must be more rounds than those that build the pot, and at most %(most)s."
    ),
    "fees must be multiples of chip_unit %(unit)s": N_(
        "Fees for cards are multiples of %(unit)s chips."
    ),
    "galaxy_series, ranking galaxy and spike_redeals oldest_card need experimental": N_(
        "These rules are only for games that are marked as experimental."
    ),
    "galaxy_series has no open discard pile to gain from": N_(
        "A galaxy series has no open discard pile to take cards from."
    ),
    "spike_redeals oldest_card needs spike_dice": N_(
        "Dealing the oldest card again needs the dice."
    ),
    "ranking galaxy leaves ties to a split": N_(
        "In the galaxy ranking, equal hands share the pot."
    ),
    "extra_named_hands and strict_named_hands belong to the printed ranking": N_(
        "Further named hands go only with the printed ranking."
    ),
    "extra_named_hands names a hand twice": N_("One of the named hands is listed twice."),
    "starting_stack does not pay for the first hand": N_(
        "The starting stack does not pay for the first hand."
    ),
    "button dead needs blinds": N_("A dead button needs blinds."),
    "end each_dealt_once needs a dealer, and a dead button may have none": N_(
        "With a dead button somebody may never deal, so it cannot end once everybody has dealt."
    ),
    "button starter has no seats for blinds": N_("In a game with a starter there are no blinds."),
    "end each_dealt_once needs a dealer, and with button starter nobody deals": N_(
        "In a game with a starter nobody deals, so it cannot end once everybody has dealt."
    ),
    "revision is not between 1 and %(newest)s: no other revision exists": N_(
        "There are revisions 1 to %(newest)s of the rules."
    ),
    "a number is above %(most)s": N_("A number is above %(most)s."),
    "chip_unit is below 1": N_("The smallest chip is worth 1 at least."),
    "score cash_out needs end open, and end open needs score cash_out": N_(
        "Only a game without an end lets players leave with their chips."
    ),
    "end.hands is below 1": N_("The game lasts one hand at least."),
    "max_players is not between 2 and %(most)s": N_(
        "The game takes 2 to %(most)s players at a table."
    ),
    "forced bets and starting_stack must be multiples of chip_unit %(unit)s": N_(
        "Forced bets and the starting stack are multiples of %(unit)s chips."
    ),
    "so many players need recycle_discards": N_(
        "So many players need the discarded cards to be dealt again."
    ),
    "hand_size is not 5": N_("A hand has 5 cards in this game."),
    "first_selection_min is not between 0 and 5": N_(
        "The minimum of the first selection is 0 to 5 cards."
    ),
    "final_selection_min is not 1": N_("The final selection takes one card at least."),
    "blinds must be positive and the small one not above the big one": N_(
        "Both blinds are more than 0, and the small one is not above the big one."
    ),
    "table_ante and player_ante exclude each other: a game with blinds has one ante": N_(
        "A game with blinds has one kind of ante."
    ),
    "a draw_off needs a limit of 1 at least, or prefer_cube for the cube at once": N_(
        "A draw-off takes one card at least before the cube decides."
    ),
    "item_values must be positive multiples of chip_unit %(unit)s": N_(
        "Items are worth multiples of %(unit)s chips."
    ),
    "an ante of 0 is no ante": N_("An ante is more than 0."),
    "escalation ante_by_players needs an ante": N_(
        "An ante that rises with the number of players needs an ante."
    ),
    "inc needs numbers of players, a '*', and multiples of chip_unit": N_(
        "Name the step of the ante for each number of players and for all others, in whole chips."
    ),
    "nobody can ever lose a chip, but the game ends when one player has them all": N_(
        "Nobody can ever lose a chip, so the game would never end."
    ),
    "first_actor left_of_big_blind needs blinds": N_(
        "To begin left of the big blind, the game needs blinds."
    ),
    "escalation double_per_orbit needs forced bets": N_("Bets that double need forced bets."),
    "score hands_won needs an end by hands: nobody is ever out": N_(
        "A game that counts hands ends after a number of hands."
    ),
    "betting.cost is not a multiple of chip_unit %(unit)s": N_(
        "The price of staying is a multiple of %(unit)s chips."
    ),
    "min_open big_blind needs blinds": N_("To open with the big blind, the game needs blinds."),
    "min_open half_ante needs an ante": N_("To open with half the ante, the game needs an ante."),
    "table_min is not a multiple of chip_unit %(unit)s": N_(
        "The least bet of the table is a multiple of %(unit)s chips."
    ),
    "min_open is not a positive multiple of chip_unit": N_(
        "The least opening bet is a multiple of the smallest chip."
    ),
    "escalation levels needs 1 to %(most)s levels": N_("There are 1 to %(most)s levels."),
    "no level has an ante for player_ante": N_(
        "The last level needs an ante, because everybody pays one."
    ),
    "level %(number)s does not fit the forced bets": N_(
        "The bets of level %(number)s do not fit the game."
    ),
    "level %(number)s has no ante for table_ante": N_("Level %(number)s needs an ante."),
    "level %(number)s must be in multiples of chip_unit %(unit)s": N_(
        "The bets of level %(number)s are multiples of %(unit)s chips."
    ),
    "every level but the last needs a length, and the last has none": N_(
        "Every level but the last one needs a length."
    ),
    "the length of level %(number)s is not between 1 and %(most)s": N_(
        "Level %(number)s lasts more than 0 and at most %(most)s seconds or hands."
    ),
    "level %(number)s must raise something and lower nothing": N_(
        "Level %(number)s must raise a bet and lower none."
    ),
    "two denominations have one name": N_("Two chips have the same name."),
    "denominations must be different multiples of chip_unit %(unit)s": N_(
        "The values of chips differ, and are multiples of %(unit)s."
    ),
    "the smallest denomination must be chip_unit %(unit)s": N_(
        "The smallest chip must be worth %(unit)s."
    ),
    "a denomination is above %(most)s units": N_(
        "A chip is worth at most %(most)s of the smallest."
    ),
    "the largest piece first is not the fewest pieces for %(amount)s": N_(
        "To pay %(amount)s with the largest chips first takes too many chips. Choose other values."
    ),
    "the stacks are too small for so long a tournament": N_(
        "The starting stacks are too small for so long an evening."
    ),
    "the forced bets of this game do not rise by levels": N_(
        "The bets of this game do not rise by levels."
    ),
    "this game has no forced bets": N_("This game has no forced bets, so there are no levels."),
    "players must be 2 to %(most)s": N_("Use 2 to %(most)s players."),
    "minutes must be %(least)s to %(most)s": N_("The evening lasts %(least)s to %(most)s minutes."),
    "the stack must be at least %(least)s chips, in units of %(unit)s": N_(
        "The starting stack is %(least)s chips at least, and a multiple of %(unit)s."
    ),
    "revision is not %(newest)s, the newest one: leave it out of the overrides": N_(
        "New evenings use revision %(newest)s of the rules, the newest one."
    ),
    "a parameter has a value that it cannot have: %(error)s": N_(
        "One of the rules has a value that it cannot have."
    ),
}
