"""The faults of commands about rulings, people and offices."""

from collections.abc import Mapping

from service.base.languages import N_

PEOPLE: Mapping[str, str] = {
    "a ruling must name its rules": N_("A ruling names its rules."),
    "an act of the ruling would change nothing": N_("One part of the ruling would change nothing."),
    "only the subject of the dispute can be disclosed": N_(
        "Only what the dispute is about can be disclosed."
    ),
    "claimants may not open the hands of their own claim": N_(
        "Whoever made the claim may not see its hands."
    ),
    "a disclosure may last %(most)s days at most": N_(
        "A disclosure may last %(most)s days at most."
    ),
    "this person may not audit here": N_("This person may not audit here."),
    "a claim on a hand must name it, and nothing else": N_(
        "A claim about a hand names the hand, and nothing else."
    ),
    "a claim on a step must name it, and nothing else": N_(
        "A claim about a step names the hand and the step, and nothing else."
    ),
    "a claim on a seating must name it, and nothing else": N_(
        "A claim about a seating names the evening, and nothing else."
    ),
    "a claim on a payout must name it, and nothing else": N_(
        "A claim about a prize names the evening, and nothing else."
    ),
    "a claim on a standing must name it, and nothing else": N_(
        "A claim about a table of the season names the season, and nothing else."
    ),
    "a ban must end in the future, or never": N_("A ban ends in the future, or never."),
    "an invitation must have at least one use": N_(
        "An invitation is good for at least one person."
    ),
    "nobody becomes an owner by a code; an owner has to name them": N_(
        "Nobody becomes an owner by an invitation. An owner has to name them."
    ),
    "a player cannot be merged into themselves": N_("These are the same player."),
    "a house bot is no person": N_("A house bot is no person."),
    "an owner cannot merge themselves; ask another owner": N_(
        "You cannot merge yourself. Ask another owner."
    ),
    "another scorer has to decide on your points": N_(
        "These are your own points. Another scorer has to decide."
    ),
    "another owner has to decide on your results": N_(
        "These are your own results. Another owner has to decide."
    ),
    "an owner imported results of their own; let another owner bring the list first": N_(
        "An owner brought results of their own in the list. Let another owner bring the list first."
    ),
    "points go to members, and to players whom the season has counted": N_(
        "Points go to members, and to players who have results in the season."
    ),
}
