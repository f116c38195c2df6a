"""The faults of a season: of its terms, formulas, lists and weekly plans."""

from collections.abc import Mapping

from service.base.languages import N_

SEASONS: Mapping[str, str] = {
    "was not announced for this season": N_("It was not announced for this season."),
    "is cancelled, and counts for nothing anyway": N_(
        "It is cancelled, so it does not count anyway."
    ),
    "is counted already: revoke its award instead": N_(
        "It is counted already. Take its points back instead."
    ),
    "this season counts %(digits)s fraction digits": N_(
        "This season counts %(digits)s digits after the point."
    ),
    "house bots get no points": N_("House bots get no points."),
    "must not be 0 or beyond %(most)s": N_("Give points other than 0, up to %(most)s."),
    "a penalty must take points, and every other bonus must give them": N_(
        "A penalty takes points. Every other bonus gives them."
    ),
    "a tournament's name has 1 to %(most)s characters": N_(
        "The name of an evening has 1 to %(most)s characters."
    ),
    "it has no results": N_("It has no results."),
    "the results at place %(first)s and place %(second)s are one player's": N_(
        "One player has two results, at place %(first)s and at place %(second)s."
    ),
    "the result at place %(place)s is a house bot's, which gets no points": N_(
        "House bots get no points, but one is at place %(place)s."
    ),
    "points must not be beyond %(most)s": N_("Points go up to %(most)s."),
    "the list has this name twice": N_("The list has this name twice."),
    "needs 1 to %(most)s results, or none in the modes sum and average": N_(
        "Say how many results count, 1 to %(most)s. If all count, leave it empty."
    ),
    "must be of %(known)s": N_("These are possible: %(known)s."),
    "must not repeat a tie-break": N_("Name each way to break a tie once."),
    "must end with the lot, if there is one": N_("The lot comes last."),
    "must not repeat a kind": N_("Name each kind once."),
    "must be above 0": N_("This must be more than 0."),
    "division_by_zero for place %(place)s of %(entrants)s": N_(
        "For place %(place)s of %(entrants)s the formula divides by zero."
    ),
    "outside_domain for place %(place)s of %(entrants)s": N_(
        "For place %(place)s of %(entrants)s the formula asks for a root or logarithm that "
        "does not exist."
    ),
    "too_large for place %(place)s of %(entrants)s": N_(
        "For place %(place)s of %(entrants)s the formula gives too large a number."
    ),
    "too_many_steps for place %(place)s of %(entrants)s": N_(
        "For place %(place)s of %(entrants)s the formula takes too long."
    ),
    "at most %(most)s places": N_("Give at most %(most)s places."),
    "must not be empty or negative": N_(
        "Give points for at least one place, and none less than 0."
    ),
    "must not be beyond %(most)s": N_("The most is %(most)s."),
    "a better place cannot be worth less": N_("A better place must not get fewer points."),
    "a better of %(entrants)s places cannot be worth less": N_(
        "With %(entrants)s players, a better place would get fewer points."
    ),
    "the language must be %(language)s": N_("The formula must be in the language %(language)s."),
    "more than %(most)s characters": N_("It has more than %(most)s characters."),
    "more than %(most)s steps": N_("It has more than %(most)s steps."),
    "more than %(most)s expressions within each other": N_(
        "It has more than %(most)s parentheses within each other."
    ),
    "a number of more than %(most)s digits": N_("A number has more than %(most)s digits."),
    "a number, a name or a parenthesis is missing": N_(
        "A number, a name or a parenthesis is missing."
    ),
    "an operator or the end is missing": N_(
        "An operator is missing, or something is too much at the end."
    ),
    "a comparison is missing": N_("A comparison is missing."),
    "an unexpected character": N_("A character does not belong here."),
    "no name %(name)s; there are %(known)s": N_(
        "The name %(name)s is unknown. These are possible: %(known)s."
    ),
    "%(function)s takes %(fewest)s to %(most)s arguments": N_(
        "%(function)s takes %(fewest)s to %(most)s values."
    ),
    "%(function)s takes %(count)s arguments": N_(
        "%(function)s takes this number of values: %(count)s."
    ),
    "'%(sign)s' is missing": N_("A sign is missing: %(sign)s"),
    "a season has at most %(most)s": N_("A season has at most %(most)s weekly plans."),
    "is too long": N_("This is too long."),
    "has been planned %(times)s times; plan a new recurrence": N_(
        "It was planned anew %(times)s times. Plan another one."
    ),
    "must not lie before since": N_(
        "The first evening must not lie before the day from which the plan counts."
    ),
    "takes more than %(steps)s steps to expand": N_(
        "The rule is too long to work out. It takes more than %(steps)s steps."
    ),
    "takes more than %(steps)s steps to expand; end it earlier": N_(
        "The rule is too long to work out: more than %(steps)s steps. End it earlier."
    ),
    "takes more than %(steps)s steps to expand; add UNTIL or COUNT, so that it ends": N_(
        "The rule is too long to work out: more than %(steps)s steps. Add UNTIL or COUNT, so "
        "that it ends."
    ),
    "days of a month or year, and BYSETPOS, go with MONTHLY or YEARLY": N_(
        "Days of a month or year, and BYSETPOS, go with MONTHLY or YEARLY."
    ),
    "BYMONTH does not go with HOURLY": N_("BYMONTH does not go with HOURLY."),
    "COUNT and UNTIL exclude each other": N_("Use COUNT or UNTIL, not both."),
    "more than %(most)s occurrences in ahead_hours": N_(
        "The time ahead holds more than %(most)s evenings."
    ),
    "the rule has no occurrence": N_("The rule gives no evening."),
    "FREQ is missing": N_("FREQ is missing."),
    "use only the digits 0 to 9": N_("Use only the digits 0 to 9."),
    "BYSETPOS chooses among the days of BYDAY or BYMONTHDAY": N_(
        "BYSETPOS needs BYDAY or BYMONTHDAY."
    ),
    "the year is out of range": N_("This year is out of range."),
    "an empty part is unknown, or its value is malformed": N_("A part of the rule is empty."),
    "%(name)s is unknown, or its value is malformed": N_(
        "%(name)s is unknown, or its value is not right."
    ),
    "%(name)s appears twice": N_("%(name)s appears twice."),
    "%(name)s is not supported": N_("%(name)s is not supported."),
    "%(name)s goes up to %(most)s": N_("%(name)s goes up to %(most)s."),
    "numbered weekdays go with MONTHLY or YEARLY": N_(
        "Weekdays with numbers go with MONTHLY or YEARLY."
    ),
    "BYDAY needs numbers on all weekdays or on none": N_(
        "In BYDAY all weekdays have numbers, or none."
    ),
    "numbers of weekdays go up to %(most)s here": N_("Numbers of weekdays go up to %(most)s here."),
    "UNTIL must be a day or an instant in UTC": N_("UNTIL is a day, or an instant in UTC."),
    "the IANA has no such time zone": N_("There is no such time zone."),
    "is not a local time": N_("This is not a date with a time."),
}
