"""What people end around a move: in the old cell, and in the file that went to the new one."""

import asyncio
from pathlib import Path
from uuid import UUID, uuid4

from engine.values import identifier, number_of
from tests.service.api.proof.test_evidence import project
from tests.service.league_night import Night
from tests.service.relocating.cells import WHY, Cell, code, moved
from tests.service.relocating.test_contents import full
from tests.service.relocating.test_refusals import NAMED, file, night, stage

__all__ = ["file", "full", "night"]


def test_owners_and_entered_players_of_a_moved_league_can_be_erased_in_the_old_cell(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    asyncio.run(project(old.database))
    owner, entered = night.players[:2]
    erase = ("player", "erase", "--yes")
    old.suspended_and_packed(night.league, file)
    assert "is an owner" in old.refused(*erase, owner), "the league may still be kept"
    assert "entered in a tournament" in old.refused(*erase, entered)
    moved(old, new, night.league, file)
    for player in (owner, entered):
        assert f"erased {player}" in old.done(*erase, player)
    query = "SELECT login FROM account WHERE id = %s"
    assert old.rows(query, number_of(owner)) == [(None,)]
    assert new.rows(query, number_of(owner)) == [("player0",)]
    asyncio.run(project(new.database))
    assert "is an owner" in new.refused(*erase, owner), "its living copy still counts"


def test_what_ended_since_a_league_was_packed_holds_up_its_release(
    old: Cell, new: Cell, full: Night, file: Path
) -> None:
    erased, suspended, resigned, lost, renamed = full.players
    stranger = uuid4()
    old.rows(NAMED, stranger, "stranger", "2026-01-01T00:00:00Z")
    old.suspended_and_packed(full.league, file)
    arrival = code("arr_", new.done(*new.unpacking(file)))
    asked = ("league", "release", full.league, arrival, *WHY)
    assert "since it was packed" not in old.done(*asked, "--dry-run")

    for player in (erased, suspended, renamed):
        kind = {erased: "player_erased", suspended: "account_suspended", renamed: "text_taken_down"}
        deed = """
            INSERT INTO operator_deed (league, size, at, actor, kind, about)
            VALUES (NULL, 0, service_time(), 'operator', %s, %s) RETURNING 1
        """
        old.rows(deed, kind[player], player)
    for number in (number_of(suspended), stranger):
        query = "UPDATE account SET suspended_at = service_time() WHERE id = %s RETURNING 1"
        old.rows(query, number)
    query = "UPDATE account SET password_set_at = service_time() WHERE id = %s RETURNING 1"
    old.rows(query, number_of(resigned))
    query = "UPDATE token SET revoked_at = service_time() WHERE account = %s RETURNING 1"
    old.rows(query, number_of(lost))

    said = old.refused(*asked)
    for player, what in (
        (erased, "erased"),
        (suspended, "suspended"),
        (resigned, "has another password"),
        (lost, "tokens ended"),
        (renamed, "name taken down"),
    ):
        assert f"{player}: {what}" in said
    assert identifier("plr", stranger) not in said, "the league does not know that person"
    assert "--even-so" in said and "pack it again" in said
    assert stage(old, full.league) == ("packed", True), "nothing was given up"

    given = old.done(*asked, "--even-so")
    release = code("rel_", given)
    assert f"{erased}: erased here since it was packed" in given
    assert "do the same in the new cell" in given
    assert release in old.done(*asked), "it is released already, and its code is shown again"
    new.done("league", "restore", full.league, "--release", release, *WHY)


def test_texts_and_claims_that_were_emptied_are_counted_and_hold_nothing_up(
    old: Cell, new: Cell, night: Night, file: Path
) -> None:
    league, player = number_of(night.league), number_of(night.players[0])
    for number in (1, 2):
        text = """
            INSERT INTO text (id, league, author, audience, digest, salt, body, written_at)
            VALUES (%s, %s, %s, 'staff', sha256('1'), sha256('2'), 'words', service_time())
            RETURNING 1
        """
        old.rows(text, UUID(int=number), league, player)
    claim = """
        INSERT INTO confidential_claim (id, league, told, state, filed_at)
        VALUES (%s, %s, '\\x00', 'filed', service_time()) RETURNING 1
    """
    old.rows(claim, UUID(int=3), league)
    old.suspended_and_packed(night.league, file)
    arrival = code("arr_", new.done(*new.unpacking(file)))
    old.done("text", "take-down", identifier("txt", UUID(int=1)), *WHY)
    deed = """
        INSERT INTO operator_deed (league, size, at, actor, kind, about)
        VALUES (NULL, 0, service_time(), 'operator', 'text_taken_down', %s) RETURNING 1
    """
    old.rows(deed, identifier("cnf", UUID(int=3)))
    said = old.done("league", "release", night.league, arrival, *WHY)
    assert "1 texts were erased here since it was packed" in said
    assert "1 claims were emptied here since it was packed" in said
    assert "do the same in the new cell" in said
