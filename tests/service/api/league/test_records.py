"""A player's record matches the log, counted a second time by hand."""

from collections import Counter

import msgspec
import pytest

from engine.values import number_of
from service.api.http.reading.paging import position_parts, position_token
from service.base.database import async_engine
from service.projections.following.runner import Runner
from service.projections.rebuilding.comparing import compare_league
from tests.service.api.conftest import ANY
from tests.service.api.nights import project, visitor
from tests.service.api.tournament.test_corrections import WHY, a_night, award, entrants
from tests.service.api.tournament.test_money import FEES, TERMS, ledger, played_out
from tests.service.league_night import played

pytestmark = pytest.mark.anyio


async def events_of(api, league):
    """Return type and data of all events of a league."""
    store = api.app.shell.runtime.writer.store
    rows = await store.league(number_of(league), -1, 5000)
    return [(row.type, row.stream, msgspec.json.decode(row.data)) for row in rows]


@pytest.mark.parametrize("void", [None, "mis_deal"])
async def test_a_record_counts_what_the_log_says(serving, database, void) -> None:
    night = await played(database, f"record {void}", void=void)
    async with serving() as api:
        person = await visitor(api, night)
        await project(database)
        events = await events_of(api, night.league)
        player_of = {
            data["entrant"]: data["player"]
            for type_, _, data in events
            if type_ == "entrant_registered"
        }
        hands, won, busts, dealt = Counter(), Counter(), Counter(), {}
        for type_, stream, data in events:
            if type_ == "hand_opened":
                dealt[stream] = [seat["entrant"] for seat in data["seats"] if seat["dealt"]]
            if type_ == "hand_settled":
                hands.update(player_of[each] for each in dealt[stream])
                won.update(
                    player_of[each["entrant"]]
                    for each in data["stacks"]
                    if each["seat"] in data["winners"]
                )
            if type_ == "entrant_busted":
                busts[player_of[data["entrant"]]] += 1
        knocked_out = {
            data["entrant"]: data["by"]
            for type_, _, data in events
            if type_ == "entrant_knocked_out"
        }
        knockouts = Counter(player_of[each] for by in knocked_out.values() for each in by)
        assert len(knocked_out) == sum(busts.values())
        [finished] = [data for type_, _, data in events if type_ == "tournament_finished"]
        [awarded] = [data for type_, _, data in events if type_ == "points_awarded"]
        paid = {each["player"]: each["amount"] for each in finished["payouts"]}
        points = {each["player"]: each["points"] for each in awarded["awards"]}
        places = {each["player"]: each["place"] for each in finished["placings"]}
        for player in night.players:
            path = f"/v1/leagues/{night.league}/players/{player}/record"
            answer = await person.get(path)
            assert answer.status_code == 200, answer.text
            record = answer.json()
            sums = record["sums"]
            assert (sums["hands"], sums["hands_won"]) == (hands[player], won[player])
            assert sums["busts"] == busts[player]
            assert sums["knockouts"] == knockouts[player]
            assert (sums["tournaments"], sums["entries"]) == (1, 1)
            assert sums["placings"] == [{"place": places[player], "times": 1}]
            expected = (
                [{"currency": "EUR", "amount": paid[player], "bounties": 0}]
                if player in paid
                else []
            )
            assert sums["winnings"] == expected
            assert [each["points"] for each in sums["points"]] == [points[player]]
            [game] = record["games"]
            assert (game["state"], game["placing"]) == ("finished", places[player])
        assert (sum(paid.values()) == finished["payouts"] and True) or sum(paid.values()) > 0


async def test_games_go_by_pages_the_latest_first(serving, database) -> None:
    async with serving() as api:
        owner, league = await api.league()
        names = [f"Night {number}" for number in range(5)]
        for name in names:
            made = await owner.post(
                f"/v1/leagues/{league}/tournaments", {"name": name, "ruleset": "better"}
            )
            path = f"/v1/tournaments/{made.json()['id']}/registrations"
            entered = await owner.post(path)
            assert entered.status_code == 201
        await project(database)
        path, found, cursor = f"/v1/leagues/{league}/players/{owner.player}/record", [], None
        seen = entered.json()["position"]
        for _ in range(5):
            query = {"limit": 1, "min_position": seen} | ({"cursor": cursor} if cursor else {})
            page = (await owner.get(path, params=query)).json()
            found += [each["name"] for each in page["games"]]
            cursor = page["next_cursor"]
        assert (found, cursor) == (names[::-1], None)


