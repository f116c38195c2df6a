"""CSV that any reader accepts, with the numbers of the API and without formulas in cells."""

import csv
import io
from decimal import Decimal

import pytest

from service.exports import csvs, tables
from service.exports.checking import check_archive
from tests.service.api.nights import pages, project, visitor
from tests.service.league_night import played

pytestmark = pytest.mark.anyio


async def table_of(person, path):
    answer = await person.get(path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; header=present; charset=utf-8"
    assert answer.content.endswith(b"\r\n") and b"\n" not in answer.content.replace(b"\r\n", b"")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8"), newline="")))


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\N{FULLWIDTH EQUALS SIGN}1", "\n=1"],
)
def test_a_text_is_never_a_formula(text) -> None:
    [[cell]] = csv.reader(io.StringIO(csvs.lines([[text]]).decode(), newline=""))
    assert cell == f"'{text}"


@pytest.mark.parametrize("text", ["", "a,b", 'a"b', "a\r\nb", "é 日本", "a=b", "1", "'x"])
def test_any_other_text_comes_back_as_it_was(text) -> None:
    rows = list(csv.reader(io.StringIO(csvs.lines([["x", text]]).decode(), newline="")))
    assert rows == [["x", text]]


def test_numbers_are_plain() -> None:
    row = (-5, 10**15, Decimal("-0.50"), Decimal("1E+3"), True, None)
    assert csvs.lines([row]) == b"-5,1000000000000000,-0.50,1000,true,\r\n"


async def test_exports_say_what_the_api_says(serving, database, monkeypatch) -> None:
    monkeypatch.setattr(tables, "CHUNK", 2)
    night = await played(database, "exported")
    async with serving() as api:
        person = await visitor(api, night)
        await project(database)
        season, tournament = f"/v1/seasons/{night.season}", f"/v1/tournaments/{night.tournament}"
        standings = await pages(person, f"{season}/standings")
        for row, shown in zip(
            await table_of(person, f"{season}/standings.csv"), standings, strict=True
        ):
            for name in ("rank", "player", "points", "played", "wins", "best", "best_placing"):
                assert row[name] == str(shown[name])
        entries = await pages(person, f"{tournament}/registrations")
        results = await table_of(person, f"{tournament}/results.csv")
        for row, shown in zip(results, entries, strict=True):
            assert (row["entrant"], row["player"]) == (shown["id"], shown["player"])
            assert row["placing"] == str(shown["placing"])
            assert row["payout_minor"] == str(shown["payout"] or 0)
            assert (row["bot"], row["state"], row["currency"]) == ("false", "finished", "EUR")
        paid = await table_of(person, f"{tournament}/payouts.csv")
        assert sum(int(row["amount_minor"]) for row in paid) == 1001
        assert await table_of(person, f"/v1/leagues/{night.league}/results.csv") == results


async def test_a_name_that_is_a_formula_is_harmless_in_the_file(serving, database) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await api.http.post(
            "/v1/accounts",
            json={"login": "evil", "password": "correct horse", "name": '=HYPERLINK("http://x")'},
        )
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        token = {"Authorization": f"Bearer {made.json()['token']['token']}"}
        await api.http.post(f"/v1/invitations/{code}/accept", headers=token)
        announced = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "@cmd", "ruleset": "better"}
        )
        path = f"/v1/tournaments/{announced.json()['id']}"
        keyed = token | {"Idempotency-Key": "k"}
        entered = await api.http.post(f"{path}/registrations", headers=keyed, json={})
        assert entered.status_code == 201, entered.text
        await project(database)
        [row] = await table_of(owner, f"{path}/results.csv")
        assert row["name"] == '\'=HYPERLINK("http://x")'
        assert row["tournament_name"] == "'@cmd"


async def test_an_owner_takes_the_league_away_and_nobody_else(serving, database, tmp_path) -> None:
    night = await played(database, "away")
    async with serving() as api:
        owner = await visitor(api, night, "owner")
        director = await visitor(api, night, "director")
        await project(database)
        path = f"/v1/leagues/{night.league}/archive"
        refused = await director.get(path)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        answer = await owner.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
        assert check_archive(kept(tmp_path, answer.content)).holds
        assert not check_archive(kept(tmp_path, answer.content[:-100])).holds


def kept(folder, content):
    file = folder / "taken.zip"
    file.write_bytes(content)
    return file
