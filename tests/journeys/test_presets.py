"""Bots play every preset to its end over HTTP, on one stack, in one tournament each."""

import asyncio
import io
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from rich.console import Console

from engine.rulesets import PRESETS
from service.base.sources import DatabaseClock
from service.cli.demo import demo
from service.process.supervisor import Stack
from service.sandbox.demo.night import Night, Outcome
from service.sandbox.demo.options import Options
from service.sandbox.demo.teller import Teller

NAMES = sorted(PRESETS)
SHORT = {"better": 60, "better_simple": 15, "cantina": 20, "traditional": 15, "spike": 20}
"""Starting stacks with which a tournament ends soon."""

SECONDS_MAX = 150
"""Much more than a run alone needs, for a machine that runs other tests as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour(Options):
    """A night with one tournament for each preset."""

    def ruleset_of(self, number: int) -> str:
        """Return the preset of tournament *number*, counted from 1."""
        return NAMES[number - 1]

    def stack_of(self, number: int) -> int:
        """Return the starting stack of tournament *number*."""
        name = self.ruleset_of(number)
        return SHORT[name] if name in SHORT else Options.stack_of(self, number)


class Played:
    """The result and the story of the tour."""

    def __init__(self, outcome: Outcome, told: str) -> None:
        self.outcome = outcome
        _, *parts = told.split("\nTournament ")
        self.told = {part.splitlines()[0].rpartition(": ")[2]: part for part in parts}
        """The story of each tournament, by preset."""


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    directory = tmp_path_factory.mktemp("p") / "d"
    options = {"tick_milliseconds": 50, "sweep_seconds": 1, "worker_processes": 1}
    told = io.StringIO()
    with Stack(directory, keep=False, durable=False, options=options) as stack:
        outcome = asyncio.run(asyncio.wait_for(played(stack, told), SECONDS_MAX))
    yield Played(outcome, told.getvalue())


async def played(stack: Stack, told: io.StringIO) -> Outcome:
    """Play every preset on *stack*."""
    options = Tour(players=3, tournaments=len(NAMES))
    console = Console(file=told, soft_wrap=True, highlight=False)
    async with httpx.AsyncClient(base_url=stack.url, timeout=40) as http:
        with Teller(console, steps=1) as teller:
            return await Night(http, options, teller, DatabaseClock()).play()


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_tournament_of_every_preset_comes_to_its_placings(tour: Played, name: str) -> None:
    assert "placings" in tour.told[name]


@pytest.mark.long
def test_every_tournament_counts_for_the_season(tour: Played) -> None:
    """The points of a tournament are awarded once it has finished, and not before."""
    assert {row["played"] for row in tour.outcome.standings} == {len(NAMES)}


@pytest.mark.long
def test_no_legal_action_of_a_bot_is_refused_in_any_game(tour: Played) -> None:
    assert tour.outcome.refusals == []


@pytest.mark.long
def test_every_hand_of_every_game_passes_the_audit(tour: Played) -> None:
    """The audit decides every hand again, deals it again, and verifies its chain."""
    assert tour.outcome.passed, tour.outcome.audits


@pytest.mark.parametrize("name", NAMES)
def test_the_demo_takes_every_preset(name: str) -> None:
    context = demo.make_context("demo", ["--ruleset", name])

    assert context.params["ruleset"] == name
