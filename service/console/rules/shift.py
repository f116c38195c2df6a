"""The rules of Coruscant Shift in words."""

from collections.abc import Callable, Iterator

from engine.hand.coruscant_ranking import Phase, phases
from engine.rulesets import CoruscantShift
from service.console.rules import bets
from service.console.rules.writing import Chapter, Pairs, Writer

Says = Callable[[Writer, CoruscantShift], Pairs]


def chapters(_: Writer, game: CoruscantShift) -> Iterator[Chapter]:
    """Yield the chapters of the rules."""
    yield _.chapter(_("The cards"), _cards(_, game))
    yield _.chapter(
        _("Before the cards"),
        [*bets.button(_, game), *bets.forced(_, game), *bets.growth(_, game)],
    )
    steps = [said for each in phases(game) if each in _STEPS for said in _STEPS[each](_, game)]
    alone = _("If all others have folded, the last player takes everything and shows nothing.")
    yield _.chapter(_("One hand, step by step"), [*steps, ("phases.one_live", alone)])
    yield _.chapter(_("Betting"), bets.betting(_, game))
    yield _.chapter(_("Equal hands"), bets.ties(_, game))
    yield _.chapter(_("The end"), bets.end(_, game))


def _cards(_: Writer, game: CoruscantShift) -> Pairs:
    yield (
        "cards.decks",
        _(
            "There are 62 cards: circles, triangles and squares, each from +1 to +10 and from −1 "
            "to −10, and two sylops, which count 0."
        ),
    )
    if game.recycle_discards:
        text = _("If the pile runs out, the discards are shuffled and dealt again.")
    else:
        text = _("Discards do not come back. The pile is large enough for everyone.")
    yield "cards.recycling", text


def _roll(_: Writer, game: CoruscantShift) -> Pairs:
    by = {
        "dealer": _("The dealer rolls two dice."),
        "left_of_dealer": _("The player left of the dealer rolls two dice."),
        "house": _("The house rolls two dice."),
    }
    text = _(
        "The gold one gives the target number: 0, +5, −5, +10 or −10. The silver one gives the "
        "target suit."
    )
    yield "dice.target", f"{by[game.roll.by]} {text}"


def _deal(_: Writer, game: CoruscantShift) -> Pairs:
    yield (
        "cards.deal",
        _.ngettext(
            "Everyone gets %(number)s card, face down.",
            "Everyone gets %(number)s cards, face down.",
            game.hand_size,
        ),
    )


def _select(_: Writer, game: CoruscantShift) -> Pairs:
    if game.first_selection_min:
        text = _.ngettext(
            "Keep at least %(number)s card. What you keep, you keep for good.",
            "Keep at least %(number)s cards. What you keep, you keep for good.",
            game.first_selection_min,
        )
    else:
        text = _("Keep any of your cards, or none. What you keep, you keep for good.")
    yield "selection.first", text


def _discard(_: Writer, game: CoruscantShift) -> Pairs:
    yield "cards.discard", _("The other cards go away, face down. Nobody sees them.")


def _first_street(_: Writer, game: CoruscantShift) -> Pairs:
    yield "betting.first_actor", _starts(_, _("The first street of betting."), game, 0)


def _second_street(_: Writer, game: CoruscantShift) -> Pairs:
    yield "betting.first_actor", _starts(_, _("The second street of betting."), game, 1)


def _starts(_: Writer, which: str, game: CoruscantShift, street: int) -> str:
    if game.first_actor[street] == "left_of_big_blind":
        first = _("The player left of the big blind begins.")
    else:
        first = _("The player left of the button begins.")
    return f"{which} {first}"


def _replace(_: Writer, game: CoruscantShift) -> Pairs:
    text = _("Everyone still in gets a new card for each card that went away.")
    yield "cards.replacement", text


def _improve(_: Writer, game: CoruscantShift) -> Pairs:
    added = _("Add any of the new cards to those you keep.")
    least = _.ngettext(
        "At least %(number)s card must be left to show.",
        "At least %(number)s cards must be left to show.",
        game.final_selection_min,
    )
    yield "selection.improve", f"{added} {least}"


def _reveal(_: Writer, game: CoruscantShift) -> Pairs:
    yield "showdown.reveal", _("Everyone still in shows the cards they keep.")


def _award(_: Writer, game: CoruscantShift) -> Pairs:
    yield (
        "showdown.key",
        _("The sum nearest to the target number wins. Over and under count alike."),
    )
    yield (
        "showdown.key",
        _(
            "If two are equally near, more cards of the target suit win. A sylop counts for that "
            "suit."
        ),
    )


_STEPS: dict[Phase, Says] = {
    "roll": _roll,
    "deal": _deal,
    "select": _select,
    "discard_unselected": _discard,
    "bet1": _first_street,
    "replace": _replace,
    "improve": _improve,
    "bet2": _second_street,
    "reveal": _reveal,
    "award": _award,
}
