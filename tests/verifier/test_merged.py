"""The verifier counts merged players as one and imported results as stated."""

import asyncio
from collections.abc import Callable
from functools import cache

import pytest
from msgspec.structs import replace

from engine import season
from engine.kit.house_bots import house_bot
from engine.season.commands import ImportResults, MergeResults, StatedResult, StatedTournament
from engine.values import PlayerId, identifier
from service.sandbox.generating import seasons
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.world import VirtualLoop, open_world
from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import verifier

SEED = "merged"


@cache
def bundle(*, again: bool = False) -> bytes:
    """
    Return a season with a list, a tournament, and two merges that end at one player.

    Args:
        again: True if another list follows the tournament.
    """
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return b"".join(runner.run(_made(again=again)).lines)


async def _made(*, again: bool) -> seasons.Season:
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
        if again:
            first, *others = results
            fewer = replace(listed, results=(replace(first, points="8"), *others))
            changed = replace(importing, tournaments=(fewer,), now=played._ruling()["now"])
            await played._decide(played.season, season.decider, changed)
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


def a_list_of_own_results_and_then_a_tournament(forged: Forgery) -> None:
    listed = forged.data("results_imported")
    listed["author"] = listed["tournaments"][0]["results"][0]["player"]


def own_results_that_a_later_list_changes(forged: Forgery) -> None:
    listed = forged.data("results_imported", nth=1)
    listed["author"] = listed["tournaments"][0]["results"][0]["player"]


def a_house_bot_in_a_list(forged: Forgery) -> None:
    listed = forged.data("results_imported", nth=1)
    bot = house_bot("lge_" + "1" * 32, "steady", 1)
    listed["tournaments"][0]["results"][1]["player"] = bot


def test_a_season_with_merges_and_a_list_is_passed() -> None:
    report = verifier.verify(Forgery(bundle()).write(), [PUBLIC])
    assert report.differences == []
    assert report.status() == verifier.PASS, report.unchecked


def test_a_list_after_a_tournament_leaves_the_authors_own_results() -> None:
    report = verifier.verify(Forgery(bundle(again=True)).write(), [PUBLIC])
    assert report.differences == []
    for change, rule in (
        (a_list_of_own_results_and_then_a_tournament, "standings.imported"),
        (own_results_that_a_later_list_changes, "standings.imported"),
        (a_house_bot_in_a_list, "points.house_bots"),
    ):
        forged = Forgery(bundle(again=True))
        change(forged)
        report = verifier.verify(forged.write(), [PUBLIC])
        assert report.authentic
        assert rule in {found for _, found, _ in report.differences}, change.__name__


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
