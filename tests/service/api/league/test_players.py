"""Players entered by a director, one by one or as a list, and claimed by their owners."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest

from engine.values import number_of, stream_of
from service.people.erasure import erase
from service.people.rosters import BYTES_MAX, ROWS_MAX
from tests.service.api.conftest import ANY, Api, Person
from tests.service.api.nights import project

pytestmark = pytest.mark.anyio

LIST = b"name,email,role,external_id\nHan,han@falcon.example,,\nLeia,,scorer,L-1\nJabba,,,\n"


async def bring(
    person: Person, league: str, content: bytes, query: str = "", **headers: str
) -> httpx.Response:
    """Import a CSV list of players."""
    given = {**person.headers, "Content-Type": "text/csv", **headers}
    path = f"/v1/leagues/{league}/members/import{query}"
    return await person.http.post(path, content=content, headers=given)


async def members(person: Person, league: str) -> dict[str, str]:
    """Return the members' roles by name."""
    items = (await person.get(f"/v1/leagues/{league}/members?limit=200")).json()["items"]
    return {each["name"]: each["role"] for each in items}


async def director(api: Api, owner: Person, league: str) -> Person:
    """Add a director to the league."""
    invited = await owner.post(f"/v1/leagues/{league}/invitations", {"role": "director"})
    person = await api.person()
    await person.post(f"/v1/invitations/{invited.json()['code']}/accept")
    return person


