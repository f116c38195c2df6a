"""Numbers, money and times as a reader reads them. Templates have this as ``words``."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from babel.dates import format_datetime, format_time, format_timedelta
from babel.numbers import format_currency, format_decimal, get_currency_precision
from markupsafe import Markup, escape

from engine.rulesets import Amounts
from service.api.table.my_waiting import (
    CheckInWaiting,
    DealWaiting,
    OfferWaiting,
    RebuyWaiting,
    TurnWaiting,
    Waiting,
)
from service.console.languages import Spoken


@dataclass(frozen=True, slots=True)
class Words:
    """Formats values in one language."""

    language: Spoken

    def when(self, at: datetime, zone: str | None = None, shown: str = "full") -> Markup:
        """
        Return a ``<time>``. ``times.js`` rewrites it in the reader's own zone.

        Args:
            zone: The zone to write it in, which then stays. Without one it is UTC.
            shown: ``full`` for day and time, ``day``, or ``time``.
        """
        pattern = {"full": "EEE d MMM, HH:mm", "day": "EEE d MMM", "time": "HH:mm"}[shown]
        tz = ZoneInfo(zone or "UTC")
        text = format_datetime(at, pattern, tzinfo=tz, locale=self.language.locale)
        if shown != "day":
            text += f" {zone.rpartition('/')[2].replace('_', ' ') if zone else 'UTC'}"
        kept = "" if zone else Markup(' data-local="{}"').format(shown)
        return Markup('<time datetime="{}"{}>{}</time>').format(
            at.isoformat(timespec="seconds"), kept, text
        )

    def clock(self, at: datetime) -> str:
        """Return the time of day in the zone that *at* has."""
        return str(format_time(at, "HH:mm", locale=self.language.locale))

    def number(self, value: int) -> str:
        """Return a number with its groups of digits."""
        return format_decimal(value, locale=self.language.locale)

    def chips(self, value: int) -> Markup:
        """Return a number of chips, in tabular figures."""
        return Markup('<span class="num">{}</span>').format(self.number(value))

    def points(self, points: str) -> Markup:
        """Return points of a season without zeros behind the point."""
        return Markup('<span class="num">{}</span>').format(
            format_decimal(Decimal(points), locale=self.language.locale)
        )

    def money(self, minor: int, currency: str | None) -> Markup:
        """Return an amount of minor units of *currency*."""
        if currency is None:
            return self.chips(minor)
        value = minor / 10 ** get_currency_precision(currency)
        text = format_currency(value, currency, locale=self.language.locale)
        return Markup('<span class="num">{}</span>').format(text)

    def length(self, seconds: int) -> str:
        """Return a length of time in its largest unit."""
        return str(format_timedelta(timedelta(seconds=seconds), locale=self.language.locale))

    def countdown(self, seconds: int) -> str:
        """Return a time that runs down, as minutes and seconds, with hours if there are any."""
        minutes, rest = divmod(max(0, seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

    def blinds(self, amounts: Amounts) -> list[tuple[str, str | None]]:
        """Return the forced bets of a level for the macro ``blinds``: amounts with their units."""
        _ = self.language.gettext
        named = ((amounts.small, None), (amounts.big, None), (amounts.ante, _("ante")))
        return [(self.number(amount), unit) for amount, unit in named if amount]

    def blinds_line(self, amounts: Amounts) -> str:
        """Return the forced bets of a level in one line: "150 / 300, ante 25"."""
        blinds = " / ".join(self.number(each) for each in (amounts.small, amounts.big) if each)
        ante = self.language.gettext("ante") + f" {self.number(amounts.ante)}"
        return ", ".join(each for each in (blinds, ante if amounts.ante else "") if each)

    def phase(self, phase: str) -> str:
        """Return the phase of a tournament."""
        _ = self.language.gettext
        known: dict[str, str] = {
            "draft": _("Draft"),
            "announced": _("Announced"),
            "registering": _("Open for entries"),
            "discarded": _("Discarded"),
            "registration_closed": _("Entries closed"),
            "seating": _("Seats are being drawn"),
            "running": _("Under way"),
            "paused": _("Paused"),
            "finished": _("Finished"),
            "cancelled": _("Cancelled"),
        }
        return known.get(phase, phase)

    def standing(self, standing: str) -> str:
        """Return the standing of an evening in a schedule."""
        _ = self.language.gettext
        known: dict[str, str] = {
            "planned": _("Planned"),
            "on": _("Announced"),
            "over": _("Finished"),
            "cancelled": _("Cancelled"),
            "missed": _("Missed"),
        }
        return known.get(standing, standing)

    def role(self, role: str) -> str:
        """Return a role in a league."""
        _ = self.language.gettext
        known: dict[str, str] = {
            "owner": _("Owner"),
            "director": _("Director"),
            "referee": _("Referee"),
            "scorer": _("Scorer"),
            "auditor": _("Auditor"),
            "player": _("Player"),
        }
        return known.get(role, role)

    def entry(self, status: str) -> str:
        """Return the state of an entry."""
        _ = self.language.gettext
        known: dict[str, str] = {
            "requested": _("Waits for approval"),
            "refused": _("Refused"),
            "waitlisted": _("In line"),
            "offered": _("Has the offer of a place"),
            "registered": _("Entered"),
            "playing": _("Playing"),
            "rebuy_open": _("May rebuy"),
            "busted": _("Out"),
            "eliminated": _("Out"),
            "cashed_out": _("Has left"),
            "finished": _("Finished"),
        }
        return known.get(status, status)

    def waits(self, waiting: Waiting) -> str:
        """Return what waits for the reader."""
        _ = self.language.gettext
        match waiting:
            case TurnWaiting():
                return _("Your turn")
            case OfferWaiting():
                return _("A place is offered to you")
            case RebuyWaiting():
                return _("You may rebuy")
            case CheckInWaiting():
                return _("Check in now")
            case DealWaiting():
                return _("A deal is proposed")

    def counting(self, mode: str, kept: int) -> str:
        """Return which results of a player make the total."""
        _, many = self.language.gettext, self.language.ngettext
        known: dict[str, str] = {
            "sum": _("Every result counts."),
            "average": _("The average of all results counts."),
            "best": many("The best result counts.", "The best %(num)d results count.", kept),
            "best_average": many(
                "The best result counts.", "The average of the best %(num)d results counts.", kept
            ),
            "drop_worst": many(
                "The worst evening is left out.", "The worst %(num)d evenings are left out.", kept
            ),
            "best_series": many(
                "The best result counts.",
                "The best run of %(num)d results in a row counts.",
                kept,
            ),
        }
        return known.get(mode, mode) % {"num": kept}

    def tie_break(self, rule: str) -> str:
        """Return what decides between players with equal points."""
        _ = self.language.gettext
        known: dict[str, str] = {
            "standings.best_result": _("the best single result"),
            "standings.wins": _("more wins"),
            "standings.head_to_head": _("who finished ahead of the other"),
            "standings.most_recent": _("the latest result"),
            "standings.lot": _("a draw of lots"),
        }
        return known.get(rule, rule)

    def decided_by(self, rule: str) -> str:
        """Return why a player stands where they stand among equal points."""
        said = self.language.gettext("equal points, decided by %(rule)s")
        return said % {"rule": self.tie_break(rule)}

    def moved(self, places: int) -> str:
        """Return how far somebody has moved since the last evening, for screen readers."""
        _, many = self.language.gettext, self.language.ngettext
        if places > 0:
            return many("up %(num)d place", "up %(num)d places", places) % {"num": places}
        if places < 0:
            return many("down %(num)d place", "down %(num)d places", -places) % {"num": -places}
        return _("as before")

    def rating(self, rating: str) -> Markup:
        """Return a rating with one digit behind the point."""
        return Markup('<span class="num">{}</span>').format(
            format_decimal(Decimal(rating), format="0.0", locale=self.language.locale)
        )

    def listed(self, names: tuple[str, ...]) -> Markup:
        """Return *names* joined by commas."""
        return Markup(", ").join(escape(each) for each in names)

    def date(self, at: datetime, zone: str | None = None) -> Markup:
        """Return the day and month of an evening, for the start of a line in a list."""
        tz, locale = ZoneInfo(zone or "UTC"), self.language.locale
        return Markup(
            '<span class="line-date"><span class="figure">{}</span><span>{}</span></span>'
        ).format(
            format_datetime(at, "d", tzinfo=tz, locale=locale),
            format_datetime(at, "LLL", tzinfo=tz, locale=locale),
        )
