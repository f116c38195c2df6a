"""Credentials are shown once. Neither a dump nor the settings' key reveals them again."""

import base64
import hashlib
import hmac
import re
from datetime import timedelta
from uuid import UUID

import asyncpg
import msgspec
import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from service.base.addresses import asyncpg_dsn
from service.director.runtime import open_runtime
from service.log.keys import Keys
from service.people.tokens import token_text
from service.tasks import forgetting
from tests.service.api.conftest import PASSWORD
from tests.support.databases import SECRET_KEY

pytestmark = pytest.mark.anyio

ROSTER = b"name\nHan Solo\nLando\n"


async def dump(database):
    """Return all rows of all relations, as in a copy of the database."""
    connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
    tables = await connection.fetch(
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
        " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
    )
    rows = [
        dict(row) for (name,) in tables for row in await connection.fetch(f"SELECT * FROM {name}")
    ]
    await connection.close()
    return rows


def flat(value):
    """Return the numbers, bytes and strings among a row's values."""
    if isinstance(value, dict | list | tuple | asyncpg.Record):
        parts = value.values() if isinstance(value, dict) else value
        return [each for part in parts for each in flat(part)]
    return [value]


async def imported(owner, league, key):
    """Import a list of players and return the answer."""
    headers = owner.headers | {"Content-Type": "text/csv", "Idempotency-Key": key}
    path = f"/v1/leagues/{league}/members/import"
    answer = await owner.http.post(path, content=ROSTER, headers=headers)
    assert answer.is_success, answer.text
    return answer


class Thief:
    """An attacker with a dump and the settings' key, who tries to recover secrets."""

    def __init__(self, rows):
        values = [each for row in rows for each in flat(list(row.values()))]
        self.found = {each for each in values if isinstance(each, bytes)}
        self.texts = "\n".join(each for each in values if isinstance(each, str))
        self.texts += b"\n".join(self.found).decode("latin-1")
        self.words = re.findall(r"[0-9a-f]{32,64}", self.texts.replace("-", ""))
        self.numbers = {each for each in values if isinstance(each, UUID)}
        self.numbers |= {UUID(hex=each) for each in self.words if len(each) == 32}
        self.leagues = {row["league"] for row in rows if "wrapped" in row}
        self.entered = {row["account"] for row in rows if "identity" in row}
        self.rows = rows

    async def request_keys(self):
        """Return the keys derived from the settings' key, with the league keys that it unwraps."""
        ring = Keys(SECRET_KEY)
        labels = ("wrap", "stream", "request", "idempotency", "sign-in-log")
        secret = SECRET_KEY.encode()
        yield secret
        for label in labels:
            yield HKDF(SHA256(), 32, None, f"holotable/{label}/1".encode()).derive(secret)
        for row in self.rows:
            if "wrapped" in row:
                keys = ring.unwrap(row["league"], row["key_id"], row["wrapped"])
                yield HKDF(SHA256(), 32, None, b"holotable/request/1").derive(keys._secret)

    async def passwords(self, bodies):
        """Return the bodies with a secret that the dump holds as a digest, keyed or not."""
        digests = {each for each in self.found if len(each) == 32}
        digests |= {bytes.fromhex(t) for t in self.texts.split('"') if len(t) == 64 and _hex(t)}
        stolen = []
        keys = [each async for each in self.request_keys()]
        for body in bodies:
            raw = msgspec.json.encode(body, order="sorted")
            tried = {hashlib.sha256(raw).digest()}
            tried |= {hmac.digest(key, raw, "sha256") for key in keys}
            if tried & digests:
                stolen.append(body)
        return stolen

    def derived(self):
        """
        Return secrets derived as in earlier versions, from the dump's commands and the settings'
        key.
        """
        for command in self.numbers:
            yield token_text(_made("token", command))
            yield f"holo_cal_{_made('calendar', command).hex()}"
            for league in self.leagues:
                random = _made("invitation", command)[:20]
                yield base64.urlsafe_b64encode(league.bytes + random).decode()
            for player in self.entered:
                random = _made(f"claim/{player.hex}", command)[:20]
                yield base64.urlsafe_b64encode(player.bytes + random).decode()

    def opened(self):
        """Return the derived secrets that the dump holds as a digest."""
        digests = {each.hex() for each in self.found} | set(self.words)
        return [each for each in self.derived() if _digest(each) in digests]


