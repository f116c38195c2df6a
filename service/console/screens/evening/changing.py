"""Changing an announced evening: its time, place, size and prizes. Announcing a draft."""

import asyncio
from collections.abc import Mapping
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import msgspec
from babel.dates import format_date

from service.api.http.writing.rehearsing import WouldChange
from service.api.tournament.tournaments import TournamentShown
from service.base.documents import Document
from service.base.languages import N_
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given, Question, Rehearsal, command
from service.console.numbers import demanded, listed, minor, written
from service.console.pages import Done, Page
from service.console.rehearsals import ChangeList, Row
from service.console.screens.evening.changes import MONEY, TERMS
from service.console.screens.evening.entry import BEFORE_PLAY, OVER
from service.console.screens.evening.evenings import PLANS, at_fields, zone_of
from service.console.screens.evening.prices import NO_LIST, prices_of
from service.console.screens.evening.questions import CURRENCIES, ZONES, usual_zone
from service.console.screens.evening.tournaments import poster
from service.console.words import Words

_MORE_PLACES = 3
"""Empty fields behind the prizes that are set."""

_PLACES_MAX = 12
_FIXED = OVER | {"draft"}
"""States in which no terms may change. A draft is announced or thrown away as it stands."""

_SALES = {"fees.rebuy": N_("Price of a rebuy"), "fees.add_on": N_("Add-on")}
"""The terms of what is sold, in the words of the form."""

_Changes = dict[str, tuple[object, object]]
"""The present and the new value of each term that changes."""


class ChangeScreen(msgspec.Struct, kw_only=True):
    """The terms that may change, with their present values and those in the form."""

    id: str
    league: str
    name: str
    etag: str | None
    place: str
    date: str
    time: str
    zone: str
    zone_known: bool
    """False if the reader's device should say the zone."""

    zones: tuple[str, ...]
    starts_at: datetime
    starts: bool
    """True before play, when the start and the places may still change."""

    entrants_min: int
    entrants_max: int
    late: int | None
    currency: str | None
    currencies: tuple[str, ...]
    payouts: str
    """The shares of the places, first place first."""

    amounts: tuple[str, ...]
    """The fixed prizes, first place first, with empty fields behind them."""

    prize_pool: str
    sells: bool
    """True while nobody has entered, so that the prices may still change."""

    rebuys: bool
    """True if rebuys are sold."""

    rebuy_price: str
    add_on_chips: str
    add_on_price: str
    add_on_max: int


@page("/tournaments/{tournament:str}/change")
async def change(ask: Ask, tournament: str) -> Page:
    """Show the terms that may change."""
    me, read = await asyncio.gather(
        ask.me(), ask.api.read(f"/v1/tournaments/{tournament}", TournamentShown)
    )
    shown = read.value
    role = me.role_in(shown.league)
    if role not in PLANS or shown.state in _FIXED:
        raise Problem(404, {"code": "not_found"})
    known = await zone_of(ask, shown.league)
    screen = _screen(shown, read.etag, usual_zone(ask, known), known=known is not None)
    return Page("evening/change.html", screen)


def _screen(shown: TournamentShown, etag: str | None, zone: str, *, known: bool) -> ChangeScreen:
    local = shown.starts_at.astimezone(ZoneInfo(zone))
    amounts = [written(each, shown.currency) for each in shown.fees.amounts]
    rebuy, add_on = shown.fees.rebuy, shown.fees.add_on
    empty = max(0, min(_MORE_PLACES, _PLACES_MAX - len(amounts)))
    return ChangeScreen(
        id=shown.id,
        league=shown.league,
        name=shown.name,
        etag=etag,
        place=shown.place or "",
        date=local.date().isoformat(),
        time=f"{local:%H:%M}",
        zone=zone,
        zone_known=known,
        zones=ZONES,
        starts_at=shown.starts_at,
        starts=shown.state in BEFORE_PLAY,
        entrants_min=shown.entrants_min,
        entrants_max=shown.entrants_max,
        late=shown.entry.late_registration_level,
        currency=shown.currency,
        currencies=CURRENCIES,
        payouts=", ".join(map(str, shown.payouts)),
        amounts=(*amounts, *("",) * empty),
        prize_pool=written(shown.prize_pool, shown.currency) if shown.prize_pool else "",
        sells=shown.state in BEFORE_PLAY and not shown.entrants and not shown.ruleset.moneyless,
        rebuys=shown.ruleset.rebuy.max != 0,
        rebuy_price="" if rebuy is None else written(rebuy.price, shown.currency),
        add_on_chips="" if add_on is None else str(add_on.chips),
        add_on_price="" if add_on is None else written(add_on.price, shown.currency),
        add_on_max=1 if add_on is None else add_on.max,
    )


