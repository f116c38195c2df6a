"""
Commands of staff for a player: entering, withdrawing, undoing a check-in, and buying chips.

The events name the member of staff. Source: rulebook ``entry.by_staff`` and ``check_in.undone``.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.model.commands import Command, DeclareRebuy, Register, Withdraw
from engine.tournament.model.commands.entering import CheckIn, UndoCheckIn
from engine.tournament.model.commands.money import TakeAddOn
from engine.tournament.model.state import Running
from engine.values import EntrantId, PlayerId, TableId, identifier
from service.api.http.access.rights import TournamentPlace
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer
from service.api.tournament.entering import ABOUT_ENTRANT, EntryChanged, entry_changed
from service.api.tournament.rebuys import Bought, RebuyWanted, buy, level_of
from service.api.tournament.registrations import REGISTERING, Registration, register
from service.director.in_play import demand_no_office_since
from service.director.submitting import submit_all_to_tournament, submit_to_tournament
from service.people.tokens import Principal

Player = Annotated[str, Meta(pattern="^plr_[0-9a-f]{32}$")]
Entrant = Annotated[str, Meta(pattern="^ent_[0-9a-f]{32}$")]

ENTRIES_MAX = 200
"""The most changes in one request."""


class EntryByStaff(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The player to enter."""

    player: Player
    """A member of the league, with or without an account."""

    bot: bool = False
    """True if a program will play. The terms may forbid it, or demand it."""


