"""Public leagues over HTTP: everything that strangers see, and nothing else."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx
import psycopg
import pytest

from service.api.public.leagues import PublicScheduled
from service.people.tokens import token_text
from tests.service.api.conftest import Api, Person
from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_leaks import cards_in
from tests.service.api.tournament.test_casino import play_out
from tests.service.api.tournament.test_corrections import award
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

TERMS = {
    "name": "Night", "ruleset": "better", "hands_between_seconds": 0, "hands_max": 1,
    "place": "Deck 9", "length_seconds": 7200, "prize_pool": 900, "currency": "EUR",
    "payouts": [6, 3], "starts_at": "2098-12-29T19:00:00Z",
}  # fmt: skip
HEADERS = ("cache-control", "vary", "content-type")


@dataclass
class Night:
    """A league with one tournament that has begun."""

    api: Api
    owner: Person
    league: str
    season: str
    tournament: str
    people: list[Person]
    table: str
    hand: str = ""
    link: str | None = None
    paths: dict[str, str] = field(default_factory=dict)

    async def get(self, name: str, **more: Any) -> httpx.Response:
        """Read one of the public paths, without a token."""
        return await self.api.http.get(self.paths[name], **more)

    async def statuses(self, **params: str) -> dict[str, int]:
        """Return the status of every public path."""
        return {name: (await self.get(name, params=params)).status_code for name in self.paths}

    async def show(self, visibility: str, **more: Any) -> str | None:
        """Set the league's visibility. Return a new link key, if one was made."""
        answer = await self.api.http.put(
            f"/v1/leagues/{self.league}/visibility",
            json={"visibility": visibility, **more},
            headers=self.owner.headers,
        )
        assert answer.status_code == 200, answer.text
        link: str | None = answer.json()["link"]
        return link


async def night(api: Api, visibility: str) -> Night:
    """Announce a tournament with *visibility* and begin it."""
    owner, league = await api.league()
    found = Night(api, owner, league, "", "", [], "")
    if visibility != "members":
        found.link = await found.show(visibility)
    opened = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"}, key="s")
    found.season = opened.json()["id"]
    asked = TERMS | {"season": found.season}
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked, key="t")
    assert made.status_code == 201, made.text
    found.tournament = made.json()["id"]
    found.people = [await api.join(owner, league) for _ in range(2)]
    for number, person in enumerate(found.people):
        path = f"/v1/tournaments/{found.tournament}/registrations"
        assert (await person.post(path, key=f"r{number}")).status_code == 201
    begun = await owner.post(f"/v1/tournaments/{found.tournament}/start", key="b")
    assert begun.status_code == 202, begun.text
    shown = (await owner.get(f"/v1/tournaments/{found.tournament}")).json()
    found.table = shown["tables"][0]["id"]
    leagues = f"/v1/public/leagues/{league}"
    tournament = f"/v1/public/tournaments/{found.tournament}"
    found.paths = {
        "league": leagues,
        "tournaments": f"{leagues}/tournaments",
        "schedule": f"{leagues}/schedule",
        "seasons": f"{leagues}/seasons",
        "calendar": f"{leagues}/calendar.ics",
        "tournament": tournament,
        "floor": f"{tournament}/floor",
        "table": f"/v1/public/tables/{found.table}",
        "season": f"/v1/public/seasons/{found.season}",
        "standings": f"/v1/public/seasons/{found.season}/standings",
    }
    return found


async def play(found: Night, database: TestDatabase) -> None:
    """Play the tournament to its end, and find its hand."""

    await play_out(found.owner, found.tournament, found.people, found.table)
    await award(database, found.league, found.tournament)
    hands = (await found.owner.get(f"/v1/tables/{found.table}/hands")).json()["items"]
    found.hand = hands[0]["hand"]
    found.paths["hands"] = f"/v1/public/tournaments/{found.tournament}/hands"
    found.paths["replay"] = f"/v1/public/hands/{found.hand}/replay"
    player = found.people[0].player
    found.paths["record"] = f"/v1/public/leagues/{found.league}/players/{player}"


