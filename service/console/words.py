"""Numbers, money and times in the reader's language. Templates have this as ``words``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal
from zoneinfo import ZoneInfo

from babel.dates import format_datetime, format_skeleton, format_timedelta
from babel.numbers import format_currency, format_decimal, get_currency_precision
from babel.units import format_unit
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
from service.base.languages import N_
from service.console.languages import Spoken

_PHASES = {
    "draft": N_("Draft"),
    "announced": N_("Announced"),
    "registering": N_("Open for entries"),
    "discarded": N_("Discarded"),
    "registration_closed": N_("Entries closed"),
    "seating": N_("Seats are being drawn"),
    "running": N_("Under way"),
    "paused": N_("Paused"),
    "finished": N_("Finished"),
    "cancelled": N_("Cancelled"),
    "check_in": N_("Check-in open"),
    "planned": N_("Planned"),
    "on": N_("Announced"),
    "over": N_("Finished"),
    "missed": N_("Missed"),
}
"""The words by phase, and by further states of a schedule."""

_WHOLE = re.compile(r"\d{1,18}")

_GAMES = {
    "better": N_("Better Sabacc"),
    "better_simple": N_("Better Sabacc, few chips"),
    "cantina": N_("Cantina"),
    "casino": N_("Casino"),
    "halcyon_10": N_("Halcyon, 10 chips"),
    "halcyon_100": N_("Halcyon, 100 chips"),
    "holo": N_("Holo"),
    "official": N_("Coruscant Shift"),
    "spike": N_("Corellian Spike"),
    "traditional": N_("Traditional"),
}

_ROLES = {
    "owner": N_("Owner"),
    "director": N_("Director"),
    "referee": N_("Referee"),
    "scorer": N_("Scorer"),
    "auditor": N_("Auditor"),
    "player": N_("Player"),
}

_ENTRIES = {
    "requested": N_("Waits for approval"),
    "refused": N_("Refused"),
    "waitlisted": N_("On the waitlist"),
    "offered": N_("Place offered"),
    "registered": N_("Entered"),
    "playing": N_("Playing"),
    "rebuy_open": N_("May rebuy"),
    "busted": N_("Out"),
    "eliminated": N_("Out"),
    "cashed_out": N_("Has left"),
    "finished": N_("Finished"),
}

_TIE_BREAKS = {
    "standings.best_result": N_("the best single result"),
    "standings.wins": N_("more wins"),
    "standings.head_to_head": N_("head to head"),
    "standings.most_recent": N_("the latest result"),
    "standings.lot": N_("a draw of lots"),
}


@dataclass(frozen=True, slots=True)
class Words:
    """Formats values in one language."""

    language: Spoken

    def when(self, at: datetime, zone: str | None = None, shown: str = "full") -> Markup:
        """
        Return a ``<time>``. ``times.js`` rewrites it in the reader's own zone.

        Args:
            zone: The zone to write it in, which then stays. Without one it is UTC.
            shown: ``full`` for day and time, ``day``, ``time`` for a time of which ``times.js``
                says the day if it is not today, or ``hour`` for the time and the weekday.
        """
        pattern = {
            "full": self.language.gettext("EEE d MMM, HH:mm"),
            "day": self.language.gettext("EEE d MMM"),
            "time": self.language.gettext("EEE HH:mm"),
            "hour": self.language.gettext("EEE HH:mm"),
        }[shown]
        tz = ZoneInfo(zone or "UTC")
        text = format_datetime(at, pattern, tzinfo=tz, locale=self.language.locale)
        if shown != "day":
            text += f" {zone.rpartition('/')[2].replace('_', ' ') if zone else 'UTC'}"
        kept = "" if zone else Markup(' data-local="{}"').format(shown)
        return Markup('<time datetime="{}"{}>{}</time>').format(
            at.isoformat(timespec="seconds"), kept, text
        )

    def span(self, since: datetime, until: datetime | None) -> str:
        """Return the months from *since* to *until*, or say that there is no end."""
        locale = self.language.locale
        first = format_skeleton("yMMM", since, locale=locale)
        if until is None:
            return self.language.gettext("since %(month)s") % {"month": first}
        last = format_skeleton("yMMM", until, locale=locale)
        return first if first == last else f"{first} – {last}"

    def clock(self, at: datetime, since: datetime | None = None) -> str:
        """Return the time of day in the zone of *at*, with the weekday if *since* has another."""
        same = since is None or since.date() == at.date()
        pattern = "HH:mm" if same else self.language.gettext("EEE HH:mm")
        return str(format_datetime(at, pattern, locale=self.language.locale))

    def number(self, value: int) -> str:
        """Return a number with its groups of digits."""
        return format_decimal(value, locale=self.language.locale)

    def typed(self, value: str) -> str:
        """Return a whole number with its groups of digits, or a text that is none as it is."""
        return self.number(int(value)) if _WHOLE.fullmatch(value) else value

    def mark(self, value: float) -> str:
        """Return a number beside an axis."""
        return self.decimal(f"{value:g}").replace("-", "−")

    def chips(self, value: int) -> Markup:
        """Return a number of chips, in tabular figures."""
        return Markup('<span class="num">{}</span>').format(self.number(value))

    def points(self, points: str) -> Markup:
        """Return points of a season without zeros behind the point."""
        return Markup('<span class="num">{}</span>').format(self.decimal(points))

    def decimal(self, value: str) -> str:
        """Return a decimal number without zeros behind the point."""
        return format_decimal(Decimal(value), locale=self.language.locale)

    def money(self, minor: int, currency: str | None) -> Markup:
        """Return an amount of money. *amount* counts minor units of *currency*."""
        if currency is None:
            return self.chips(minor)
        value = minor / 10 ** get_currency_precision(currency)
        text = format_currency(value, currency, locale=self.language.locale)
        return Markup('<span class="num">{}</span>').format(text)

    def length(self, seconds: int, form: Literal["long", "short"] = "long") -> str:
        """Return a length of time in its largest unit."""
        length, locale = timedelta(seconds=seconds), self.language.locale
        return str(format_timedelta(length, format=form, locale=locale))

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
        """Return the words for a tournament's phase, or for its state in a schedule."""
        return self._said(_PHASES, phase)

    def game(self, ruleset: str) -> str:
        """Return the name of a ruleset. A league's own ruleset has its name already."""
        return self._said(_GAMES, ruleset)

    def role(self, role: str) -> str:
        """Return a role in a league."""
        return self._said(_ROLES, role)

    def entry(self, status: str) -> str:
        """Return the state of an entry."""
        return self._said(_ENTRIES, status)

    def waits(self, waiting: Waiting) -> str:
        """Return the words for one of the reader's tasks."""
        _ = self.language.gettext
        match waiting:
            case TurnWaiting():
                return _("Your turn")
            case OfferWaiting():
                return _("A place is offered to you")
            case RebuyWaiting(rebuy=buys):
                return _("You may rebuy") if buys else _("You may stake an item")
            case CheckInWaiting():
                return _("Check in now")
            case DealWaiting():
                return _("A deal is proposed")

    def counting(self, mode: str, kept: int) -> str:
        """Return the words for the results of a player that make the total."""
        _, ngettext = self.language.gettext, self.language.ngettext
        known: dict[str, str] = {
            "sum": _("Every result counts."),
            "average": _("The average of all results counts."),
            "best": ngettext("The best result counts.", "The best %(num)d results count.", kept),
            "best_average": ngettext(
                "The average of the best result counts.",
                "The average of the best %(num)d results counts.",
                kept,
            ),
            "drop_worst": ngettext(
                "The worst evening is left out.", "The worst %(num)d evenings are left out.", kept
            ),
            "best_series": ngettext(
                "The best run of one result counts.",
                "The best run of %(num)d results in a row counts.",
                kept,
            ),
        }
        return known.get(mode, mode) % {"num": kept}

    def tie_break(self, rule: str) -> str:
        """Return the words for a tie-break between players with equal points."""
        return self._said(_TIE_BREAKS, rule)

    def decided_by(self, rule: str) -> str:
        """Return the reason for a player's place among equal points."""
        said = self.language.gettext("tied: %(rule)s")
        return said % {"rule": self.tie_break(rule)}

    def moved(self, places: int) -> str:
        """Return how many places a player has moved since the last evening, for screen readers."""
        _, ngettext = self.language.gettext, self.language.ngettext
        if places > 0:
            return ngettext("up %(num)d place", "up %(num)d places", places) % {"num": places}
        if places < 0:
            return ngettext("down %(num)d place", "down %(num)d places", -places) % {"num": -places}
        return _("as before")

    def _said(self, texts: Mapping[str, str], name: str) -> str:
        """Return the words for *name*, or the name itself if it is newer than this console."""
        return self.language.gettext(texts[name]) if name in texts else name

    def rating(self, rating: str) -> Markup:
        """Return a rating with one digit behind the point."""
        return Markup('<span class="num">{}</span>').format(self.with_tenths(rating))

    def with_tenths(self, value: str) -> str:
        """Return a number with one digit behind the point."""
        written = format_decimal(Decimal(value), format="0.0", locale=self.language.locale)
        return written.replace("-", "−")

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


def lasting(seconds: int, language: Spoken) -> str:
    """Return a length as card rooms say it: 90 minutes, not 1½ hours. Long ones go by hours."""
    for unit, long in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds % long == 0 and (unit == "minute" or seconds > 2 * 3600):
            return str(format_unit(seconds // long, f"duration-{unit}", locale=language.locale))
    return str(format_unit(seconds, "duration-second", locale=language.locale))
