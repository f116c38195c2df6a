"""The fields of a refusal declare its facts."""

from datetime import UTC, datetime

import pytest

from engine.errors import CommandRejected, Wording


class Late(CommandRejected):
    """A refusal with a field of each kind."""

    code = "late"
    detail = "{who} comes {minutes} minutes late: {why}"

    who: str
    minutes: int
    why: Wording
    until: datetime
    rule: str


UNTIL = datetime(2026, 1, 2, tzinfo=UTC)


def late(**values: object) -> Late:
    given = {"minutes": 5, "why": "{traffic}", "who": "a {dealer}", "until": UNTIL, "rule": "clock"}
    return Late(**{**given, **values})


def test_the_detail_says_the_values_as_they_are() -> None:
    assert late().detail == str(late()) == "a {dealer} comes 5 minutes late: {traffic}"


def test_facts_are_json_safe_in_the_declared_order_without_wording_and_rule() -> None:
    facts = {"who": "a {dealer}", "minutes": 5, "until": "2026-01-02T00:00:00+00:00"}
    assert list(late().facts.items()) == list(facts.items())
    assert late().rule == "clock"


def test_every_field_needs_its_value() -> None:
    with pytest.raises(TypeError, match="needs"):
        Late(who="a dealer", minutes=5)
    with pytest.raises(TypeError, match="needs"):
        late(colour="red")


def test_a_detail_names_fields_only() -> None:
    with pytest.raises(TypeError, match="names more than its fields"):
        type("Odd", (CommandRejected,), {"code": "odd", "detail": "{seat} is odd"})