async def test_strangers_read_a_public_league_and_caches_may_keep_it(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        found = await night(api, "public")
        await project(database)
        row = (await found.owner.get(f"/v1/tables/{found.table}/hands")).json()["items"][0]
        running = await api.http.get(f"/v1/public/hands/{row['hand']}/replay")
        assert (running.status_code, running.json()["code"]) == (404, "not_found")
        hands = await api.http.get(f"/v1/public/tournaments/{found.tournament}/hands")
        assert (hands.status_code, hands.json()["items"]) == (200, [])
        floor = (await found.get("floor")).json()
        assert [each["name"] for each in floor["tables"][0]["seats"]] != []
        table = (await found.get("table")).json()
        assert [each["seat"] for each in table["seats"]] != []
        assert set(table["decision"]) == {"phase", "seats", "deadline"}
        assert set(table["seats"][0]) == {
            "seat", "entrant", "name", "stack", "wager", "dealt", "live", "all_in", "away",
            "answered", "kept", "card_count", "field", "announced", "revealed",
        }  # fmt: skip
        assert cards_in(table) == set()
        entrants = (await found.get("tournament")).json()["entrants"]
        assert {each["payout"] for each in entrants} == {None}
        await play(found, database)
        assert set((await found.statuses()).values()) == {200}
        for name in found.paths:
            shown = await found.get(name)
            assert shown.headers["cache-control"] == "public, max-age=15"
            assert shown.headers["vary"] == "Accept, Accept-Encoding, Origin"
            # A token changes nothing, and neither does a wrong one.
            unknown = {"Authorization": f"Bearer {token_text(b'x' * 32)}"}
            for headers in (found.owner.headers, found.people[0].headers, unknown):
                same = await found.get(name, headers=headers)
                assert (same.status_code, same.content) == (200, shown.content), name
                assert [same.headers[each] for each in HEADERS] == [
                    shown.headers[each] for each in HEADERS
                ]
            tag = shown.headers.get("etag")
            if tag is not None:
                again = await found.get(name, headers={"If-None-Match": tag})
                assert (again.status_code, again.content) == (304, b"")
                assert again.headers["cache-control"] == "public, max-age=15"
        listed = (await found.get("tournaments")).json()["items"]
        assert [(each["id"], each["place"]) for each in listed] == [(found.tournament, "Deck 9")]
        shown = (await found.get("tournament")).json()
        assert sorted(each["placing"] for each in shown["entrants"]) in ([1, 1], [1, 2])
        assert sum(each["payout"] for each in shown["entrants"]) == 900
        players = {person.player for person in found.people}
        assert {each["player"] for each in shown["entrants"]} == players
        seasons = (await found.get("seasons")).json()["items"]
        assert [(each["season"], each["name"], each["state"]) for each in seasons] == [
            (found.season, "Winter", "open")
        ]
        standings = (await found.get("standings")).json()["items"]
        assert {each["player"] for each in standings} == players
        assert all(each["name"] for each in (*standings, *shown["entrants"]))
        answer = await found.get("replay")
        replay = answer.json()
        assert replay["perspective"] == "public"
        assert answer.content in api.app.shell.replays.values()
        plain = await found.get("replay", headers={"Accept": "text/plain"})
        assert plain.headers["etag"] != answer.headers["etag"]
        assert {c for step in replay["steps"] for c in cards_in(step["view"]["me"])} == set()


async def test_no_answer_to_strangers_has_a_member_that_is_not_listed_here(
    serving, database: TestDatabase
) -> None:
    """Payments, texts, applicants and the staff never stand in a public answer."""
    async with serving() as api:
        found = await night(api, "public")
        await play(found, database)
        league = (await found.get("league")).json()
        assert set(league) == {
            "id", "name", "description", "place", "length_seconds", "url", "sandbox",
        }  # fmt: skip
        tournament = (await found.get("tournament")).json()
        assert set(tournament) == {
            "id", "league", "league_name", "season", "name", "state", "starts_at", "place",
            "length_seconds", "ruleset", "ruleset_name", "ruleset_hash", "format", "table_seats",
            "starting_stack", "entrants_min", "entrants_max", "prize_pool", "prizes", "currency",
            "late_registration", "entrants", "tables", "cancelled_because", "entry", "started_at",
            "late_registration_ends_at", "checked_in", "postponements",
        }  # fmt: skip
        assert set(PublicScheduled.__struct_fields__) == {
            "uid", "name", "starts_at", "started_at", "standing", "state", "ends_at", "place",
            "entrants", "entrants_max", "tournament", "local", "zone", "winners",
        }  # fmt: skip
        entrant = {"entrant", "player", "name", "bot", "placing", "payout"}
        assert set(tournament["entrants"][0]) == entrant
        table = (await found.get("table")).json()
        assert set(table) == {
            "id", "tournament", "tournament_name", "number", "seat_count", "closed", "hand",
            "hand_number", "target", "suit", "button", "current_bet", "carry", "sabacc_pot",
            "level", "amounts", "next_level", "pots", "rounds", "decision", "seats", "last_hand",
        }  # fmt: skip
        assert set(table["last_hand"]) == {
            "hand", "number", "target", "suit", "revealed", "awards", "winners", "sabacc_awards",
            "shown",
        }  # fmt: skip
        (hand,) = (await found.get("hands")).json()["items"]
        assert set(hand) == {
            "hand", "table", "table_number", "number", "pot", "winners", "opened_at", "settled_at",
        }  # fmt: skip
        assert set(hand["winners"][0]) == {"seat", "entrant", "name", "chips"}
        season = (await found.get("season")).json()
        assert set(season) == {"id", "league", "league_name", "name", "closed"}
        record = (await found.get("record")).json()
        assert set(record) == {
            "player", "name", "league", "league_name", "tournaments", "wins", "knockouts", "games",
            "next_cursor",
        }  # fmt: skip
        assert set(record["games"][0]) == {
            "tournament", "name", "season", "state", "starts_at", "finished_at", "placing",
            "shared", "payout", "currency", "knockouts",
        }  # fmt: skip
        assert (record["tournaments"], len(record["games"])) == (1, 1)
        owner = f"/v1/public/leagues/{found.league}/players/{found.owner.player}"
        assert (await api.http.get(owner)).status_code == 404
        standings = (await found.get("standings")).json()["items"]
        assert set(standings[0]) == {
            "rank", "shared", "player", "name", "points", "qualified", "played", "counted", "wins",
            "best_placing",
        }  # fmt: skip
        everything = [(await found.get(each)).text for each in found.paths if each != "replay"]
        assert found.owner.player not in json.dumps(everything)


@pytest.mark.parametrize("visibility", ["members", "link"])
async def test_a_hidden_thing_and_a_missing_one_get_the_same_answer(
    serving, database: TestDatabase, visibility: str
) -> None:
    async with serving() as api:
        found = await night(api, visibility)
        await play(found, database)
        for name, path in found.paths.items():
            kind, _, number = next(part for part in path.split("/") if "_" in part).partition("_")
            missing = path.replace(number, "0" * 32)
            one, other = await api.http.get(path), await api.http.get(missing)
            assert one.status_code == other.status_code == 404, (name, kind)
            passing = ("x-request-id", "instance")
            told, expected = one.json(), other.json()
            told.pop("instance"), expected.pop("instance")
            assert told == expected
            assert {k: v for k, v in one.headers.items() if k not in passing} == {
                k: v for k, v in other.headers.items() if k not in passing
            }
            assert one.headers["cache-control"] == "no-store"
        member = await found.owner.get(found.paths["league"])
        assert member.status_code == 404


async def test_a_link_key_opens_a_league_until_another_replaces_it(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        found = await night(api, "link")
        await play(found, database)
        old = str(found.link)
        assert set((await found.statuses(link=old)).values()) == {200}
        assert set((await found.statuses(link=old[:-1])).values()) == {404}
        shown = await found.get("league", params={"link": old})
        assert shown.headers["cache-control"] == "private, max-age=15"
        new = str(await found.show("link", new_link=True))
        assert set((await found.statuses(link=old)).values()) == {404}
        assert set((await found.statuses(link=new)).values()) == {200}
        await found.show("members")
        assert set((await found.statuses(link=new)).values()) == {404}


async def test_a_league_that_becomes_public_shows_no_earlier_tournament(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        found = await night(api, "members")
        await play(found, database)
        await found.show("public")
        statuses = await found.statuses()
        hidden = ("tournament", "floor", "table", "season", "standings", "replay", "record")
        assert {name: statuses[name] for name in hidden} == dict.fromkeys(hidden, 404)
        assert (await found.get("league")).status_code == 200
        assert (await found.get("tournaments")).json()["items"] == []
        assert (await found.get("seasons")).json()["items"] == []
        assert (await found.get("schedule")).json()["items"] == []
        draft = TERMS | {"draft": True, "name": "Kessel"}
        path = f"/v1/leagues/{found.league}/tournaments"
        drafted = (await found.owner.post(path, draft, key="d")).json()["id"]
        coming = (await found.owner.post(path, TERMS, key="c")).json()["id"]
        await project(database)
        listed = (await found.get("tournaments")).json()["items"]
        assert [each["id"] for each in listed] == [coming]
        shown = await api.http.get(f"/v1/public/tournaments/{drafted}")
        assert shown.status_code == 404


async def test_the_tag_of_an_answer_tells_nothing_of_hidden_events(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        found = Night(api, owner, league, "", "", [], "")
        await found.show("public")
        path = f"/v1/public/leagues/{league}"
        before = (await api.http.get(path)).headers["etag"]
        await api.join(owner, league)
        assert (await api.http.get(path)).headers["etag"] == before


async def test_points_of_an_evening_that_is_not_known_yet_hide_their_season(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        found = Night(api, owner, league, "", "", [], "")
        await found.show("public")
        opened = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"}, key="s")
        season = opened.json()["id"]
        found.paths = {
            "season": f"/v1/public/seasons/{season}",
            "standings": f"/v1/public/seasons/{season}/standings",
        }
        await project(database)
        assert set((await found.statuses()).values()) == {200}
        seasons = f"/v1/public/leagues/{league}/seasons"
        assert len((await api.http.get(seasons)).json()["items"]) == 1
        # As if the projection of tournaments had stopped before the evening was announced.
        with psycopg.connect(database.url("postgres"), autocommit=True) as superuser:
            superuser.execute(
                "INSERT INTO reads.ledger"
                " (season, position, part, league, at, kind, player, points, tournament, rule)"
                " VALUES (%s, 1, 0, %s, now(), 'result', %s, 10, %s, 'points')",
                [season, league, owner.player, f"trn_{'0' * 32}"],
            )
        assert set((await found.statuses()).values()) == {404}
        assert (await api.http.get(seasons)).json()["items"] == []


async def test_strangers_read_the_end_of_late_registration_that_an_outage_has_moved(
    serving,
) -> None:
    async with serving() as api:
        late = {"late_registration_seconds": 600}
        owner, _, tournament, _, _ = await api.playing(2, visibility="public", entry=late)
        own, public = f"/v1/tournaments/{tournament}", f"/v1/public/tournaments/{tournament}"
        before = (await owner.get(own)).json()["late_registration_ends_at"]
        await api.app.shell.runtime.pool.execute(
            "INSERT INTO outage VALUES ('api', now() - interval '1 minute', clock_timestamp())"
        )
        after = (await owner.get(own)).json()["late_registration_ends_at"]
        shown = (await api.http.get(public)).json()["late_registration_ends_at"]
        assert before < after <= shown  # it moves on with the outage until a command records it
