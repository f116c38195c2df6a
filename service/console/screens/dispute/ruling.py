"""The form of a ruling: its changes, sent as the acts of the API."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

import msgspec
from babel.numbers import get_currency_precision

from service.api.http.reading.paging import Page as ApiPage
from service.api.proof.dispute_shapes import DisputeShown
from service.api.tournament.entrants import EntrantShown
from service.api.tournament.tournaments import TournamentShown
from service.base.letters import by_name
from service.console.asking import Ask
from service.console.forms import Given
from service.console.numbers import demanded, minor
from service.console.screens.dispute.words import rule_typed

Act = Mapping[str, object]

_OUTSIDE = frozenset({"requested", "refused", "waitlisted", "offered"})
_UNDER_WAY = frozenset({"running", "paused"})


class _Ranked(msgspec.Struct):
    """The members of a standing that the form reads."""

    player: str
    name: str | None


class Party(msgspec.Struct, kw_only=True):
    """A player whom a ruling may concern."""

    entrant: str | None
    """Null for a player of a season."""

    player: str
    name: str | None
    place: int | None
    payout: int
    prize: str
    """The prize in the unit of the currency, such as ``12.50``."""


class Changes(msgspec.Struct, kw_only=True):
    """The changes that a ruling on this dispute may make."""

    over: bool
    """True if the evening has a result, which the ruling may correct."""

    under_way: bool
    season: bool
    currency: str | None
    parties: tuple[Party, ...]


async def changes_for(ask: Ask, shown: DisputeShown) -> Changes:
    """Return the changes that a ruling may make, with the present result."""
    subject = shown.subject
    if subject.tournament is None:
        path = f"/v1/seasons/{subject.season}/standings"
        ranked = await ask.api.get(path, ApiPage[_Ranked], limit=100)
        parties = tuple(
            Party(entrant=None, player=each.player, name=each.name, place=None, payout=0, prize="")
            for each in ranked.items
        )
        return Changes(over=False, under_way=False, season=True, currency=None, parties=parties)
    found = await ask.api.get(f"/v1/tournaments/{subject.tournament}", TournamentShown)
    entered = [each for each in found.entrants if each.status not in _OUTSIDE]
    return Changes(
        over=found.state == "finished",
        under_way=found.state in _UNDER_WAY,
        season=subject.season is not None,
        currency=found.currency,
        parties=tuple(
            Party(
                entrant=each.id,
                player=each.player,
                name=each.name,
                place=each.placing,
                payout=each.payout or 0,
                prize=_typed(each.payout or 0, found.currency),
            )
            for each in sorted(entered, key=_by_place)
        ),
    )


def ruling_of(given: Given, changes: Changes) -> dict[str, object]:
    """
    Return the body of a ruling.

    Raises:
        Problem: ``validation_failed`` if a place, a prize or a number of hands is no number.
    """
    return {
        "outcome": given.text("outcome"),
        "rules": [rule_typed(each.strip()) for each in given.texts("rules[]") if each.strip()],
        "reason": given.text("reason"),
        "acts": list(_acts(given, changes)),
        "dry_run": given.digest,
    }


def _acts(given: Given, changes: Changes) -> Iterator[Act]:
    if changes.over:
        yield from _of_result(given, changes)
    for each in changes.parties:
        act = given.text(f"act.{each.entrant}")
        if act == "penalise":
            hands = demanded(given.text("hands") or "1", "hands")
            yield {"act": act, "entrant": each.entrant, "hands": hands}
        elif act in ("forfeit", "warn", "disqualify"):
            yield {"act": act, "entrant": each.entrant}
    if given.text("points"):
        yield {
            "act": "adjust_points",
            "player": given.text("player"),
            "points": given.text("points").replace(",", "."),
        }
    if given.flag("revoke"):
        yield {"act": "revoke_award"}


def _of_result(given: Given, changes: Changes) -> Iterator[Act]:
    """Return the corrected order and the prizes, each only if the form differs from the result."""
    places = {each.entrant: _place(given, each) for each in changes.parties}
    if any(places[each.entrant] != (each.place or 0) for each in changes.parties):
        order = [
            [name for name, place in places.items() if place == wanted]
            for wanted in sorted(set(places.values()))
        ]
        yield {"act": "correct_result", "order": order}
    prizes = {each.entrant: _prize(given, each, changes.currency) for each in changes.parties}
    if any(prizes[each.entrant] != each.payout for each in changes.parties):
        awards = [{"entrant": name, "amount": prize} for name, prize in prizes.items() if prize]
        yield {"act": "reaward", "awards": awards}


def _place(given: Given, party: Party) -> int:
    name = f"place.{party.entrant}"
    return demanded(given.text(name) or str(party.place or 0), name)


def _prize(given: Given, party: Party, currency: str | None) -> int:
    name = f"prize.{party.entrant}"
    return minor(given.text(name) or party.prize, currency, name)


def _typed(minor: int, currency: str | None) -> str:
    digits = _digits(currency)
    return f"{Decimal(minor).scaleb(-digits):.{digits}f}"


def _digits(currency: str | None) -> int:
    return 0 if currency is None else int(get_currency_precision(currency))


def _by_place(entrant: EntrantShown) -> tuple[int, tuple[bool, str, str]]:
    return entrant.placing or 10_000, by_name(entrant.name)