async def test_a_list_makes_members_once(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        first = await bring(owner, league, LIST)
        assert first.status_code == 200, first.text
        assert [each["outcome"] for each in first.json()["rows"]] == ["added"] * 3
        assert all(each["claim"] for each in first.json()["rows"])
        again = await bring(owner, league, b"\xef\xbb\xbf" + LIST)
        assert [each["outcome"] for each in again.json()["rows"]] == ["unchanged"] * 3
        assert [each["claim"] for each in again.json()["rows"]] == [None] * 3
        assert [each["player"] for each in again.json()["rows"]] == [
            each["player"] for each in first.json()["rows"]
        ]
        found = await members(owner, league)
    assert {name: found[name] for name in ("Han", "Leia", "Jabba")} == {
        "Han": "player",
        "Leia": "scorer",
        "Jabba": "player",
    }


async def test_the_longest_list_is_imported_in_one_append(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        rows = "".join(f"Player {number},{number}\n" for number in range(ROWS_MAX))
        answer = await bring(owner, league, f"name,external_id\n{rows}".encode())
        assert answer.status_code == 200, answer.text
        assert len({each["player"] for each in answer.json()["rows"]}) == ROWS_MAX
        writer = api.app.shell.runtime.writer
        state = (await writer.load(league, stream_of(league))).state
        assert len(state.members) == ROWS_MAX + 1


async def test_a_retry_of_an_import_gets_its_first_answer_without_the_codes(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        key = {"Idempotency-Key": "once"}
        first, again = [await bring(owner, league, LIST, **key) for _ in range(2)]
        shown = first.json()
        assert all(row["claim"] for row in shown["rows"])
        shown["rows"] = [row | {"claim": None} for row in shown["rows"]]
        assert again.json() == shown
        assert again.headers["Idempotent-Replayed"] == "true"
        other = await bring(owner, league, LIST + b"Greedo,,,\n", **key)
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


async def test_two_imports_at_once_make_nobody_twice(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answers = await asyncio.gather(*(bring(owner, league, LIST) for _ in range(4)))
        assert {each.status_code for each in answers} == {200}
        players = {row["player"] for each in answers for row in each.json()["rows"]}
        assert len(players) == 3
        assert len(await members(owner, league)) == 4


async def test_with_a_faulty_row_nothing_happens_and_each_is_named(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        content = LIST + b",,,\nChewie,nowhere,,\nHan,,emperor,\n"
        answer = await bring(owner, league, content)
        assert (answer.status_code, answer.json()["code"]) == (400, "import_refused")
        assert [(each["line"], each["outcome"]) for each in answer.json()["rows"]] == [
            (6, "email"),
            (7, "role"),
        ]
        assert len(await members(owner, league)) == 1


async def test_a_dry_run_says_what_would_happen_and_does_nothing(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await bring(owner, league, b"name\nJabba\n")
        answer = await bring(owner, league, LIST + b"Chewie,nowhere,,\n", "?dry_run=true")
        assert answer.status_code == 200
        assert [(each["line"], each["outcome"]) for each in answer.json()["rows"]] == [
            (2, "added"),
            (3, "added"),
            (4, "unchanged"),
            (5, "email"),
        ]
        assert answer.json()["dry_run"] is True
        assert len(await members(owner, league)) == 2
        odd = await bring(owner, league, LIST, "?dry_run=maybe")
        assert odd.status_code == 400


async def test_an_import_changes_no_role_and_brings_no_banned_player_back(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        rows = (await bring(owner, league, b"name\nHan\nJabba\n")).json()["rows"]
        banned = rows[1]["player"]
        ban = f"/v1/leagues/{league}/bans/{banned}"
        await owner.http.put(ban, json={"reason": "slime"}, headers=owner.headers)
        await owner.http.delete(f"/v1/leagues/{league}/members/{banned}", headers=owner.headers)
        answer = await bring(owner, league, b"name,role\nHan,scorer\nJabba,\n")
        assert [(each["line"], each["outcome"]) for each in answer.json()["rows"]] == [
            (2, "already_member"),
            (3, "player_banned"),
        ]


async def test_a_director_imports_players_and_gives_no_office(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        person = await director(api, owner, league)
        refused = await bring(person, league, LIST)
        assert [(each["line"], each["outcome"]) for each in refused.json()["rows"]] == [(3, "role")]
        assert (await bring(person, league, b"name\nHan\n")).status_code == 200


@pytest.mark.parametrize(
    ("content", "media", "status", "code"),
    [
        (LIST, "application/json", 415, "unsupported_media_type"),
        (LIST, "text/csv; charset=latin-1", 415, "unsupported_media_type"),
        (b"name\n\xff\n", "text/csv", 400, "invalid_unicode"),
        (b"", "text/csv", 400, "invalid_csv"),
        (b"name\n" + b"x" * BYTES_MAX, "text/csv", 413, "body_too_large"),
    ],
)
async def test_what_is_no_list_has_its_code(
    serving, content: bytes, media: str, status: int, code: str
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answer = await bring(owner, league, content, **{"Content-Type": media})
        assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_a_name_that_a_spreadsheet_would_compute_is_kept_as_it_is(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        name = '=HYPERLINK("http://evil.example")'
        quoted = '"' + name.replace('"', '""') + '"'
        answer = await bring(owner, league, f"name\n{quoted}\n".encode())
        assert answer.status_code == 200, answer.text
        assert name in await members(owner, league)


async def entered(person: Person, league: str, **body: Any) -> dict[str, Any]:
    """Enter a player and return the answer."""
    answer = await person.post(f"/v1/leagues/{league}/players", {"name": "Han Solo", **body})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def claimed(api: Api, code: str, login: str = "han") -> httpx.Response:
    """Claim a player with a new account."""
    body = {"code": code, "login": login, "password": "correct horse"}
    return await api.http.post("/v1/claims", json=body)


async def test_organisers_see_by_name_who_was_entered_and_who_has_been_claimed(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        head, lando = await director(api, owner, league), await api.person("Lando")
        made = {
            name: (await owner.post(f"/v1/leagues/{league}/players", {"name": name})).json()
            for name in ("Leia", "Han", "Chewie", "Greedo")
        }
        await claimed(api, made["Han"]["claim"])
        await lando.post("/v1/me/claims", {"code": made["Chewie"]["claim"]})
        gone = f"/v1/leagues/{league}/members/{made['Greedo']['player']}"
        assert (await api.http.delete(gone, headers=owner.headers)).is_success
        path = f"/v1/leagues/{league}/claims"
        first = (await head.get(f"{path}?limit=3")).json()
        rest = (await head.get(f"{path}?cursor={first['next_cursor']}")).json()
        listed = first["items"] + rest["items"]
        assert [(each["name"], each["role"], each["claimed"]) for each in listed] == [
            ("Greedo", None, False),
            ("Han", "player", True),
            ("Lando", "player", True),
            ("Leia", "player", False),
        ]
        assert [each["expires_at"] is None for each in listed] == [False, True, True, False]
        assert made["Leia"]["claim"] not in first["items"].__repr__() + rest["items"].__repr__()
        alone = (await head.get(f"{path}?player={made['Leia']['player']}")).json()
        assert [each["name"] for each in alone["items"]] == ["Leia"]
        assert alone["next_cursor"] is None
        nobody = await head.get(f"{path}?player={owner.player}")
        assert nobody.json()["items"] == []
        refused = await lando.get(path)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


async def test_a_list_names_the_columns_that_are_unknown_or_doubled(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        unknown = (await bring(owner, league, b"name,Nickname,shoe\nHan,x,9\n")).json()
        assert unknown["unknown"] == ["nickname", "shoe"]
        assert unknown["detail"] == (
            "the header has unknown columns: nickname, shoe; "
            "known are name, email, role, external_id"
        )
        doubled = (await bring(owner, league, b"name,email,email\nHan,,\n")).json()
        assert doubled["detail"] == "the header repeats columns: email"
        nameless = (await bring(owner, league, b"email\nhan@example.org\n")).json()
        assert nameless["detail"] == "the header has no column `name`"


async def test_a_player_without_an_account_is_claimed_once_and_then_acts(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await entered(owner, league)
        answer = await claimed(api, made["claim"])
        assert answer.status_code == 201, answer.text
        person = Person(api.http, answer.json())
        assert person.player == made["player"]
        assert (await person.get(f"/v1/leagues/{league}")).json()["role"] == "player"
        again = await claimed(api, made["claim"], "greedo")
        assert (again.status_code, again.json()["code"]) == (404, "not_found")
        renewed = await owner.post(f"/v1/leagues/{league}/players/{made['player']}/claim")
        assert (renewed.status_code, renewed.json()["code"]) == (409, "not_claimable")


async def test_nobody_logs_in_as_a_player_that_nobody_has_claimed(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await entered(owner, league)
        for login in ("Han Solo", "hansolo", "null"):
            body = {"login": login, "password": "correct horse"}
            answer = await api.http.post("/v1/tokens", json=body)
            assert answer.status_code in (400, 401)


async def test_a_renewed_code_voids_the_old_one(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await entered(owner, league)
        path = f"/v1/leagues/{league}/players/{made['player']}/claim"
        renewed = (await owner.post(path)).json()["code"]
        assert (await claimed(api, made["claim"])).status_code == 404
        assert (await claimed(api, renewed)).status_code == 201


async def test_another_league_gives_out_no_code_for_a_player(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        other, elsewhere = await api.league()
        made = await entered(owner, league)
        path = f"/v1/leagues/{elsewhere}/players/{made['player']}/claim"
        assert (await other.post(path)).json()["code"] == "not_claimable"
        own = f"/v1/leagues/{elsewhere}/players/{other.player}/claim"
        assert (await other.post(own)).json()["code"] == "not_claimable"


async def test_a_login_that_is_taken_leaves_the_code_good(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await entered(owner, league)
        taken = await claimed(api, made["claim"], owner.login)
        assert (taken.status_code, taken.json()["code"]) == (409, "login_taken")
        assert (await claimed(api, made["claim"])).status_code == 201


async def test_codes_and_addresses_are_not_kept_as_they_are_and_an_old_code_is_void(
    serving, database
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await entered(owner, league)
        connection = await asyncpg.connect(database.url("postgres"))
        kept = str(await connection.fetchrow("SELECT * FROM entered_player"))
        assert made["claim"] not in kept
        log = str(await connection.fetch("SELECT data, metadata FROM events"))
        assert "Han" not in log
        await connection.execute("UPDATE entered_player SET claim_until = now() - interval '1 s'")
        await connection.close()
        assert (await claimed(api, made["claim"])).status_code == 404


async def test_a_player_who_was_erased_is_not_found_again_and_the_code_is_void(
    serving, database
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        first = await entered(owner, league)
        same = await entered(owner, league)
        assert (same["player"], same["claim"]) == (first["player"], None)
        shell = api.app.shell
        await project(database)
        await erase(
            shell.engine, shell.runtime.writer.store.keys, number_of(first["player"]), shell.now()
        )
        assert (await entered(owner, league))["player"] != first["player"]
        assert (await claimed(api, first["claim"])).status_code == 404


async def test_nobody_takes_the_place_of_a_player_who_is_entered(serving) -> None:
    """The entry would play on, and nobody could act for it. The code stays good."""
    async with serving() as api:
        owner, league = await api.league()
        terms = {"name": "Night", "ruleset": "better", "entrants_max": 9}
        made = (await owner.post(f"/v1/leagues/{league}/tournaments", terms)).json()["id"]
        walked_in = await owner.post(f"/v1/tournaments/{made}/walk-ins", {"name": "Lando"})
        code = {"code": walked_in.json()["claim"]}
        person = await api.person()

        refused = await person.post("/v1/me/claims", code)
        assert (refused.status_code, refused.json()["code"]) == (409, "entered_by_hand")
        assert (await person.get(f"/v1/leagues/{league}")).status_code == 404

        await owner.post(f"/v1/tournaments/{made}/cancel", {"reason": "storm"})
        joined = await person.post("/v1/me/claims", code)
        assert joined.status_code == 201, joined.text


@pytest.mark.parametrize("code", ["", "x", "é", "A" * 48, "A" * 80])
async def test_a_code_that_is_none_says_nothing(serving, code: str) -> None:
    async with serving() as api:
        answer = await claimed(api, code)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_who_has_an_account_takes_the_place_of_a_player_who_was_entered(serving) -> None:
    """The account gets the office, the list finds the person, and the code is used up."""
    async with serving() as api:
        owner, league = await api.league()
        rows = (await bring(owner, league, b"name,role\nHan,scorer\nGreedo,\n")).json()["rows"]
        person = await api.person()
        path = "/v1/me/claims"
        wrong = await person.post(path, {"code": "A" * 48})
        assert (wrong.status_code, wrong.json()["code"]) == (404, "not_found")
        joined, retried = [
            await person.post(path, {"code": rows[0]["claim"]}, key="join") for _ in range(2)
        ]
        assert joined.status_code == 201, joined.text
        assert (retried.status_code, retried.json()["role"]) == (201, "scorer")
        assert (joined.json()["player"], joined.json()["role"]) == (person.player, "scorer")
        assert (await person.get(f"/v1/leagues/{league}")).json()["role"] == "scorer"
        assert "Han" not in await members(owner, league)
        again = await person.post(path, {"code": rows[0]["claim"]})
        assert again.status_code == 404
        assert (await claimed(api, rows[0]["claim"])).status_code == 404
        listed = (await bring(owner, league, b"name,role\nHan,scorer\n")).json()["rows"]
        assert [(each["player"], each["outcome"]) for each in listed] == [
            (person.player, "unchanged")
        ]
        # A league knows a person from one list only. The code stays valid for somebody else.
        second = await person.post(path, {"code": rows[1]["claim"]})
        assert (second.status_code, second.json()["code"]) == (409, "not_claimable")
        other = await api.join(owner, league)
        kept = await other.post(path, {"code": rows[1]["claim"]})
        assert (kept.status_code, kept.json()["role"]) == (201, "player")
        # A member without an office gets the player's office. A member with an office keeps it.
        rows = (await bring(owner, league, b"name,role\nLobot,referee\nBossk,\n")).json()["rows"]
        member = await api.join(owner, league)
        raised = await member.post(path, {"code": rows[0]["claim"]})
        assert (raised.status_code, raised.json()["role"]) == (201, "referee")
        official = await api.join(owner, league)
        made = f"/v1/leagues/{league}/members/{official.player}"
        await api.http.put(made, json={"role": "scorer"}, headers=owner.headers | ANY)
        kept = await official.post(path, {"code": rows[1]["claim"]})
        assert (kept.status_code, kept.json()["role"]) == (201, "scorer")


async def test_nobody_takes_the_place_of_a_player_who_is_banned_or_gone(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await entered(owner, league)
        person = await api.person()
        ban = f"/v1/leagues/{league}/bans/{made['player']}"
        await owner.http.put(ban, json={"reason": "slime"}, headers=owner.headers)
        refused = await person.post("/v1/me/claims", {"code": made["claim"]})
        assert (refused.status_code, refused.json()["code"]) == (409, "player_banned")
        await owner.http.delete(ban, headers=owner.headers)
        member = f"/v1/leagues/{league}/members/{made['player']}"
        await owner.http.delete(member, headers=owner.headers)
        gone = await person.post("/v1/me/claims", {"code": made["claim"]})
        assert (gone.status_code, gone.json()["code"]) == (404, "not_found")
