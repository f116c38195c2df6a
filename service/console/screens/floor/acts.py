"""A director's acts on the floor. Each step that is not small shows its dry run first."""

from typing import Literal

import msgspec

from service.api.table.voiding import VoidWanted
from service.api.tournament.by_staff import EntrantNamed, RebuyNamed
from service.api.tournament.entering import AnnouncementWanted
from service.api.tournament.floors import Floor
from service.api.tournament.house_bots import HouseBotsWanted
from service.api.tournament.pacing import BreakWanted, ClockWanted
from service.api.tournament.rulings import (
    AboutEntrant,
    MoveWanted,
    OrderWanted,
    PenaltyWanted,
    ReasonGiven,
)
from service.api.tournament.starting import Reasoned
from service.api.tournament.tournaments import TournamentShown
from service.console import links
from service.console.asking import Ask
from service.console.calling import Body, Problem
from service.console.declaring import form
from service.console.forms import Given, Question, Rehearsal, command
from service.console.pages import Done, Page
from service.console.screens.floor.floor import TABLES_MAX, floor
from service.console.screens.floor.shown import table_names
from service.console.screens.floor.starting import (
    absentees,
    loses_places,
    owe_the_entry,
    owing,
)

_FAULTS: dict[str, tuple[Literal["mis_deal", "fouled_deck"], str]] = {
    "card_shown": ("mis_deal", "card_shown"),
    "dealt_wrongly": ("mis_deal", "dealt_wrongly"),
    "wrong_deck": ("fouled_deck", "wrong_deck"),
}
"""The reasons for voiding a deal, as the page names them."""

_MINUTE = 60


class Minutes(msgspec.Struct, kw_only=True):
    """The length of a break, as a director types it."""

    minutes: int
    after_level: int | None = None


@form("/tournaments/{tournament:str}/floor/start", of=floor)
async def start(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """
    Draw the seats and open the tables. If that takes somebody's place, ask first.

    The start may be refused then, because too few players are there. Only the rules know that: an
    offer or a check-in in the same moment can make them enough.
    """
    shown = await ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown)
    absent = absentees(shown)
    asked = None
    if absent:
        gone, unpaid = loses_places(ask.language, absent), await owing(ask, shown)
        if unpaid:
            gone = f"{gone} {owe_the_entry(ask.language, unpaid)}"
        about = tuple(sorted(each.id for each in absent))
        asked = Question(ask.gettext("Draw the seats and start?"), gone, about)
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/start",
        said=ask.gettext("The seats are drawn."), to=links.floor(tournament), rehearse=asked,
    )  # fmt: skip