@form("/tournaments/{tournament:str}/change", of=change)
async def change_terms(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Change the terms that differ from the present ones, after showing the effects."""
    path = f"/v1/tournaments/{tournament}"
    shown = await ask.api.get(path, TournamentShown)
    changes = _changes(given, shown)
    if not changes:
        return Done(links.tournament(tournament), ask.gettext("Nothing was changed."))
    currency = given.text("currency") or shown.currency

    async def own(_: WouldChange) -> ChangeList:
        return _listed(ask, given, shown, changes)

    try:
        return await command(
            ask, given, "POST", f"{path}/terms-changes",
            _body(changes) | {"reason": given.text("reason")},
            said=ask.gettext("The evening is changed."), to=links.tournament(tournament),
            rehearse=Rehearsal(ask.gettext("Change this evening?"), currency=currency, own=own),
        )  # fmt: skip
    except Problem as problem:
        raise at_fields(problem) from None


def _changes(given: Given, shown: TournamentShown) -> _Changes:
    """
    Return the terms that the form changes.

    Once play has begun, the form lacks the start and the places: they stay. It always has prizes.
    """
    known: Document = msgspec.to_builtins(shown)
    changes: _Changes = {}
    for name, after in _typed(given, shown).items():
        above, _, member = name.partition(".")
        before = known[above][member] if member else known[above]
        if _compared(name, before) != _compared(name, after):
            changes[name] = before, after
    return changes


def _body(changes: _Changes) -> Document:
    """Return the new values as the API takes them, with parts such as the fees."""
    body: Document = {}
    for name, (_before, after) in changes.items():
        above, _, member = name.partition(".")
        if member:
            body.setdefault(above, {})[member] = after
        else:
            body[above] = after
    return body


def _listed(ask: Ask, given: Given, shown: TournamentShown, changes: _Changes) -> ChangeList:
    """Return the changed terms in words, with their present values."""
    rows = []
    zone = given.text("zone")
    currency = given.text("currency") or shown.currency
    for name, said in (TERMS | _SALES).items():
        if name in changes:
            before, after = changes[name]
            was = _told(ask, name, before, zone, shown.currency)
            becomes = _told(ask, name, after, zone, currency)
            rows.append(Row(what=ask.gettext(said), before=was, after=becomes))
    caption, about = ask.gettext("The evening"), ask.gettext("What changes")
    return ChangeList(caption=caption, about=about, rows=rows)


def _told(ask: Ask, name: str, value: object, zone: str, currency: str | None) -> str:
    """Return the value of a term in words."""
    if name == "starts_at":
        local = datetime.fromisoformat(str(value)).astimezone(ZoneInfo(zone))
        day = format_date(local, ask.gettext("EEEE, d MMMM"), locale=ask.language.locale)
        return f"{day}, {local:%H:%M} ({zone.replace('_', ' ')})"
    if isinstance(value, Mapping):
        amount = Words(ask.language).money(value["price"] + value["fee"], currency).striptags()
        chips = value.get("chips")
        return ask.gettext("%(chips)s chips for %(money)s") % {
            "chips": chips, "money": amount,
        } if chips else amount  # fmt: skip
    money = name in MONEY
    listed = value if isinstance(value, list | tuple) else [value]
    words = [
        written(each, currency) if money and isinstance(each, int) else each for each in listed
    ]
    return ", ".join(str(each) for each in words if each) or "–"


def _compared(name: str, value: object) -> object:
    """Return a value as it is compared. The form knows no seconds of the start."""
    if name == "starts_at":
        return datetime.fromisoformat(str(value)).replace(second=0, microsecond=0)
    return list(value) if isinstance(value, list | tuple) else value


def _typed(given: Given, shown: TournamentShown) -> Document:
    return _of_entry(given) | _of_sales(given, shown) | _of_prizes(given, shown)


def _of_entry(given: Given) -> Document:
    found: Document = {}
    if "name" in given.values:
        found["name"] = given.text("name")
    if "place" in given.values:
        found["place"] = given.text("place") or None
    if "date" in given.values:
        found["starts_at"] = _start(given).isoformat()
    for name in ("entrants_min", "entrants_max"):
        if name in given.values:
            found[name] = demanded(given.text(name), name, least=2)
    if "late" in given.values:
        late = given.text("late")
        found["entry.late_registration_level"] = demanded(late, "late", least=1) if late else None
    return found


def _of_prizes(given: Given, shown: TournamentShown) -> Document:
    currency = given.text("currency") or shown.currency
    amounts = [each.strip() for each in given.texts("amounts[]")]
    while amounts and not amounts[-1]:
        amounts.pop()
    payouts = listed(given.text("payouts"))
    if payouts is None:
        raise _wrong({"payouts": NO_LIST})
    found: Document = {
        "payouts": list(payouts),
        "fees.amounts": [minor(each or "0", currency, "amounts") for each in amounts],
        "prize_pool": minor(given.text("prize_pool") or "0", currency, "prize_pool"),
    }
    played = any(found.values())
    return found | ({"currency": currency} if played else {})


def _of_sales(given: Given, shown: TournamentShown) -> Document:
    """Return the prices of a rebuy and of the add-on. Their fees for the house stay."""
    if "add_on_chips" not in given.values:
        return {}
    wrong: dict[str, str] = {}
    currency = given.text("currency") or shown.currency
    own = {name: each for name, each in given.values.items() if name != "payouts"}
    prices = prices_of(own, currency or CURRENCIES[0], 2, shown.fees.buy_in, wrong)
    if wrong:
        raise _wrong(wrong)
    rebuy, add_on = shown.fees.rebuy, shown.fees.add_on
    found: Document = {"fees.rebuy": None, "fees.add_on": None}
    if prices.rebuy is not None:
        found["fees.rebuy"] = {"price": prices.rebuy, "fee": 0 if rebuy is None else rebuy.fee}
    if (more := prices.add_on) is not None:
        fee = 0 if add_on is None else add_on.fee
        found["fees.add_on"] = {
            "price": more.price, "fee": fee, "chips": more.chips, "max": more.most,
        }  # fmt: skip
    return found | ({"currency": currency} if prices.money else {})


def _wrong(wrong: Mapping[str, str]) -> Problem:
    errors = [{"pointer": f"/{name}", "detail": said} for name, said in wrong.items()]
    return Problem(400, {"code": "validation_failed", "errors": errors})


def _start(given: Given) -> datetime:
    """
    Return the start in the zone of the form.

    Raises:
        Problem: If it is no day or no time.
    """
    zone = given.text("zone")
    try:
        day, clock = date.fromisoformat(given.text("date")), time.fromisoformat(given.text("time"))
        return datetime.combine(day, clock, ZoneInfo(zone if zone in ZONES else ZONES[0]))
    except ValueError:
        raise _wrong({"date": "Expected `datetime`"}) from None


@form("/tournaments/{tournament:str}/announce", of=poster)
async def announce_draft(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Announce a draft as it stands."""
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/announce",
        said=ask.gettext("The evening is announced."), to=links.tournament(tournament),
    )  # fmt: skip


@form("/tournaments/{tournament:str}/discard", of=poster)
async def discard_draft(ask: Ask, given: Given, tournament: str) -> Done | Page:
    """Give a draft up, after a question."""
    asked = Question(
        ask.gettext("Throw the draft away?"), ask.gettext("It can then never be announced.")
    )
    return await command(
        ask, given, "POST", f"/v1/tournaments/{tournament}/discard",
        said=ask.gettext("The draft is thrown away."), to=links.HOME, rehearse=asked,
    )  # fmt: skip
