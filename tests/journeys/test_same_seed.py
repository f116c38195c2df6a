"""Two nights with one seed deal the same cards, although their players act differently."""

import asyncio
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.console import Console
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.coordination.aggregates import DECIDERS
from engine.table.model.events import (
    CardsDealt,
    DiceRolled,
    HandOpened,
    ReplacementsDealt,
    TableOpened,
)
from engine.tournament.model.events import SeatsDrawn, TournamentAnnounced
from engine.values import number_of
from service.base.database import async_engine
from service.base.sources import DatabaseClock
from service.log.codec import Codec
from service.log.keys import Keys
from service.log.read import read_league
from service.process.supervisor import Stack
from service.sandbox.bots.client import Client
from service.sandbox.demo.night import Night
from service.sandbox.demo.options import Options
from service.sandbox.demo.teller import Teller

pytestmark = [pytest.mark.long, pytest.mark.slow]

SEED = 4
OPTIONS = {
    "tick_milliseconds": 50, "sweep_seconds": 1, "worker_processes": 1, "log_level": "warning",
}  # fmt: skip
IN_COMMON_MIN = 20
"""Two tournaments of eight bots play more than twice as many hands."""

Key = tuple[str, int, int, int]
"""Name of the tournament, table, hand and deal: everything a deck depends on, except openings."""


@dataclass
class Dealt:
    """The random values and the cards of one deal, as the house sees them."""

    root: str
    openings: tuple[Any, ...]
    cards: dict[tuple[int, int], str] = field(default_factory=dict)
    """Each card's face, by pile and position."""

    dice: tuple[int, str] | None = None


class Evening(Night):
    """A night of players with names that are unique on this server."""

    def __init__(self, mark: str, *about: Any) -> None:
        super().__init__(*about)
        self.mark = mark
        self.league = ""

    async def _sign_up(self, name: str) -> tuple[Client, str]:
        return await super()._sign_up(f"{name} {self.mark}")

    async def _gather(self) -> tuple[str, str]:
        self.league, season = await super()._gather()
        return self.league, season


async def two_nights(stack: Stack) -> list[str]:
    """Play two nights at the same time, so that they disturb each other. Return their leagues."""
    options = Options(players=8, seed=SEED)
    async with httpx.AsyncClient(base_url=stack.url, timeout=40) as http:
        nights = [
            Evening(
                mark,
                http,
                options,
                Teller(Console(file=StringIO()), steps=1),
                DatabaseClock(),
            )
            for mark in ("one", "two")
        ]
        outcomes = await asyncio.gather(*(night.play() for night in nights))
    assert all(outcome.passed for outcome in outcomes)
    return [night.league for night in nights]


async def dealt_in(connection: AsyncConnection, keys: Keys, league: str) -> dict[Key, Dealt]:
    """Return every deal of a league, opened with the league's key."""
    own = await keys.of(connection, number_of(league))
    codec = Codec(DECIDERS)
    named: dict[str, str] = {}
    tables: dict[str, tuple[str, int]] = {}
    open_now: dict[str, Dealt] = {}
    found: dict[Key, Dealt] = {}
    after = -1
    while rows := await read_league(connection, league, after):
        for row in rows:
            after = row.position
            match codec.decode(row, own):
                case TournamentAnnounced() as announced:
                    named[announced.tournament] = announced.name
                case TableOpened() as opened:
                    tables[row.stream] = (named[opened.tournament], opened.number)
                case HandOpened() as hand:
                    dealt = Dealt(root=hand.deck_root, openings=hand.openings)
                    found[(*tables[row.stream], hand.number, hand.deal)] = dealt
                    open_now[row.stream] = dealt
                case DiceRolled(target=target, suit=suit):
                    open_now[row.stream].dice = (target, suit)
                case CardsDealt(dealt=parts) | ReplacementsDealt(dealt=parts):
                    cards = open_now[row.stream].cards
                    for card in (card for part in parts for card in part.cards):
                        cards[card.pile, card.position] = card.card
    return found


async def seats_in(connection: AsyncConnection, keys: Keys, league: str) -> list[list[int]]:
    """Return each tournament's seat draw, as places in the order of registration."""
    own = await keys.of(connection, number_of(league))
    codec, numbers, draws = Codec(DECIDERS), {}, []
    after = -1
    while rows := await read_league(connection, league, after):
        for row in rows:
            after = row.position
            if row.type == "entrant_registered":
                entry = codec.decode(row, own)
                numbers[entry.entrant] = entry.number
            elif row.type == "seats_drawn":
                drawn: SeatsDrawn = codec.decode(row, own)
                draws.append([numbers[entrant] for entrant in drawn.draw.order])
    return draws


async def compared(stack: Stack) -> tuple[list[dict[Key, Dealt]], list[list[list[int]]]]:
    leagues = await two_nights(stack)
    settings = stack.settings("audit")
    engine = async_engine(settings.database_url, 1)
    keys = Keys(settings.secret_key)
    try:
        async with engine.connect() as connection:
            deals = [await dealt_in(connection, keys, league) for league in leagues]
            draws = [await seats_in(connection, keys, league) for league in leagues]
    finally:
        await engine.dispose()
    return deals, draws


def test_the_same_seed_deals_the_same_cards_to_the_same_hands(tmp_path: Path) -> None:
    """Roots, dice and all cards that both nights dealt are equal. Players and pace may differ."""
    with Stack(tmp_path / "d", durable=False, options=OPTIONS) as stack:
        (one, two), (first, second) = asyncio.run(compared(stack))

    common = [key for key in one if key in two and one[key].openings == two[key].openings]
    assert len(common) >= IN_COMMON_MIN
    assert {name for name, *_ in common} == {"Better Open 1", "Cantina Open 2"}
    assert {table for _, table, *_ in common} == {1, 2}
    cards = 0
    for key in common:
        assert one[key].root == two[key].root, key
        assert one[key].dice == two[key].dice, key
        # Later piles are made of discards, which depend on the players.
        both = [place for place in one[key].cards if place in two[key].cards and place[0] == 1]
        assert [one[key].cards[place] for place in both] == [
            two[key].cards[place] for place in both
        ]
        cards += len(both)
    assert cards >= 10 * len(common)
    assert first == second