def _made(purpose, command):
    message = f"holotable/{purpose}/1".encode() + command.bytes
    return hmac.digest(SECRET_KEY.encode(), message, "sha256")


def _digest(secret):
    return hashlib.sha256(secret.encode()).hexdigest()


def _hex(text):
    return all(each in "0123456789abcdef" for each in text)


async def test_a_dump_and_the_settings_key_give_no_password_token_code_or_key(
    serving, database
) -> None:
    async with serving() as api:
        sign_up = {"login": "greedo", "password": PASSWORD}
        keyed = {"Idempotency-Key": "k"}
        account = (await api.http.post("/v1/accounts", json=sign_up, headers=keyed)).json()
        token = (await api.http.post("/v1/tokens", json=sign_up, headers=keyed)).json()
        owner, league = await api.league()
        at = f"/v1/leagues/{league}"
        invitation = (await owner.post(f"{at}/invitations", {}, key="i")).json()["code"]
        calendar = (await owner.post("/v1/me/calendar-keys", key="c")).json()["key"]
        entered = (await owner.post(f"{at}/players", {"name": "Chewie"}, key="p")).json()
        claims = [row["claim"] for row in (await imported(owner, league, "m")).json()["rows"]]
        renewed = await owner.post(f"{at}/players/{entered['player']}/claim", key="r")
        claim = {"code": renewed.json()["code"], "login": "chewie", "password": PASSWORD}
        claimed = (await api.http.post("/v1/claims", json=claim, headers=keyed)).json()
        rows = await dump(database)
    secrets = [account["token"]["token"], token["token"], invitation, calendar, entered["claim"]]
    secrets += [*claims, claim["code"], claimed["token"]["token"], PASSWORD]
    thief = Thief(rows)

    assert len(rows) > 20, "the dump is a real one"
    assert [each for each in secrets if each in thief.texts] == []
    assert await thief.passwords([sign_up, claim]) == []
    assert thief.opened() == []
    kept = {each.hex() for each in thief.found} | set(thief.words)
    strong = [each for each in secrets if each != PASSWORD]
    assert [each for each in strong if _digest(each) in kept], "this is where digests stand"


