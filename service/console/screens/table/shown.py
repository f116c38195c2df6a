"""The page of a playing table, made from the API's view of the table."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import msgspec

from engine.kit.cards import total
from engine.rulesets import Amounts, CoruscantShift, OpenEnd
from engine.table.read.view_parts import NextLevelView
from engine.tournament.model.terms import AddOnTerms
from service.api.http.shell import shell_of
from service.api.rules.evaluating import HandsWanted, HandsWorth
from service.api.table.legal import LegalImprove, LegalSelect
from service.api.table.views import TableSeen
from service.api.tournament.my_entries import MyItem
from service.base.sources import SystemEntropy
from service.console import links
from service.console.asking import Ask
from service.console.screens.table.acts import Acts, acts_of
from service.console.screens.table.called import Called, called_at
from service.console.screens.table.ended import Ended, end_of
from service.console.screens.table.felt import Felt, felt_of
from service.console.screens.table.game import Game
from service.console.screens.table.stops import Stop, stop_of
from service.console.screens.table.window import Window, window_of

_entropy = SystemEntropy()


class Worth(msgspec.Struct, frozen=True, kw_only=True):
    """The value of the chosen cards, as a showdown would count them."""

    cards: int
    """Number of cards counted."""

    total: int = 0
    name: str | None = None
    """The name of the hand, in a game of named hands."""

    bombed: bool = False
    distance: int | None = None
    suited: int | None = None
    suit: str | None = None


class Stakes(msgspec.Struct, frozen=True, kw_only=True):
    """The items that a player without chips may stake."""

    mine: tuple[MyItem, ...]
    """Items that were staked before."""

    values: tuple[int, ...]
    """The values that a new item may have. Empty if the player may bring none."""


class Declaring(msgspec.Struct, frozen=True, kw_only=True):
    """A rebuy that the reader may declare while there are chips, or has declared."""

    number: int
    """The number of the rebuy among the reader's."""

    price: int
    """The price of a rebuy in minor units of the currency."""

    seconds: int
    """The time to rebuy after the loss of the last chip."""

    done: bool
    """True if the rebuy is declared."""


class TableScreen(msgspec.Struct, frozen=True, kw_only=True):
    """The playing table."""

    id: str
    game: Game
    felt: Felt
    acts: Acts | None
    """Null for a reader who cannot act now."""

    worth: Worth | None
    seat: int | None
    """The reader's seat at this table, or null."""

    elsewhere: str | None
    """The table at which the reader sits instead of this one, or null."""

    place: int | None
    """The reader's place in the tournament, or null while the reader plays."""

    decided: bool
    """True if the reader has chips left, and these decided the place."""

    last_hands_at: datetime | None
    """The time of the last hands while they are still to come, or null."""

    disqualified: bool
    rebuy: Window | None
    """The reader's rebuy window, or null if none is open."""

    declaring: Declaring | None
    """The rebuy that the reader may declare or has declared, or null."""

    called: Called
    stakes: Stakes | None
    """The items that the reader may stake now, or null."""

    staked: MyItem | None
    """The reader's item in escrow, or null."""

    add_on: AddOnTerms | None
    """The add-on that the reader may take in this stop of play, or null."""

    casino: bool
    """True if the reader may bring chips to the own seat, and leave with them."""

    away: bool
    turn: bool
    waits_for: tuple[str, ...]
    """The names of the players to act."""

    decision: str
    deadline: datetime | None
    amounts: Amounts
    level: int
    next_level: NextLevelView | None
    ended: Ended | None
    between: bool
    """True if no hand is in play."""

    stop: Stop | None
    """The break or pause that holds between two hands, or null."""

    experimental: bool
    closed_since: datetime | None
    """The instant since which an operator lets nobody act, or null. The clock stands since then."""

    now: datetime


async def table_screen(ask: Ask, table: str, chosen: Sequence[str]) -> TableScreen:
    """
    Return the table as the reader may see it.

    Args:
        chosen: The cards that are ticked.

    Raises:
        Problem: If the API refuses.
    """
    seen = await ask.api.get(f"/v1/tables/{table}", TableSeen)
    game = await ask.api.get(f"/v1/tournaments/{seen.tournament}", Game)
    my = game.my
    here = my is not None and my.table == table
    own = next((each for each in seen.seats if my and each.entrant == my.entrant), None)
    rebuy, now = await _rebuy(ask, game), shell_of(ask.request).now()
    return TableScreen(
        id=table,
        game=game,
        felt=_felt(seen, game, None if own is None else own.seat),
        acts=acts_of(seen, chosen, game.ruleset.chip_unit) if seen.legal or seen.me else None,
        worth=await _worth(ask, game, seen, chosen),
        seat=None if own is None else own.seat,
        elsewhere=None if my is None or here else my.table,
        place=_place(game),
        decided=game.state == "finished" and own is not None and own.stack > 0,
        last_hands_at=game.floor.last_hands_at if game.state in ("running", "paused") else None,
        disqualified=_disqualified(game),
        rebuy=rebuy,
        declaring=_declaring(game) if here else None,
        called=await called_at(ask, game, now),
        stakes=None if rebuy is None else _stakes(game),
        staked=_staked(game) if here else None,
        add_on=game.fees.add_on if my is not None and here and my.add_on else None,
        casino=own is not None and isinstance(game.ruleset.end, OpenEnd),
        away=own is not None and own.away,
        turn=seen.my_turn,
        waits_for=_waits_for(seen),
        decision=seen.decision.token if seen.decision else "",
        deadline=seen.decision.deadline if seen.decision else None,
        amounts=seen.amounts,
        level=seen.level,
        next_level=seen.next_level,
        ended=await end_of(ask, seen, game.ruleset),
        between=seen.hand is None,
        stop=await stop_of(ask, seen, game.state),
        experimental=seen.experimental,
        closed_since=seen.closed_since,
        now=now,
    )


