"""The rules of Corellian Spike in words."""

from collections.abc import Iterator

from engine.rulesets import CorellianSpike
from service.base.languages import N_
from service.console.rules import bets
from service.console.rules.writing import Chapter, Pairs, Writer

HANDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "idiots_array": (N_("Idiot's Array"), N_("exactly 0, +2 and +3"), ("Z1", "C+02", "T+03")),
    "pure_sabacc": (N_("Pure Sabacc"), N_("exactly the two sylops"), ("Z1", "Z2")),
    "full_sabacc": (
        N_("Full Sabacc"),
        N_("exactly two +10, two −10 and a sylop"),
        ("C+10", "T+10", "S-10", "C-10", "Z1"),
    ),
    "fleet": (
        N_("Fleet"),
        N_("a sylop and four of a kind"),
        ("Z1", "C+04", "T+04", "S-04", "C-04"),
    ),
    "prime_sabacc": (N_("Prime Sabacc"), N_("+10, −10 and a sylop"), ("C+10", "T-10", "Z1")),
    "dual_power_coupling": (
        N_("Dual Power Coupling"),
        N_("a sylop and two pairs"),
        ("Z1", "C+03", "T-03", "S+06", "C-06"),
    ),
    "yee_haa": (N_("Yee-Haa"), N_("a sylop and a pair"), ("Z1", "C+05", "T-05")),
    "rhylet": (
        N_("Rhylet"),
        N_("three of one value, two of another"),
        ("C+02", "T+02", "S+02", "C-03", "T-03"),
    ),
    "straight_staves": (
        N_("Straight Staves"),
        N_("7, 8, 9 and 10"),
        ("C+07", "T-08", "S-09", "C+10"),
    ),
    "squadron": (N_("Squadron"), N_("four of a kind"), ("C+06", "T+06", "S-06", "C-06")),
    "gee_whiz": (
        N_("Gee Whiz"),
        N_("exactly 1, 2, 3, 4 and a 10 of the other sign"),
        ("C+01", "T+02", "S+03", "C+04", "T-10"),
    ),
    "straight_rhoon": (
        N_("Straight Rhoon"),
        N_("a run of five"),
        ("C+02", "T+03", "S-04", "C+05", "T-06"),
    ),
    "straight_khyron": (
        N_("Straight Khyron"),
        N_("a run of four"),
        ("C+03", "T-04", "S-05", "C+06"),
    ),
    "banthas_wild": (
        N_("Banthas Wild"),
        N_("three of a kind"),
        ("C+02", "T+02", "S-02", "C+03", "T-05"),
    ),
    "rule_of_two": (N_("Rule of Two"), N_("two pairs"), ("C+02", "T-02", "S+07", "C-07")),
    "straight_trill": (N_("Straight Trill"), N_("a run of three"), ("C+01", "T+02", "S-03")),
    "one_pair": (N_("A pair"), N_("two of a kind"), ("C+08", "T-08")),
    "unnamed_zero": (N_("Any other zero"), N_("cards that make 0"), ("C+09", "T-04", "S-05")),
    "nulrhek": (N_("Nulrhek"), N_("not zero: the nearest to zero"), ("C+03", "T-02")),
}
"""The name of each hand, its cards in words, and an example."""

PRINTED = tuple(each for each in HANDS)
"""The hands as the game prints them, best first."""

GALAXY = (
    "pure_sabacc", "rhylet", "fleet", "banthas_wild", "gee_whiz", "squadron", "straight_khyron",
    "rule_of_two", "yee_haa", "unnamed_zero", "nulrhek",
)  # fmt: skip
"""The hands of the Galaxy Series, best first."""


def ladder(game: CorellianSpike) -> tuple[str, ...]:
    """Return the hands that count, best first."""
    if game.ranking == "galaxy":
        return GALAXY
    optional = {
        "idiots_array", "prime_sabacc", "dual_power_coupling", "straight_staves", "straight_rhoon",
        "straight_trill",
    }  # fmt: skip
    return tuple(each for each in PRINTED if each not in optional or each in game.extra_named_hands)


def chapters(_: Writer, game: CorellianSpike) -> Iterator[Chapter]:
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
            "There are 62 cards: circles, triangles and squares, each from +1 to +10 and from −1 "
            "to −10, and two sylops, which count 0."
        ),
    )
    yield "cards.recycling", _("If the pile runs out, the discards are shuffled and dealt again.")


