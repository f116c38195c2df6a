"""Entity tags over HTTP: an answer that the client has already is not sent again."""

import pytest

from service.api.http.reading.etags import matches, tag_of, version_in
from tests.service.api.conftest import ANY

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ('"12"', True),
        ('W/"12"', True),
        ('"11","12"', True),
        ('"11" , W/"12" ,', True),
        (" * ", True),
        ('"1"', False),
        ('"12-00ff00ff"', False),
        ("12", False),
        ('"11" "12"', True),
        ('"11"x, "12"', False),
        ('"12', False),
        ("", False),
        ('w/"12"', False),
    ],
)
def test_tags_are_compared_as_the_rfc_says(given: str, held: bool) -> None:
    assert matches(given, '"12"') is held


def test_a_tag_holds_the_version_whatever_else_it_holds() -> None:
    assert version_in(tag_of(12)) == version_in(tag_of(12, b"words")) == 12
    assert tag_of(12, b"words") != tag_of(12, b"other words") != tag_of(12)
    assert [version_in(each) for each in ("12", '"x"', '"12-A"', '"-12"', "*")] == [None] * 5


async def test_no_read_with_a_tag_is_sent_twice(serving) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing()
        opened = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Winter"})
        about = {"kind": "payout", "tournament": tournament, "claim": "The winner folded."}
        claimed = await people[0].post("/v1/disputes", about, key="claim")
        assert claimed.status_code == 201, claimed.text
        paths = (
            f"/v1/leagues/{league}",
            f"/v1/leagues/{league}/members",
            f"/v1/seasons/{opened.json()['id']}",
            f"/v1/tournaments/{tournament}",
            f"/v1/tournaments/{tournament}/ledger",
            f"/v1/tournaments/{tournament}/rounds",
            f"/v1/tables/{table}",
            f"/v1/disputes/{claimed.json()['id']}",
            "/v1/rulesets/better",
        )
        for path in paths:
            first = await owner.get(path)
            tag = first.headers["etag"]
            for given in (tag, f'"elsewhere", W/{tag}', "*"):
                again = await owner.get(path, headers={"If-None-Match": given})
                assert (again.status_code, again.content) == (304, b""), (path, given)
                # After a "*" nobody knows if the client has the compressed answer.
                plain = {tag.replace("-gzip", "")} if given == "*" else set()
                assert again.headers["etag"] in {tag} | plain
            other = await owner.get(path, headers={"If-None-Match": '"elsewhere"'})
            # A table shows the server's time, which its version does not cover.
            timeless = [{**each.json(), "now": None} for each in (first, other)]
            assert other.status_code == 200 and timeless[0] == timeless[1], path


async def test_a_new_role_changes_the_tag_of_what_the_role_shows(serving) -> None:
    async with serving() as api:
        owner, league, tournament, people, _ = await api.playing()
        path = f"/v1/tournaments/{tournament}/ledger"
        mine = await people[0].get(path)
        assert len(mine.json()["accounts"]) == 1
        role = {"role": "scorer"}
        changed = await owner.http.put(
            f"/v1/leagues/{league}/members/{people[0].player}",
            json=role,
            headers=owner.headers | ANY,
        )
        assert changed.is_success, changed.text
        again = await people[0].get(path, headers={"If-None-Match": mine.headers["etag"]})
        assert len(again.json()["accounts"]) == 2
        assert version_in(again.headers["etag"]) == version_in(mine.headers["etag"])
