"""The rules of entry: what happens if too few come, and until when people may come late."""

from datetime import datetime, timedelta

import msgspec
from markupsafe import escape

from engine.tournament.model.terms import EntryTerms, Rounds
from service.api.public.tournaments import PublicTournament
from service.api.tournament.tournaments import TournamentShown
from service.console.languages import Spoken
from service.console.screens.evening.prices import add_on_said
from service.console.words import Words, lasting

BEFORE_PLAY = frozenset({"announced", "registering", "registration_closed"})
"""The phases in which the seats are not drawn yet."""

OVER = frozenset({"finished", "cancelled", "discarded"})
"""The phases after which nothing is played. A draft that was thrown away is discarded."""

_TWICE = 2


class LateEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The time until which players may enter after the start."""

    level: int | None
    """The last level in which they may, or null if late entry ends after a time."""

    ends_at: datetime | None
    """The likely end, or null while nobody can say."""


class EntryRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of entry that a page shows."""

    too_few: str = ""
    """The effect of too few players at the start, or nothing once play has begun."""

    no_show: str = ""
    """When check-in is open, and the effect of not being there. Nothing once play has begun."""

    rebuys: tuple[str, ...] = ()
    """Where rebuys are sold, their number, their end and their price. Empty without rebuys."""

    add_on: str = ""
    """The price and the chips of the add-on. Nothing without one, for strangers, or after play."""

    last_hands: str = ""
    """The time of the last hands and their effect. Nothing without one, or for strangers."""

    waits: str = ""
    """That the start was postponed, or nothing."""

    late: LateEntry | None = None
    """Late entry, or null if there is none or if it is over."""


NO_ENTRY_RULES = EntryRules()
"""No rules of entry, as for a preset, and for a floor that strangers see."""


def entry_rules(
    language: Spoken, shown: TournamentShown | PublicTournament, now: datetime
) -> EntryRules:
    """Return what still holds of the rules of entry."""
    entry, before = shown.entry, shown.state in BEFORE_PLAY
    late = None
    if entry.late and (before or shown.late_registration):
        ends_at = shown.late_registration_ends_at
        late = LateEntry(level=entry.late_registration_level, ends_at=ends_at)
    rebuys = _rebuys(language, shown)
    add_on, last_hands = _add_on(language, shown), _last_hands(language, shown)
    if not before:
        return EntryRules(late=late, rebuys=rebuys, add_on=add_on, last_hands=last_hands)
    return EntryRules(
        no_show=_if_absent(language, shown, now),
        rebuys=rebuys,
        add_on=add_on,
        last_hands=last_hands,
        too_few=if_too_few(language, entry, shown.entrants_min, shown.postponements),
        waits=_waits(language, entry) if shown.postponements else "",
        late=late,
    )


def _rebuys(language: Spoken, shown: TournamentShown | PublicTournament) -> tuple[str, ...]:
    _, rebuy = language.gettext, shown.ruleset.rebuy
    if not sells_rebuys(shown):
        return ()
    found = [_("only in the final")] if isinstance(shown.format, Rounds) else []
    if rebuy.max is None:
        found.append(_("any number"))
    else:
        found.append(_("at most %(num)s each") % {"num": rebuy.max})
    if rebuy.until_level is not None:
        over = _level_of(shown) > rebuy.until_level
        said = (
            _("over since the end of level %(level)s")
            if over
            else _("to the end of level %(level)s")
        )
        found.append(said % {"level": rebuy.until_level})
    if rebuy.seconds and not (rebuy.until_level and _level_of(shown) > rebuy.until_level):
        said = _("within %(time)s of losing the last chip, or declared before")
        found.append(said % {"time": lasting(rebuy.seconds, language)})
    if isinstance(shown, TournamentShown) and shown.currency is not None:
        price = shown.fees.price_of_rebuy
        money = Words(language).money(price.price + price.fee, shown.currency)
        found.append(escape(_("%(money)s each time")) % {"money": money})
    return tuple(found)


def sells_rebuys(shown: TournamentShown | PublicTournament) -> bool:
    """Return whether the evening ever sells rebuys. Of scheduled rounds only the final does."""
    final = not isinstance(shown.format, Rounds) or shown.format.cut is not None
    return shown.ruleset.rebuy.max != 0 and final