def _felt(seen: TableSeen, game: Game, own: int | None) -> Felt:
    # A reader who plays here could press a name by mistake.
    pages = _pages(game) if own is None else None
    disqualified = frozenset(each.id for each in game.entrants if each.disqualified)
    chips = not game.ruleset.moneyless
    return felt_of(seen, seen.names, own, chips=chips, pages=pages, disqualified=disqualified)


def _pages(game: Game) -> dict[str, str]:
    """Return the address of each entrant's player."""
    return {each.id: links.player(game.league, each.player) for each in game.entrants}


async def table_screens(ask: Ask, tables: Sequence[str]) -> tuple[TableScreen, ...]:
    """Return several tables, side by side. Raises as :func:`table_screen`."""
    return tuple(await asyncio.gather(*(table_screen(ask, each, ()) for each in tables)))


def _disqualified(game: Game) -> bool:
    mine = None if game.my is None else game.my.entrant
    return any(each.id == mine and each.disqualified for each in game.entrants)


def _place(game: Game) -> int | None:
    mine = None if game.my is None else game.my.entrant
    return next((each.placing for each in game.entrants if each.id == mine), None)


async def _rebuy(ask: Ask, game: Game) -> Window | None:
    mine = None if game.my is None else game.my.entrant
    status = next((each.status for each in game.entrants if each.id == mine), "")
    if status != "rebuy_open":
        return None
    return await window_of(ask, game.id, game.fees, game.ruleset)


def _declaring(game: Game) -> Declaring | None:
    """Return the rebuy that the reader may declare or has declared, or None."""
    my = game.my
    mine = next((each for each in game.entrants if my and each.id == my.entrant), None)
    if my is None or mine is None or not (my.declares_rebuy or mine.rebuy_declared):
        return None
    price = game.fees.price_of_rebuy
    return Declaring(
        number=mine.rebuys + 1,
        price=price.price + price.fee,
        seconds=game.ruleset.rebuy.seconds,
        done=mine.rebuy_declared,
    )


def _stakes(game: Game) -> Stakes | None:
    """Return the items that the reader may stake, or None if there are none."""
    ruleset, my = game.ruleset, game.my
    if my is None or not isinstance(ruleset, CoruscantShift):
        return None
    mine = tuple(each for each in my.items if not each.staked)
    values = ruleset.item_values if my.brings_item else ()
    return Stakes(mine=mine, values=values) if mine or values else None


def _staked(game: Game) -> MyItem | None:
    """Return the reader's item in escrow, or None."""
    items = () if game.my is None else game.my.items
    return next((each for each in items if each.staked), None)


def _waits_for(seen: TableSeen) -> tuple[str, ...]:
    if seen.decision is None:
        return ()
    sitting = {each.seat: each.entrant for each in seen.seats}
    asked = [sitting[each] for each in seen.decision.seats if each in sitting]
    return tuple(seen.names.get(each, each) for each in asked)


async def _worth(ask: Ask, game: Game, seen: TableSeen, chosen: Sequence[str]) -> Worth | None:
    """Return the value of the reader's cards: the chosen ones, or all if none are chosen."""
    if seen.me is None:
        return None
    cards = _counted(seen, chosen)
    if not cards:
        return Worth(cards=0) if _choosing(seen) else None
    if seen.rounds is None and (seen.target is None or seen.suit is None):
        return Worth(cards=len(cards), total=total(cards))
    wanted = HandsWanted(hands=(cards,), target=seen.target, suit=seen.suit)  # type: ignore[arg-type]
    path = f"/v1/tournaments/{game.id}/evaluate"
    found = await ask.api.send("POST", path, wanted, HandsWorth, key=_entropy.uuid().hex)
    [worth] = found.hands
    return Worth(
        cards=len(cards),
        total=worth.total,
        name=None if worth.name == "total" else worth.name,
        bombed=worth.bombed,
        distance=worth.distance,
        suited=worth.suited,
        suit=seen.suit,
    )


def _choosing(seen: TableSeen) -> bool:
    return any(isinstance(each, LegalSelect | LegalImprove) for each in seen.legal)


def _counted(seen: TableSeen, chosen: Sequence[str]) -> tuple[str, ...]:
    mine = seen.me
    if mine is None:
        return ()
    if seen.rounds is not None:
        field = next((each.field for each in seen.seats if each.seat == mine.seat), ())
        return (*mine.cards, *field)
    loose = (*mine.cards, *mine.new_cards)
    return (*mine.selection, *(each for each in loose if each in chosen))
