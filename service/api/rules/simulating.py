"""Estimates of an evening's length: many evenings, played by a model at a stated pace."""

from collections import Counter
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.errors import Wording
from engine.rulesets import CoruscantShift, resolve
from engine.rulesets.errors import RulesetInvalid
from engine.rulesets.levels import LEVELS_MAX
from engine.rulesets.parts import LevelStep, Rebuy
from engine.rulesets.structure import HAND_SECONDS, PLAYER_SECONDS, hand_seconds
from engine.rulesets.validation import NUMBER_MAX
from service.api.http.operations import operation
from service.api.http.problems.faults import Fault, refused
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.people.tokens import Principal
from service.schedule.lengths import BUYING_PERCENT, LATE_ONE_IN, plan_of

_PLAYERS_MAX = 200
_BREAKS_MAX = 20


class BreakPlanned(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A break after a level."""

    level: Annotated[int, Meta(ge=1, le=LEVELS_MAX)]
    """The level that ends before the break."""

    seconds: Annotated[int, Meta(ge=1, le=86_400)]
    """The length of the break."""


class LatePlanned(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Players who come after the start, at any time until the level ends."""

    level: Annotated[int, Meta(ge=1, le=LEVELS_MAX)]
    """The last level in which players may enter. This level must have an end."""

    players: Annotated[int, Meta(ge=0, le=_PLAYERS_MAX)] | None = None
    """The number of entrants who come late. Null is one in six."""


class RebuysPlanned(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Rebuys of a starting stack. Count re-entries among them: they last as long."""

    max: Annotated[int, Meta(ge=0, le=NUMBER_MAX)] | None
    """The number of rebuys that a player may make. Null sets no limit."""

    until_level: Annotated[int, Meta(ge=1, le=LEVELS_MAX)] | None = None
    """The last level in which a player may rebuy. Null is every level."""

    percent: Annotated[int, Meta(ge=0, le=100)] = BUYING_PERCENT
    """The percentage of possible rebuys that are made."""


class EveningsWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An evening with levels by the clock, to estimate its length."""

    players: Annotated[int, Meta(ge=2, le=_PLAYERS_MAX)]
    """The number of entrants, those who come late among them."""

    table_seats: Annotated[int, Meta(ge=2, le=12)]
    """The most players at a table."""

    stack: Annotated[int, Meta(ge=1, le=NUMBER_MAX)]
    """The starting stack, in chips."""

    levels: Annotated[tuple[LevelStep, ...], Meta(min_length=1, max_length=LEVELS_MAX)]
    """The levels, as `POST /v1/structures` proposes them. The last one never ends."""

    breaks: Annotated[tuple[BreakPlanned, ...], Meta(max_length=_BREAKS_MAX)] = ()
    """The breaks. The clock stands in them."""

    late: LatePlanned | None = None
    """Players who come late. Null means that all come in time."""

    rebuys: RebuysPlanned | None = None
    """The rebuys that are sold. Null means that there are none."""

    ruleset: Annotated[str, Meta(max_length=40)] = "better"
    """The name of a preset with blinds or an ante."""


class EveningsLength(msgspec.Struct, kw_only=True):
    """The lengths of the simulated evenings, with their breaks."""

    evenings: int
    """The number of evenings that were played."""

    p10_seconds: int
    """One evening in ten was shorter."""

    p50_seconds: int
    """Half of the evenings were shorter."""

    p90_seconds: int
    """One evening in ten was longer."""

    hands: int
    """The median number of hands at all tables."""

    level: int
    """The median level at the end."""


class EveningsSimulated(msgspec.Struct, kw_only=True):
    """The lengths of many evenings of these terms, and the pace that was assumed."""

    length: EveningsLength | None
    """The lengths, or null if the field is too large to simulate in about a second."""

    hand_seconds: int
    """The seconds that a hand takes, without its players."""

    player_seconds: int
    """The seconds that each player dealt in adds to a hand."""

    hands_an_hour: int
    """The hands that a full table plays in an hour at this pace."""

    late_players: int
    """The number of entrants who come late."""

    rebuys_percent: int
    """The percentage of possible rebuys that are made. It is 0 without rebuys."""


@operation(
    "POST", "/v1/simulations", "simulate_evenings",
    "Estimate the length of an evening by playing many of them in a model. Changes nothing.",
    asks=True, needs="account", scope="leagues:read", answer=EveningsSimulated,
    problems=("unknown_ruleset", "invalid_ruleset", "too_many_requests", "overloaded"),
)  # fmt: skip
async def simulate_evenings(
    body: EveningsWanted, principal: Principal, shell: Shell
) -> Response[bytes]:
    """
    Play the evenings, or answer from memory. The same terms always have the same lengths.

    The model assumes that everybody comes, and that nobody leaves before busting.
    """
    game = _game(body)
    late = _late(body)
    sold = body.rebuys or RebuysPlanned(max=0, percent=0)
    plan = plan_of(
        players=body.players,
        seats=body.table_seats,
        stack=body.stack,
        unit=game.chip_unit,
        levels=body.levels,
        breaks=[(each.level, each.seconds) for each in body.breaks],
        late=late,
        rebuy=Rebuy(max=sold.max, until_level=sold.until_level),
        percent=sold.percent,
    )
    if not shell.evenings.knows(plan):
        shell.limits.simulate(principal.account.number)
    found = await shell.evenings.of(plan, str(principal.account.number))
    length = None
    if found is not None:
        length = EveningsLength(
            evenings=found.evenings, p10_seconds=found.p10, p50_seconds=found.p50,
            p90_seconds=found.p90, hands=found.hands, level=found.level,
        )  # fmt: skip
    shown = EveningsSimulated(
        length=length,
        hand_seconds=HAND_SECONDS,
        player_seconds=PLAYER_SECONDS,
        hands_an_hour=round(3600 / hand_seconds(body.table_seats)),
        late_players=0 if late is None else late[1],
        rebuys_percent=0 if sold.max == 0 else sold.percent,
    )
    return encoded(shown)


def _late(asked: EveningsWanted) -> tuple[int, int] | None:
    """
    Return the last level of late registration, and the number of players who come late.

    Raises:
        BadRequest: If the level has no end, or too few come in time.
    """
    late = asked.late
    if late is None:
        return None
    players = asked.players // LATE_ONE_IN if late.players is None else late.players
    faults = []
    if late.level >= len(asked.levels):
        faults.append(Fault("/late/level", "late registration ends with a level", "invalid_value"))
    if players > asked.players - 2:
        faults.append(Fault("/late/players", "two players at least come in time", "invalid_value"))
    if faults:
        raise refused(faults)
    return late.level, players


def _game(asked: EveningsWanted) -> CoruscantShift:
    """
    Return the game of the evening.

    Raises:
        RulesetUnknown: If no preset has this name.
        RulesetInvalid: If these levels do not fit the game.
        BadRequest: If a break does not follow a level, or two follow the same one.
    """
    levels = msgspec.to_builtins(asked.levels)
    escalation = {"kind": "levels", "by": "clock", "levels": levels}
    game = resolve(asked.ruleset, {"escalation": escalation, "starting_stack": asked.stack})
    if not isinstance(game, CoruscantShift):
        raise RulesetInvalid(reason=Wording("the forced bets of this game do not rise by levels"))
    after = Counter(each.level for each in asked.breaks)
    faults = [
        Fault(f"/breaks/{number}", "a break follows a level with an end, once", "invalid_value")
        for number, each in enumerate(asked.breaks)
        if each.level >= len(asked.levels) or after[each.level] > 1
    ]
    if faults:
        raise refused(faults)
    return game