@form("/tournaments/{tournament:str}/floor/pause", of=floor)
async def pause(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Stop the clock. Hands in play go on to their end."""
    body = Reasoned(reason=given.text("reason") or None)
    said = ask.gettext("Paused. Hands in play go on to their end.")
    return await _do(ask, given, tournament, "pause", body, said)


@form("/tournaments/{tournament:str}/floor/resume", of=floor)
async def resume(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Let the clock run again."""
    return await _do(ask, given, tournament, "resume", Reasoned(), ask.gettext("Play goes on."))


@form("/tournaments/{tournament:str}/floor/clock", of=floor)
async def set_clock(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Add or take a minute, or go to another level, as the pressed button says."""
    kind, _, number = given.text("do").partition(":")
    only = {kind: number} if kind in ("seconds", "level") else {}
    wanted = Given({name: (value,) for name, value in only.items()})
    body = wanted.into(ClockWanted, reason=_reason(ask, given))
    said = ask.gettext("Level %(level)s begins.") % {"level": body.level}
    if body.level is None:
        said = ask.gettext("The clock is set.")
    return await _do(ask, given, tournament, "clock", body, said)


@form("/tournaments/{tournament:str}/floor/break", of=floor)
async def begin_break(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Begin a break, or plan one for the end of a level."""
    wanted = given.into(Minutes)
    body = BreakWanted(
        seconds=wanted.minutes * _MINUTE,
        after_level=wanted.after_level,
        reason=_reason(ask, given),
    )
    said = ask.gettext("The break has begun. Hands in play go on to their end.")
    question = ask.gettext("Begin a break?")
    effect = ask.ngettext(
        "%(num)d minute from now. Hands in play go on to their end, and their time counts.",
        "%(num)d minutes from now. Hands in play go on to their end, and their time counts.",
        wanted.minutes,
    )
    if wanted.after_level is not None:
        said = ask.gettext("The break is planned.")
        question, effect = ask.gettext("Plan a break?"), ""
    looked = _looked(given, question, effect % {"num": wanted.minutes} if effect else "")
    return await _do(ask, given, tournament, "breaks", body, said, looked)


@form("/tournaments/{tournament:str}/floor/break/end", of=floor)
async def end_break(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """End the break early."""
    said, question = ask.gettext("The break is over."), ask.gettext("End the break?")
    return await _ordered(ask, given, tournament, "breaks/end", said, question)


@form("/tournaments/{tournament:str}/floor/hand-for-hand", of=floor)
async def begin_hand_for_hand(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Let every table wait for all others after each hand."""
    said = ask.gettext("Hand for hand: every table waits for the others.")
    question = ask.gettext("Play hand for hand?")
    return await _ordered(ask, given, tournament, "hand_for_hand", said, question)


@form("/tournaments/{tournament:str}/floor/hand-for-hand/end", of=floor)
async def end_hand_for_hand(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Let the tables go on without waiting."""
    said = ask.gettext("The tables play on without waiting.")
    question = ask.gettext("End hand for hand?")
    return await _ordered(ask, given, tournament, "hand_for_hand/end", said, question)


@form("/tournaments/{tournament:str}/floor/last-hands", of=floor)
async def call_last_hands(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Call the last hands, which cannot be taken back."""
    said, question = ask.gettext("Last hands are called."), ask.gettext("Call the last hands?")
    effect = ask.gettext(
        "Tables finish their hands. Then the evening ends, at once if no hand is in play and none "
        "is added. This cannot be taken back."
    )
    body = ReasonGiven(reason=_reason(ask, given))
    looked = _looked(given, question, effect, grave=True)
    return await _do(ask, given, tournament, "last_hands", body, said, looked)


@form("/tournaments/{tournament:str}/floor/warn", of=floor)
async def warn(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Warn a player, on record."""
    body = given.into(AboutEntrant, reason=_reason(ask, given))
    said = ask.gettext("%(name)s is warned.") % {"name": given.text("name")}
    return await _do(ask, given, tournament, "warnings", body, said)


@form("/tournaments/{tournament:str}/floor/penalty", of=floor)
async def give_penalty(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Give a penalty in hands."""
    body = given.into(PenaltyWanted, reason=_reason(ask, given))
    name = {"name": given.text("name")}
    asked = Rehearsal(ask.gettext("Give %(name)s this penalty?") % name)
    said = ask.gettext("%(name)s has a penalty.") % name
    return await _do(ask, given, tournament, "penalties", body, said, asked)


@form("/tournaments/{tournament:str}/floor/move", of=floor)
async def move(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Move a player to another table."""
    body = given.into(MoveWanted, reason=_reason(ask, given))
    seen = await ask.api.get(f"/v1/tournaments/{tournament}/floor", Floor, limit=TABLES_MAX)
    name = {"name": given.text("name")}
    asked = Rehearsal(ask.gettext("Move %(name)s?") % name, table_names(seen))
    said = ask.gettext("%(name)s moves once both tables are between hands.") % name
    return await _do(ask, given, tournament, "moves", body, said, asked)


@form("/tournaments/{tournament:str}/floor/disqualify", of=floor)
async def disqualify(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Disqualify a player. The chips leave play."""
    body = given.into(AboutEntrant, reason=_reason(ask, given))
    seen = await ask.api.get(f"/v1/tournaments/{tournament}/floor", Floor, limit=TABLES_MAX)
    name = {"name": given.text("name")}
    asked = Rehearsal(ask.gettext("Disqualify %(name)s?") % name, table_names(seen), grave=True)
    said = ask.gettext("%(name)s is disqualified.") % name
    return await _do(ask, given, tournament, "disqualifications", body, said, asked)


@form("/tournaments/{tournament:str}/floor/rebuy", of=floor)
async def rebuy(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Take a rebuy for a player, or declare it for one who has chips, after a question."""
    body, name = given.into(RebuyNamed), {"name": given.text("name")}
    said, asked = ask.gettext("A rebuy for %(name)s.") % name, None
    shown = await ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown)
    if any(each.id == body.entrant and each.status == "playing" for each in shown.entrants):
        said = ask.gettext("The rebuy for %(name)s is declared.") % name
        asked = Question(
            ask.gettext("Declare a rebuy for %(name)s?") % name,
            ask.gettext(
                "%(name)s still has chips. The rebuy comes by itself once the last chip is lost, "
                "and is owed then. In the last hand it is not taken. This cannot be taken back."
            )
            % name,
        )
    return await _do(ask, given, tournament, "rebuys/by-staff", body, said, asked)


@form("/tournaments/{tournament:str}/floor/add-on", of=floor)
async def add_on(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Take the add-on for a player."""
    body = given.into(EntrantNamed)
    said = ask.gettext("An add-on for %(name)s.") % {"name": given.text("name")}
    return await _do(ask, given, tournament, "add-ons/by-staff", body, said)


@form("/tournaments/{tournament:str}/floor/house-bots", of=floor)
async def seat_bots(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Enter house bots, who are seated like everybody else."""
    body = given.into(HouseBotsWanted)
    said = ask.ngettext("One house bot is in.", "%(num)d house bots are in.", body.count)
    return await _do(ask, given, tournament, "house-bots", body, said % {"num": body.count})


@form("/tournaments/{tournament:str}/floor/tables/{table:str}/{act:str}", of=floor)
async def at_table(ask: Ask, given: Given, tournament: str, table: str, act: str) -> Done | Page:
    """Hold a table, or release it."""
    if act not in ("hold", "release"):
        raise Problem(404, {"code": "not_found"})
    name = {"number": given.text("number")}
    said = ask.gettext("Table %(number)s is held.") % name
    question = ask.gettext("Hold table %(number)s?") % name
    wanted: Literal["hold", "release"] = "hold"
    if act == "release":
        said, wanted = ask.gettext("Table %(number)s plays on.") % name, "release"
        question = ask.gettext("Release table %(number)s?") % name
    return await command(
        ask, given, "POST", f"/v1/tables/{table}/{wanted}", ReasonGiven(reason=_reason(ask, given)),
        said=said, to=links.floor(tournament), rehearse=_looked(given, question),
    )  # fmt: skip


@form("/tournaments/{tournament:str}/floor/void/{table:str}", of=floor)
async def void(ask: Ask, given: Given, tournament: str, table: str) -> Done | Page:
    """Void the deal that the page showed. The hand is dealt again."""
    cause, reason = _FAULTS.get(given.text("fault"), _FAULTS["dealt_wrongly"])
    return await command(
        ask, given, "POST", f"/v1/tables/{table}/void",
        given.into(VoidWanted, cause=cause, reason=reason),
        said=ask.gettext("The deal is void. The hand is dealt again."), to=links.floor(tournament),
    )  # fmt: skip


@form("/tournaments/{tournament:str}/floor/break-first", of=floor)
async def break_first(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Let a table break before all others."""
    seen = await ask.api.get(f"/v1/tournaments/{tournament}/floor", Floor, limit=TABLES_MAX)
    chosen = given.text("number")
    order = tuple(seen.floor.breaking_order)
    first = tuple(each for each in order if str(each) == chosen)
    body = OrderWanted(
        order=first + tuple(each for each in order if each not in first),
        reason=_reason(ask, given),
    )
    return await command(
        ask, given, "PUT", f"/v1/tournaments/{tournament}/breaking_order", body,
        said=ask.gettext("Table %(number)s breaks first.") % {"number": chosen},
        to=links.floor(tournament),
    )  # fmt: skip


@form("/tournaments/{tournament:str}/floor/announcement", of=floor)
async def tell(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Post a notice to the players, which the clock of the room shows too."""
    body = given.into(AnnouncementWanted)
    said = ask.gettext("The announcement is on the clock and on the page of the league.")
    return await _do(ask, given, tournament, "announcements", body, said)


def _reason(ask: Ask, given: Given) -> str:
    """Return the reason that was typed, or the usual one. Directors on their feet do not type."""
    return given.text("reason") or ask.gettext("Floor decision")


def _looked(
    given: Given, question: str, effect: str = "", *, grave: bool = False
) -> Rehearsal | None:
    """
    Return the dry run to show before a step that staff who play may also take.

    Staff who play may see no dry run that reaches a table, so their forms ask for none.
    """
    return Rehearsal(question, effect=effect, grave=grave) if given.flag("look") else None


async def _ordered(
    ask: Ask, given: Given, tournament: str, what: str, said: str, question: str
) -> Done | Page:
    body = ReasonGiven(reason=_reason(ask, given))
    return await _do(ask, given, tournament, what, body, said, _looked(given, question))


async def _do(
    ask: Ask,
    given: Given,
    tournament: str,
    what: str,
    body: Body,
    said: str,
    rehearse: Rehearsal | Question | None = None,
) -> Done | Page:
    """Send a command about the tournament, and return to the floor."""
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/{what}", body,
        said=said, to=links.floor(tournament), rehearse=rehearse,
    )  # fmt: skip
