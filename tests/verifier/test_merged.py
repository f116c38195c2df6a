"""The verifier counts merged players as one and imported results as stated."""

import asyncio
from collections.abc import Callable
from functools import cache

import pytest

from engine import season
from engine.season.commands import ImportResults, MergeResults, StatedResult, StatedTournament
from engine.values import PlayerId, identifier
from service.sandbox.generating import seasons
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.world import VirtualLoop, open_world
from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import verifier

SEED = "merged"


@cache
def bundle() -> bytes:
    """Return a season with a list, a tournament, and two merges that end at one player."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return b"".join(runner.run(_made()).lines)


async def _made() -> seasons.Season:
    async with open_world(SEED) as runtime:
        played = seasons.MadeUp(runtime, Dice(SEED, 0), 4)
        await played.open()
        new, old = (PlayerId(identifier("plr", runtime.entropy.uuid())) for _ in range(2))
        results = (
            StatedResult(player=old, place=1, points="9"),
            StatedResult(player=played.players[1], place=2, points="4"),
            StatedResult(player=played.players[2], place=2, points="4"),
        )
        listed = StatedTournament(name="Opening", played_on="2024-03-03", results=results)
        ruling = played._ruling()
        importing = ImportResults(
            tournaments=(listed,), digest="44" * 32, author=played.owner, now=ruling["now"]
        )
        await played._decide(played.season, season.decider, importing)
        await played.night(1)
        for player, into in ((old, played.players[0]), (played.players[0], new)):
            merging = MergeResults(player=player, into=into, **played._ruling())
            await played._decide(played.season, season.decider, merging)
        await played.close()
        return await seasons._kept(runtime, SEED, played.league, played.season)


def standings_of_the_merged_player(forged: Forgery) -> None:
    merged = forged.events("results_merged")[-1]["data"]
    for each in forged.data("season_closed")["standings"]:
        if each["player"] == merged["into"]:
            each["player"] = merged["player"]


def a_merge_of_two_who_met(forged: Forgery) -> None:
    awards = forged.data("points_awarded")["awards"]
    forged.events("results_merged")[-1]["data"]["into"] = awards[-1]["player"]


def a_merge_by_one_of_the_two(forged: Forgery) -> None:
    merged = forged.events("results_merged")[-1]["data"]
    merged["author"] = merged["into"]


def a_player_merged_twice(forged: Forgery) -> None:
    first, last = (each["data"] for each in forged.events("results_merged"))
    last["player"] = first["player"]


def an_imported_place_that_nobody_shares(forged: Forgery) -> None:
    forged.data("results_imported")["tournaments"][0]["results"][1]["shared"] = 1


def an_imported_point_too_much(forged: Forgery) -> None:
    result = forged.data("results_imported")["tournaments"][0]["results"][0]
    result["points"] = "1" + result["points"]


def one_player_twice_in_a_list(forged: Forgery) -> None:
    results = forged.data("results_imported")["tournaments"][0]["results"]
    results[2]["player"] = results[1]["player"]


def test_a_season_with_merges_and_a_list_is_passed() -> None:
    report = verifier.verify(Forgery(bundle()).write(), [PUBLIC])
    assert report.differences == []
    assert report.status() == verifier.PASS, report.unchecked


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (standings_of_the_merged_player, "standings.total"),
        (a_merge_of_two_who_met, "standings.merged"),
        (a_merge_by_one_of_the_two, "standings.merged"),
        (a_player_merged_twice, "standings.merged"),
        (an_imported_place_that_nobody_shares, "standings.imported"),
        (an_imported_point_too_much, "standings.total"),
        (one_player_twice_in_a_list, "standings.imported"),
    ],
)
def test_a_false_merge_or_list_is_found(change: Callable[[Forgery], None], rule: str) -> None:
    forged = Forgery(bundle())
    change(forged)
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    assert rule in {found for _, found, _ in report.differences}