async def test_a_retry_makes_nothing_again_and_shows_no_secret_again(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        at = f"/v1/leagues/{league}"
        player = (await owner.post(f"{at}/players", {"name": "Chewie"})).json()["player"]
        for path, body, secret in (
            ("/v1/tokens", {"name": "laptop"}, "token"),
            (f"{at}/invitations", {}, "code"),
            ("/v1/me/calendar-keys", {}, "key"),
            (f"{at}/players", {"name": "Han"}, "claim"),
            (f"{at}/players/{player}/claim", {}, "code"),
        ):
            first, again = [await owner.post(path, body, key=f"once {path}") for _ in range(2)]
            assert first.json()[secret] is not None
            kept = {name: it for name, it in again.json().items() if it is not None}
            assert secret not in kept
            # A repeated answer has the same values as the first, including expires_at.
            assert kept.items() <= first.json().items(), path
            assert again.headers["idempotent-replayed"] == "true", path


async def test_a_retry_of_a_sign_up_with_another_password_is_another_request(serving) -> None:
    async with serving() as api:
        keyed = {"Idempotency-Key": "k"}
        body = {"login": "greedo", "password": PASSWORD}
        first = await api.http.post("/v1/accounts", json=body, headers=keyed)
        again = await api.http.post("/v1/accounts", json=body, headers=keyed)
        assert again.json()["token"]["expires_at"] == first.json()["token"]["expires_at"]
        other = body | {"password": "another horse"}
        refused = await api.http.post("/v1/accounts", json=other, headers=keyed)
        assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_key_reused")


async def test_all_codes_of_a_list_are_issued_anew_and_the_old_ones_are_void(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        lost = [row["claim"] for row in (await imported(owner, league, "m")).json()["rows"]]
        path = f"/v1/leagues/{league}/claims"
        issued = (await owner.post(path, key="anew")).json()["claims"]
        again = (await owner.post(path, key="anew")).json()["claims"]
        assert [each["name"] for each in issued] == ["Han Solo", "Lando"]
        assert again == [each | {"code": None} for each in issued]
        answers = [
            await api.http.post(
                "/v1/claims", json={"code": code, "login": f"l{number}", "password": PASSWORD}
            )
            for number, code in enumerate([*lost, *(each["code"] for each in issued)])
        ]
        assert [each.status_code for each in answers] == [404, 404, 201, 201]
        left = (await owner.post(path)).json()["claims"]
        assert left == [], "nobody is left whom nobody has claimed"


async def test_a_request_is_forgotten_after_seven_days_and_a_duty_deletes_it(
    serving, database
) -> None:
    async with serving() as api:
        person = await api.person()
        first = await person.post("/v1/tokens", {}, key="k")
        connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
        aged = "UPDATE idempotency SET created_at = created_at - $1::interval"
        await connection.execute(aged, timedelta(days=7))
        anew = await person.post("/v1/tokens", {}, key="k")
        assert "idempotent-replayed" not in anew.headers
        assert anew.json()["token"] not in (None, first.json()["token"])
        await connection.execute(aged, timedelta(days=8))
        await person.post("/v1/tokens", {}, key="young")
        async with open_runtime(database.settings("holotable_worker")) as runtime:
            deleted = await forgetting.forget(runtime)
        assert deleted["idempotency"] > 0
        assert await connection.fetchval("SELECT count(*) FROM idempotency") == 1
        await connection.close()


async def test_erasing_takes_the_digests_of_a_persons_requests_along(serving, database) -> None:
    async with serving() as api:
        person, stays = await api.person(), await api.person()
        for each in (person, stays):
            await each.post("/v1/tokens", {}, key="k")
        body = {"player": person.player, "password": PASSWORD}
        before = [row for row in await dump(database) if "digest" in row]
        gone = await api.http.request("DELETE", "/v1/me", json=body, headers=person.headers)
        assert gone.is_success, gone.text
        number = UUID(hex=person.player[4:])
        rows = await dump(database)
        assert not [row for row in rows if "digest" in row and number in row.values()]
        assert not [row for row in rows if "address" in row and number in row.values()]
        after = [row for row in rows if "digest" in row]
        assert len(after) == len(before) - 3, "a sign-up, a sign-in and a token of one person"


async def test_a_password_that_fails_too_often_has_to_wait_and_says_how_long(serving) -> None:
    async with serving() as api:
        person = await api.person()
        wrong = {"login": person.login, "password": "wrong"}
        answers = [await api.http.post("/v1/tokens", json=wrong) for _ in range(6)]
        assert [each.status_code for each in answers] == [401] * 5 + [429]
        last = answers[-1]
        assert last.json()["code"] == "too_many_sign_ins"
        assert int(last.headers["retry-after"]) == last.json()["retry_after"] > 0
        body = {"player": person.player, "password": "wrong"}
        erasing = await api.http.request("DELETE", "/v1/me", json=body, headers=person.headers)
        assert erasing.status_code == 429, "every way to try a password is the same way"
        elsewhere = {"password": "wrong", "new_password": "another horse"}
        changing = await api.http.put("/v1/me/password", json=elsewhere, headers=person.headers)
        assert changing.status_code == 429
