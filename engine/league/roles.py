"""The roles in a league and their capabilities."""

from typing import Literal, get_args

Role = Literal["owner", "director", "referee", "scorer", "auditor", "player"]

Capability = Literal[
    "manage_league",
    "manage_members",
    "manage_players",
    "see_bans",
    "manage_seasons",
    "manage_tournaments",
    "run_tournaments",
    "start_tournaments",
    "run_floor",
    "direct_play",
    "publish_seeds",
    "rule_disputes",
    "report_results",
    "audit_hands",
    "read_league",
    "enter_tournaments",
]
"""
The capabilities that a role can have.

``manage_players`` acts on people without an office. ``manage_members`` gives and takes offices.
``run_tournaments`` ends tournaments and approves players. ``start_tournaments`` closes
registration, starts play and enters house bots. ``run_floor`` handles the clock and the seating.
``direct_play`` rules on players, hands and ends.
"""

STAFF: frozenset[Role] = frozenset({"owner", "director", "referee", "scorer", "auditor"})
"""The roles that are offices. Staff may see unannounced data."""

_ANYONE: frozenset[Capability] = frozenset({"read_league", "enter_tournaments"})
_STAFF: frozenset[Capability] = _ANYONE | {"see_bans"}

_CAPABILITIES: dict[Role, frozenset[Capability]] = {
    "owner": frozenset(get_args(Capability)),
    "director": _STAFF
    | {
        "manage_players",
        "manage_seasons",
        "manage_tournaments",
        "run_tournaments",
        "start_tournaments",
        "run_floor",
        "direct_play",
        "publish_seeds",
        "report_results",
    },
    "referee": _STAFF | {"run_floor", "direct_play", "rule_disputes", "audit_hands"},
    "scorer": _STAFF | {"report_results"},
    "auditor": _STAFF | {"audit_hands"},
    "player": _ANYONE,
}

LOST_WHEN_ENTERED: frozenset[Capability] = frozenset(
    {
        "run_tournaments",
        "start_tournaments",
        "run_floor",
        "direct_play",
        "publish_seeds",
        "report_results",
        "rule_disputes",
        "audit_hands",
    }
)
"""The capabilities that staff lose in a tournament in which they play."""

CLOCK_AND_SEATING: frozenset[Capability] = frozenset({"start_tournaments", "run_floor"})
"""The capabilities that staff who play keep if the terms set ``staff_may_play``."""


def may(
    role: Role | None,
    capability: Capability,
    *,
    entered: bool = False,
    staff_may_play: bool = False,
) -> bool:
    """
    Return whether *role* has *capability*. A stranger (None) has none.

    Args:
        entered: True if the person plays in the tournament in question. Staff who play may
            neither direct it nor open its sealed values. Otherwise they could rule on their own
            pot or see an opponent's cards.
        staff_may_play: True if the tournament's terms leave them the clock and the seating.

    >>> may("referee", "audit_hands"), may("referee", "audit_hands", entered=True)
    (True, False)
    >>> [may("owner", "run_floor", entered=True, staff_may_play=said) for said in (False, True)]
    [False, True]
    """
    if role is None or capability not in _CAPABILITIES[role]:
        return False
    kept = staff_may_play and capability in CLOCK_AND_SEATING
    return kept or not (entered and capability in LOST_WHEN_ENTERED)


def rules_on_play(role: Role | None) -> bool:
    """
    Return whether *role* has any capability that staff lose when they play.

    >>> rules_on_play("scorer"), rules_on_play("player")
    (True, False)
    """
    return any(may(role, each) for each in LOST_WHEN_ENTERED)


def needed_over(*roles: Role | None) -> Capability:
    """
    Return the capability needed for an act on a person.

    Args:
        roles: The person's present and future roles. None means that the person is not a member.

    >>> needed_over(None), needed_over("player", "referee")
    ('manage_players', 'manage_members')
    """
    return "manage_members" if STAFF.intersection(roles) else "manage_players"