def rebuys_now(shown: TournamentShown) -> bool:
    """Return whether rebuys are sold now. In rounds they are once the final has begun."""
    return sells_rebuys(shown) and (shown.round is None or shown.round.stage == "final")


def _level_of(shown: TournamentShown | PublicTournament) -> int:
    """Return the level of the clock. Strangers see none here, so it is 0 for them."""
    clock = shown.clock if isinstance(shown, TournamentShown) else None
    return 0 if clock is None else clock.level


def _add_on(language: Spoken, shown: TournamentShown | PublicTournament) -> str:
    if not isinstance(shown, TournamentShown) or shown.fees.add_on is None or shown.state in OVER:
        return ""
    sold = shown.fees.add_on
    return add_on_said(language, sold.chips, sold.price + sold.fee, sold.max, shown.currency)


def _last_hands(language: Spoken, shown: TournamentShown | PublicTournament) -> str:
    """Return when the last hands come, or nothing once they are called or all is over."""
    if not isinstance(shown, TournamentShown) or shown.floor.last_hands_at is None:
        return ""
    if shown.state in OVER:
        return ""
    _, drawn = language.gettext, shown.floor.last_hands
    said = _("%(at)s. The hands in play are then the last, and the chips decide.")
    if drawn is not None:
        said = _("%(at)s. Each table then plays %(low)s to %(high)s hands more, and the chips "
                 "decide.")  # fmt: skip
    at = Words(language).when(shown.floor.last_hands_at)
    low, high = ("", "") if drawn is None else (drawn.low, drawn.high)
    return escape(said) % {"at": at, "low": low, "high": high}


def _if_absent(language: Spoken, shown: TournamentShown | PublicTournament, now: datetime) -> str:
    _, before = language.gettext, shown.entry.check_in_opens_before_seconds
    if before is None or not releases(shown.entry):
        return ""
    when = shown.starts_at - timedelta(seconds=before)
    said = _("Check-in opens %(when)s. Players who have not checked in by the start lose their "
             "places.")  # fmt: skip
    if now >= when and shown.state != "announced":
        when = shown.starts_at
        said = _("Check-in is open until the start, %(when)s. Players who have not checked in by "
                 "then lose their places.")  # fmt: skip
    return escape(said) % {"when": Words(language).when(when)}


def releases(entry: EntryTerms) -> bool:
    """Return whether those who have not checked in at the start lose their places."""
    return entry.check_in_opens_before_seconds is not None and entry.no_show == "release"


def if_too_few(language: Spoken, entry: EntryTerms, least: int, waited: int = 0) -> str:
    """
    Return what happens at the start if fewer than *least* are there.

    Args:
        waited: The number of times that the start has waited already.
    """
    _ = language.gettext
    left = entry.postponements_max - waited if entry.too_few == "postpone" else 0
    if left > 0 and releases(entry):
        said = _("If fewer than %(least)s players are here at the start, the start waits %(wait)s, "
                 "%(times)s. Then the evening is cancelled.")  # fmt: skip
    elif left > 0:
        said = _("If fewer than %(least)s players have entered at the start, the start waits "
                 "%(wait)s, %(times)s. Then the evening is cancelled.")  # fmt: skip
    elif releases(entry):
        said = _("If fewer than %(least)s players are here at the start, the evening is cancelled.")
    else:
        said = _("If fewer than %(least)s players have entered at the start, the evening is "
                 "cancelled.")  # fmt: skip
    wait = lasting(entry.postpone_seconds, language)
    return said % {"least": least, "wait": wait, "times": _at_most(language, left)}


def _at_most(language: Spoken, times: int) -> str:
    if times == 1:
        return language.gettext("at most once")
    if times == _TWICE:
        return language.gettext("at most twice")
    return language.gettext("at most %(num)d times") % {"num": times}


def _waits(language: Spoken, entry: EntryTerms) -> str:
    _ = language.gettext
    said = _("Too few players were there, so the start waits.")
    if entry.check_in_opens_before_seconds is not None:
        said += " " + _("Everybody checks in again, also those who were here.")
    return said
