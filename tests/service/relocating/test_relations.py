"""Every relation of the database has an answer for a league that moves to another cell."""

import psycopg
import pytest

from service.relocating.relations import ANSWERS, COPIED, Copied
from tests.support.databases import TestDatabase

_RELATIONS = """
    SELECT n.nspname || '.' || c.relname
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
"""
_BYTES = """
    SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND attnum > 0 AND NOT attisdropped AND atttypid = 'bytea'::regtype
"""
_TO_ACCOUNTS = """
    SELECT conrelid::regclass::text, attname FROM pg_constraint
      JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
     WHERE contype = 'f' AND confrelid = 'account'::regclass
"""
RESEALED = {
    ("account_email", "address"), ("account_email", "digest"), ("account_email", "wanted"),
    ("push_subscription", "target"), ("push_subscription", "digest"),
}  # fmt: skip
"""The columns that unpacking seals again."""


@pytest.fixture
def connection(database: TestDatabase):
    with psycopg.connect(database.url("postgres")) as opened:
        yield opened


def test_every_relation_has_an_answer_and_no_answer_is_left_over(
    connection: psycopg.Connection,
) -> None:
    """A new relation is in no list, so this test fails until somebody answers for it."""
    assert {row[0] for row in connection.execute(_RELATIONS)} == set(ANSWERS)


def test_every_reason_is_given() -> None:
    assert all(isinstance(each, Copied) or each.why for each in ANSWERS.values())


def test_every_column_of_bytes_that_moves_has_an_answer_for_its_key(
    connection: psycopg.Connection,
) -> None:
    """A column that is sealed with a key of the settings would be lost in the other cell."""
    found = {(relation, column) for relation, column in connection.execute(_BYTES)}
    answered = {(name, column) for name, its in COPIED.items() for column in its.sealed}
    assert {each for each in found if each[0] in COPIED} == answered
    sealed = {
        (name, column)
        for name, its in COPIED.items()
        for column, how in its.sealed.items()
        if how == "settings"
    }
    assert sealed == RESEALED


def test_every_account_that_a_row_refers_to_moves_with_it(connection: psycopg.Connection) -> None:
    """Otherwise a foreign key would refuse the row in the other cell."""
    for relation, column in connection.execute(_TO_ACCOUNTS):
        answer = COPIED.get(relation)
        if answer is not None and "going_person" not in answer.rows and relation != "token":
            assert column in answer.people, relation
