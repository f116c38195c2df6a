"""A ruleset older than a parameter plays as if the parameter were 0, and keeps its hash."""

from tests.verifier.forging import PUBLIC, Forgery, digest, encode
from tests.verifier.loading import bundle, verifier


def opened_today(player_ante: int) -> Forgery:
    """Return a tournament with an older announcement and a table that today's service opened."""
    forged = Forgery(bundle("blinds"))
    (opened,) = forged.events("table_opened")
    ruleset = opened["data"]["ruleset"]
    ruleset["forced"]["player_ante"] = player_ante
    opened["schema_version"] = 3
    for event in (opened, *forged.events("hand_opened")):
        event["data"]["ruleset_hash"] = digest(encode(ruleset)).hex()
    return forged


def test_a_table_opened_later_than_its_tournament_was_announced_passes() -> None:
    report = verifier.verify(opened_today(0).write(), [PUBLIC])
    assert report.differences == []
    assert report.status() == verifier.PASS


def test_a_table_that_plays_by_another_ruleset_than_was_announced_differs() -> None:
    report = verifier.verify(opened_today(5).write(), [PUBLIC])
    assert "rulesets" in {rule for _, rule, _ in report.differences}
