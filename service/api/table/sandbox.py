"""The sandbox league, where every account finds house bots to play against."""

from typing import Final

import msgspec
from litestar import Response

from engine.tournament.model.events import EntrantRegistered
from engine.values import PlayerId, aggregate_of
from service.announcing.sandbox import (
    DECISION_SECONDS,
    HANDS_MAX,
    OFFERED,
    TABLE_SEATS,
    Offered,
    Sandbox,
)
from service.announcing.sandbox_leagues import earlier, league_of
from service.api.http.declaring.declaration import OnPeople
from service.api.http.operations import operation
from service.api.http.shell import Asked, Shell
from service.api.http.writing.submitting import Order, answer, encoded
from service.api.table.my_following import HAND_OVER, Following
from service.base.errors import StreamNotFound
from service.people.tokens import Principal

_IN_PLAY: Final = ("entered", "offered", "waitlisted", "applied")


class SandboxShown(msgspec.Struct, kw_only=True):
    """The sandbox league of an installation, and its games."""

    league: str
    """
    The sandbox league of this month, in UTC. Nobody needs an invitation: an entry makes its player
    a member.
    """

    rulesets: tuple[Offered, ...]
    """The rulesets that an entry may ask for."""

    table_seats: int
    """The seats of a table. House bots take those that nobody else has taken."""

    decision_seconds: int
    """The time for a decision."""

    hands_max: int
    """The number of hands after which stacks decide."""


class SandboxEntryWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An entry in the tournament of the sandbox league that is open now."""

    ruleset: Offered = "better_simple"
    """The game to play."""

    bot: bool = True
    """True if a program will play."""


class SandboxEntry(msgspec.Struct, kw_only=True):
    """An entry in the sandbox league. Play begins within seconds."""

    league: str
    tournament: str
    entrant: str
    player: str
    position: str | None = None


@operation(
    "GET", "/v1/sandbox", "read_sandbox",
    "Read whether there is a sandbox league, and what is played there.",
    needs="anyone", answer=SandboxShown, problems=("not_found",),
    about="`POST /v1/sandbox/entries` enters it. 404 if the operator has switched it off.",
)  # fmt: skip
async def read_sandbox(shell: Shell) -> Response[bytes]:
    """Return the league and the terms of its games."""
    shown = SandboxShown(
        league=_switched_on(shell).league,
        rulesets=OFFERED,
        table_seats=TABLE_SEATS,
        decision_seconds=DECISION_SECONDS,
        hands_max=HANDS_MAX,
    )
    return encoded(shown)


@operation(
    "POST", "/v1/sandbox/entries", "enter_sandbox",
    "Enter the open tournament of the sandbox league.",
    needs="account", scope="tables:play", answer=SandboxEntry, status=201, key_required=True,
    problems=(
        "not_found", "sandbox_entered", "already_entered", "tournament_full",
        "registration_closed", "player_banned", "merged_player",
        "too_many_requests",
    ),
    on_people=OnPeople("sandbox", "makes the caller a member, as a player", "caller"),
    about="A stranger joins the league with the entry. House bots take the other seats after two "
    "seconds, and play begins. A player may be in one tournament at a time, and enters 10 "
    "times in ten minutes, unless the operator says otherwise.",
)  # fmt: skip
async def enter_sandbox(
    request: Asked, body: SandboxEntryWanted, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Append the membership and the entry together."""
    sandbox, player = _switched_on(shell), PlayerId(principal.account.player)
    plays = await _in_play(shell, principal)
    if plays is None:
        shell.limits.enter_sandbox(request.scope, principal.account.number)
    receipt = await sandbox.enter(body.ruleset, player, order, bot=body.bot, plays=plays)
    entry = next(each for each in receipt.recorded if isinstance(each.event, EntrantRegistered))
    content = {
        "league": receipt.league,
        "tournament": aggregate_of(entry.stream),
        "entrant": entry.event.entrant,
        "player": player,
    }
    return answer(receipt, content, version_of=entry.stream)


def _switched_on(shell: Shell) -> Sandbox:
    if shell.sandbox is None:
        raise StreamNotFound("this installation has no sandbox league")
    return shell.sandbox


async def _in_play(shell: Shell, principal: Principal) -> str | None:
    """
    Return a tournament of the sandbox in which the caller is still in play, or None.

    This includes a game that began at the end of the last month.
    """
    now = shell.now()
    for league in (league_of(now), *earlier(now)):
        with shell.news.watching((HAND_OVER,)) as watch:
            following = Following(shell, principal, watch, league, {})
            await following.begin()
            here = following.leagues.get(league)
            mine = () if here is None else tuple(here.tournaments.values())
        for each in mine:
            if each.facts.entry in _IN_PLAY:
                return each.id
    return None