def _antes(_: Writer, game: CorellianSpike) -> Pairs:
    yield (
        "spike.ante",
        _(
            "Everyone pays %(hand)s into the hand pot and %(sabacc)s into the Sabacc pot.",
            hand=_.chips(game.main_ante),
            sabacc=_.chips(game.sabacc_ante),
        ),
    )
    yield bets.short_of_antes(_, game, "forced.out")


def _steps(_: Writer, game: CorellianSpike) -> Pairs:
    yield "cards.deal", _("Everyone gets two cards, face down.")
    if game.galaxy_series:
        yield (
            "spike.galaxy_series",
            _(
                "Each card round lays a new card open beside the pile: pilot, wing and gunner, up "
                "to three."
            ),
        )
    else:
        yield "spike.discard_pile", _("One card is laid open and begins the discards.")
    order = [_("a turn with the cards"), _("a street of betting")]
    if game.spike_dice:
        dice = _("the two dice")
        order.insert(1 if game.spike_before_bet else 2, dice)
    listed = ", ".join(order)
    yield "spike.rounds", _("Three card rounds follow. Each is: %(listed)s.", listed=listed)
    if not game.spike_dice:
        yield "spike.dice", _("No dice are rolled.")
    elif game.spike_redeals == "oldest_card":
        yield (
            "spike.one_card",
            _(
                "The dice are rolled in the last card round only. Doubles replace the card that "
                "you have held longest."
            ),
        )
    else:
        yield (
            "spike.redeal",
            _("Doubles are a spike: everyone gives up all cards and gets as many new ones."),
        )
    yield "showdown.reveal", _("Then everyone still in shows the hand.")


def _turn(_: Writer, game: CorellianSpike) -> Pairs:
    yield "spike.stand", _("Stand: change nothing.")
    if game.galaxy_series:
        prices = _("pilot for 1, wing for 2, gunner for 3")
        yield "spike.buy", _("Buy an open card, up to five cards: %(prices)s.", prices=prices)
        text = _("Or trade one of your cards for an open one, at the same price.")
        yield "spike.trade", text
    fees = game.swap_gain_cost
    cost = _cost(_, None if fees is None else fees.gain)
    yield "spike.gain", _("Gain: take one more card from the pile, up to five%(cost)s.", cost=cost)
    if game.gain_from_discard:
        cost = _cost(_, None if fees is None else fees.discard)
        yield "spike.gain", _("You may take the open card instead%(cost)s.", cost=cost)
    if not game.galaxy_series:
        cost = _cost(_, None if fees is None else fees.swap)
        yield (
            "spike.swap",
            _("Swap: give one card for the open one, or for one from the pile%(cost)s.", cost=cost),
        )
    cost = _cost(_, None if fees is None else fees.junk)
    yield "spike.junk", _("Junk: give up the hand. Your bets stay%(cost)s.", cost=cost)


def _cost(_: Writer, price: int | None) -> str:
    return "" if not price else _(", for %(n)s", n=_.chips(price))


def _hands(_: Writer, game: CorellianSpike) -> Pairs:
    extra = frozenset(game.extra_named_hands)
    for each in ladder(game):
        name, cards, _example = HANDS[each]
        if game.ranking == "galaxy" and each == "banthas_wild":
            cards = N_("three of one value and sign")
        rule = "spike.galaxy_ranking" if game.ranking == "galaxy" else "spike.ranking"
        if each in extra:
            rule = "spike.extra_hands"
        elif each == "nulrhek" and game.ranking == "printed":
            rule = "spike.nulrhek"
        yield rule, f"{_(name)}: {_(cards)}."
    if game.strict_named_hands:
        yield (
            "spike.strict_names",
            _("A Yee-Haa, a Squadron and the runs allow no other cards in the hand."),
        )


def _winning(_: Writer, game: CorellianSpike) -> Pairs:
    yield "showdown.best", _("The best hand takes the hand pot.")
    yield (
        "spike.sabacc_pot",
        _("If it makes zero, it takes the Sabacc pot too. Otherwise the Sabacc pot stays."),
    )
    yield "phases.one_live", _("If all others have folded, the last player shows nothing.")
    yield bets.blind_draw(_, game.tie)
    yield bets.odd_chips(_, game)