async def test_who_never_belonged_has_no_record_and_strangers_see_none(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        stranger = await api.person()
        mine = f"/v1/leagues/{league}/players/{owner.player}/record"
        assert (await owner.get(mine)).json()["games"] == []
        for person, path in (
            (stranger, mine),
            (owner, f"/v1/leagues/{league}/players/{stranger.player}/record"),
            (owner, f"/v1/leagues/{league}/players/x/record"),
        ):
            answer = await person.get(path)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("ruleset", ["better_simple", "traditional", "spike"])
async def test_every_read_model_built_anew_is_the_live_one(database, ruleset) -> None:
    night = await played(database, f"rebuilt {ruleset}", ruleset=ruleset)
    engine = async_engine(database.url("holotable_project"), 2)
    await Runner(engine, chunk=11).catch_up()
    async with engine.connect() as connection:
        assert await compare_league(connection, night.league) == []
    await engine.dispose()


async def test_knockouts_and_bounties_are_those_of_the_books(serving, database) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(2, **TERMS, fees=FEES)
        await played_out(people, tournament, table)
        await project(database)
        books = {each["entrant"]: each for each in (await ledger(owner, tournament))["accounts"]}
        for person in people:
            record = await owner.get(f"/v1/leagues/{league}/players/{person.player}/record")
            sums, [game] = record.json()["sums"], record.json()["games"]
            mine = books[game["entrant"]]
            assert (game["knockouts"], game["bounties"]) == (mine["knockouts"], mine["bounties"])
            assert sum(each["bounties"] for each in sums["winnings"]) == mine["bounties"]
            assert sums["knockouts"] == mine["knockouts"]
        assert sum(each["bounties"] for each in books.values()) == 100
    engine = async_engine(database.url("holotable_project"), 2)
    async with engine.connect() as connection:
        assert await compare_league(connection, league) == []
    await engine.dispose()


async def test_a_result_set_right_is_in_the_record_and_not_in_the_past(serving, database) -> None:
    async with serving() as api:
        owner, league, _, tournament, _ = await a_night(api, database)
        [winner, *_] = await entrants(owner, tournament)
        path = f"/v1/leagues/{league}/players/{winner['player']}/record"
        before = (await owner.get(path)).json()
        assert (before["games"][0]["placing"], before["games"][0]["payout"] > 0) == (1, True)
        body = {"entrant": winner["id"], **WHY}
        position = (await owner.get(f"/v1/tournaments/{tournament}/floor")).json()["version"]
        done = await owner.post(f"/v1/tournaments/{tournament}/forfeits", body, headers=ANY)
        assert done.status_code == 201, done.text
        await award(database, league, tournament)
        after = (await owner.get(path, params={"min_position": done.json()["position"]})).json()
        shown = next(
            each for each in await entrants(owner, tournament) if each["id"] == winner["id"]
        )
        assert after["games"][0]["placing"] == shown["placing"] > 1
        assert after["games"][0]["payout"] == (shown["payout"] or 0)
        then = await owner.get(
            f"/v1/tournaments/{tournament}", params={"as_of": await before_of(api, league, done)}
        )
        placed = {each["id"]: each["placing"] for each in then.json()["entrants"]}
        assert placed[winner["id"]] == 1
        now = (await owner.get(f"/v1/tournaments/{tournament}/floor")).json()["version"]
        assert now == position + 1
    engine = async_engine(database.url("holotable_project"), 2)
    async with engine.connect() as connection:
        assert await compare_league(connection, league) == []
    await engine.dispose()


async def before_of(api, league, done) -> str:
    """Return the token of the position before the one in the answer *done*."""
    epoch, position = position_parts(done.json()["position"], league)
    return position_token(league, epoch, position - 1)
