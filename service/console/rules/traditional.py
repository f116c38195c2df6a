"""The rules of Traditional sabacc in words."""

from collections.abc import Iterator

from engine.rulesets import Traditional
from service.console.rules import bets
from service.console.rules.writing import Chapter, Pairs, Writer


def chapters(_: Writer, game: Traditional) -> Iterator[Chapter]:
    """Yield the chapters of the rules."""
    yield _.chapter(_("The cards"), _cards(_))
    yield _.chapter(_("Before the cards"), [*bets.button(_, game), *_antes(_, game)])
    yield _.chapter(_("One hand, step by step"), _steps(_, game))
    yield _.chapter(_("Your turn with the cards"), _turn(_, game))
    yield _.chapter(_("Betting"), bets.betting(_, game))
    yield _.chapter(_("The hands, best first"), _hands(_, game))
    yield _.chapter(_("Winning"), _winning(_, game))
    yield _.chapter(_("The end"), bets.end(_, game))


def _cards(_: Writer) -> Pairs:
    yield (
        "cards.decks",
        _(
            "There are 76 cards: sabers, flasks, coins and staves from 1 to 15, and two each of "
            "eight faces from 0 to −17."
        ),
    )
    yield "cards.recycling", _("If the pile runs out, the discards are shuffled and dealt again.")


def _antes(_: Writer, game: Traditional) -> Pairs:
    yield (
        "traditional.two_pots",
        _(
            "Everyone pays %(main)s into the main pot and %(sabacc)s into the Sabacc pot.",
            main=_.chips(game.main_ante),
            sabacc=_.chips(game.sabacc_ante),
        ),
    )
    yield bets.short_of_antes(_, game, "traditional.two_pots")


def _steps(_: Writer, game: Traditional) -> Pairs:
    yield "cards.deal", _("Everyone gets two cards, face down.")
    if game.announce_totals:
        yield "traditional.announce", _("Everyone announces the sum of the two cards.")
    yield (
        "traditional",
        _("Card rounds follow. Each is: a turn with the cards, a street of betting, two dice."),
    )
    yield (
        "traditional.shift",
        _(
            "Doubles shift the cards: everyone gives up all cards outside the field and gets as "
            "many new ones."
        ),
    )
    yield (
        "traditional.call",
        _.ngettext(
            "After %(number)s card round anyone may call the hand on a turn with the cards.",
            "After %(number)s card rounds anyone may call the hand on a turn with the cards.",
            game.pot_building_rounds,
        ),
    )
    text = _("Then come one last street of betting, one roll of the dice, and the reveal.")
    yield "traditional.call", text
    yield (
        "traditional.call_at_last",
        _.ngettext(
            "After %(number)s card round the hand is called automatically.",
            "After %(number)s card rounds the hand is called automatically.",
            game.max_rounds,
        ),
    )


def _turn(_: Writer, game: Traditional) -> Pairs:
    yield "traditional.stand", _("Stand: change nothing.")
    yield "traditional.draw", _("Draw: take one card from the pile.")
    yield "traditional.trade", _("Trade: give one card for one from the pile.")
    yield (
        "traditional.field",
        _(
            "On any turn you may lay cards open into your field. No shift touches them, and they "
            "stay there."
        ),
    )


def _hands(_: Writer, game: Traditional) -> Pairs:
    yield "traditional.rank", _("Idiot's Array: exactly the Idiot, a two and a three.")
    yield "traditional.rank", _("Pure Sabacc: +23 or −23.")
    if game.compare == "signed":
        yield "traditional.rank", _("Then the highest sum below 23. Minus counts as minus.")
    else:
        yield "traditional.rank", _("Then the sum farthest from 0 below 23, plus or minus.")
    yield "traditional.rank", _("Above 23, below −23 or exactly 0: you bomb out.")


def _winning(_: Writer, game: Traditional) -> Pairs:
    yield "showdown.best", _("The best hand takes the main pot.")
    yield (
        "traditional.sabacc_pot",
        _(
            "With an Idiot's Array or a Pure Sabacc it takes the Sabacc pot too. Otherwise the "
            "Sabacc pot stays."
        ),
    )
    yield (
        "traditional.bomb_out",
        _(
            "A player who bombs out pays as much as the main pot holds into the Sabacc pot, or "
            "all the chips left."
        ),
    )
    yield (
        "traditional.demise",
        _("Players with equal best hands get one more open card each: Sudden Demise."),
    )
    yield "traditional.nobody", _("If everyone has bombed out, the main pot stays too.")
    yield "phases.one_live", _("If all others have folded, the last player shows nothing.")
    yield bets.odd_chips(_, game)