class EntrantNamed(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The entrant to act for."""

    entrant: Entrant


class RebuyNamed(RebuyWanted, forbid_unknown_fields=True, kw_only=True):
    """The rebuy to declare for an entrant."""

    entrant: Entrant


class _Change(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, tag_field="type"):
    pass


class EnterChange(_Change, forbid_unknown_fields=True, kw_only=True, tag="enter"):
    """Enter a player."""

    player: Player
    """A member of the league, with or without an account."""

    bot: bool = False
    """True if a program will play. The terms may forbid it, or demand it."""


class WithdrawChange(_Change, forbid_unknown_fields=True, kw_only=True, tag="withdraw"):
    """Withdraw an entry, a waitlist position or an application."""

    entrant: Entrant


class CheckInChange(_Change, forbid_unknown_fields=True, kw_only=True, tag="check_in"):
    """Check an entrant in."""

    entrant: Entrant


class UndoCheckInChange(_Change, forbid_unknown_fields=True, kw_only=True, tag="undo_check_in"):
    """Undo a check-in."""

    entrant: Entrant


Change = EnterChange | WithdrawChange | CheckInChange | UndoCheckInChange


class ChangesWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Changes to make together."""

    changes: Annotated[tuple[Change, ...], Meta(min_length=1, max_length=ENTRIES_MAX)]
    """1 to 200 changes. They are decided in this order, and all of them are made, or none."""


class ChangeMade(msgspec.Struct, kw_only=True):
    """The effect of one change."""

    entrant: str
    events: tuple[str, ...]
    """Types of the events that name the entrant, in order. Empty if nothing changed."""


class ChangesMade(msgspec.Struct, kw_only=True):
    """The effects of all changes."""

    tournament: str
    changes: tuple[ChangeMade, ...]
    """One for each change of the request, in the same order."""

    position: str | None = None


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations/by-staff", "enter_by_staff",
    "Enter a player. The entry needs no approval.",
    needs="run_tournaments", scope="tournaments:manage", answer=Registration, status=201,
    key_required=True, problems=REGISTERING,
)  # fmt: skip
async def enter_by_staff(
    body: EntryByStaff, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Enter a player, who gets a place or joins the waitlist."""
    by = PlayerId(principal.account.player)
    return await register(shell, place, order, PlayerId(body.player), bot=body.bot, by=by)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations/{entrant_id:str}/withdraw",
    "withdraw_by_staff",
    "Withdraw a player's entry before play, or a waitlist place or application until the end.",
    needs="run_tournaments", scope="tournaments:manage", body=Nothing, answer=EntryChanged,
    problems=("entrant_unknown", "registration_closed", "seats_being_drawn"),
)  # fmt: skip
async def withdraw_by_staff(
    entrant_id: str, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Withdraw an entry. The free place is offered to the next player on the waitlist."""
    by = PlayerId(principal.account.player)
    command = Withdraw(entrant=EntrantId(entrant_id), by=by, now=shell.now())
    receipt = await submit_to_tournament(shell.runtime, place.league, place.id, command, order)
    return entry_changed(receipt, place)


@operation(
    "DELETE", "/v1/tournaments/{tournament_id:str}/registrations/{entrant_id:str}/check-in",
    "undo_check_in", "Undo a check-in before play starts.",
    # A caller who may also start play could use this to take the entrant's place.
    needs="direct_play", scope="tournaments:manage", answer=EntryChanged,
    problems=(
        "entrant_unknown", "registration_closed", "registration_not_open", "seats_being_drawn",
    ),
)  # fmt: skip
async def undo_check_in(
    entrant_id: str, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Undo a check-in. The entrant may check in again."""
    by = PlayerId(principal.account.player)
    command = UndoCheckIn(entrant=EntrantId(entrant_id), by=by, now=shell.now())
    receipt = await submit_to_tournament(shell.runtime, place.league, place.id, command, order)
    return entry_changed(receipt, place)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/registrations/bulk", "change_entries",
    "Enter, withdraw and check in several players together.",
    needs="run_tournaments", scope="tournaments:manage", answer=ChangesMade, key_required=True,
    problems=(*REGISTERING, "check_in_not_open", "entrant_unknown"),
    about="All changes are made in one step, or none. A refusal names the change that was "
    "refused in `change`, counted from 0.",
)  # fmt: skip
async def change_entries(
    body: ChangesWanted, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Make all changes in one append."""
    by = PlayerId(principal.account.player)
    commands = [
        _command(each, order, index, len(body.changes), by, shell)
        for index, each in enumerate(body.changes)
    ]
    await _demand_no_office(shell, place, commands)
    receipt = await submit_all_to_tournament(shell.runtime, place.league, place.id, commands, order)
    named: dict[str, list[str]] = {each.entrant: [] for each in commands}
    for recorded in receipt.recorded:
        event = recorded.event
        if isinstance(event, ABOUT_ENTRANT) and event.entrant in named:
            named[event.entrant].append(recorded.type)
    changes = tuple({"entrant": each.entrant, "events": named[each.entrant]} for each in commands)
    content = {"tournament": place.id, "changes": changes}
    return answer(receipt, content, 200, version_of=place.stream)


def _command(
    change: Change, order: Order, index: int, count: int, by: PlayerId, shell: Shell
) -> Register | Withdraw | CheckIn | UndoCheckIn:
    """Return the command of one change. *index* and *count* keep the new identifiers apart."""
    now = shell.now()
    tables = (TableId(identifier("tbl", order.new_id(count + index))),)
    match change:
        case EnterChange(player=player, bot=bot):
            entrant = EntrantId(f"ent_{order.new_id(index).hex}")
            return Register(
                entrant=entrant, player=PlayerId(player), bot=bot, table_ids=tables, by=by, now=now
            )
        case WithdrawChange(entrant=entered):
            return Withdraw(entrant=EntrantId(entered), by=by, now=now)
        case CheckInChange(entrant=entered):
            return CheckIn(entrant=EntrantId(entered), table_ids=tables, by=by, now=now)
        case UndoCheckInChange(entrant=entered):
            return UndoCheckIn(entrant=EntrantId(entered), by=by, now=now)


async def _demand_no_office(
    shell: Shell, place: TournamentPlace, commands: Sequence[Command]
) -> None:
    """
    Check that no newcomer has held an office since play began.

    Raises:
        OfficeHeld: If a newcomer has.
    """
    if not isinstance(place.state, Running):
        return
    for each in commands:
        if isinstance(each, Register) and not counts_as_entered(place.state, each.player):
            await demand_no_office_since(shell.runtime.pool, place.league, place.id, each.player)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/rebuys/by-staff", "rebuy_by_staff",
    "Declare a rebuy for an entrant: at once if they have busted, or else for the next bust.",
    needs="run_tournaments", scope="tournaments:manage", answer=Bought, status=201,
    key_required=True, problems=("rebuy_not_allowed", "tournament_not_running"),
)  # fmt: skip
async def rebuy_by_staff(
    body: RebuyNamed, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Declare a rebuy. A declared rebuy is owed and cannot be withdrawn."""
    entrant, by = EntrantId(body.entrant), PlayerId(principal.account.player)
    level = await level_of(shell, place, entrant)
    command = DeclareRebuy(entrant=entrant, level=level, number=body.number, by=by, now=shell.now())
    return await buy(shell, place, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/add-ons/by-staff", "add_on_by_staff",
    "Take the add-on of the terms for an entrant, during a break or pause.",
    needs="run_tournaments", scope="tournaments:manage", answer=Bought, status=201,
    key_required=True,
    problems=("add_on_not_allowed", "hand_in_play", "no_hand_left", "tournament_not_running"),
)  # fmt: skip
async def add_on_by_staff(
    body: EntrantNamed, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Take the add-on. The chips come to the seat between hands."""
    by = PlayerId(principal.account.player)
    command = TakeAddOn(entrant=EntrantId(body.entrant), by=by, now=shell.now())
    return await buy(shell, place, order, command)
