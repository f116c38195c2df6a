"""Estimates of an evening's length: many evenings, played by a model at a stated pace."""

from collections import Counter
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.rulesets import CoruscantShift, resolve
from engine.rulesets.errors import RulesetInvalid
from engine.rulesets.levels import LEVELS_MAX
from engine.rulesets.parts import LevelStep
from engine.rulesets.structure import HAND_SECONDS, PLAYER_SECONDS, hand_seconds
from engine.rulesets.validation import NUMBER_MAX
from service.api.http.operations import operation
from service.api.http.problems.faults import Fault, refused
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.people.tokens import Principal
from service.schedule.lengths import plan_of

_PLAYERS_MAX = 200
_BREAKS_MAX = 20


class BreakPlanned(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A break after a level."""

    level: Annotated[int, Meta(ge=1, le=LEVELS_MAX)]
    """The level that ends before the break."""

    seconds: Annotated[int, Meta(ge=1, le=86_400)]
    """The length of the break."""


class EveningsWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An evening with levels by the clock, whose length is asked for."""

    players: Annotated[int, Meta(ge=2, le=_PLAYERS_MAX)]
    """The number of entrants. All of them come in time, and nobody enters again."""

    table_seats: Annotated[int, Meta(ge=2, le=12)]
    """The most players at a table."""

    stack: Annotated[int, Meta(ge=1, le=NUMBER_MAX)]
    """The starting stack, in chips."""

    levels: Annotated[tuple[LevelStep, ...], Meta(min_length=1, max_length=LEVELS_MAX)]
    """The levels, as `POST /v1/structures` proposes them. The last one never ends."""

    breaks: Annotated[tuple[BreakPlanned, ...], Meta(max_length=_BREAKS_MAX)] = ()
    """The breaks. The clock stands in them."""

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

    The model assumes that nobody enters late, again or not at all, and that no rebuy is bought.
    """
    game = _game(body)
    plan = plan_of(
        players=body.players,
        seats=body.table_seats,
        stack=body.stack,
        unit=game.chip_unit,
        levels=body.levels,
        breaks=[(each.level, each.seconds) for each in body.breaks],
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
    )
    return encoded(shown)


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
        raise RulesetInvalid(reason="the forced bets of this game do not rise by levels")
    after = Counter(each.level for each in asked.breaks)
    faults = [
        Fault(f"/breaks/{number}", "a break follows a level with an end, once", "invalid_value")
        for number, each in enumerate(asked.breaks)
        if each.level >= len(asked.levels) or after[each.level] > 1
    ]
    if faults:
        raise refused(faults)
    return game
