"""House bots enter where bots may, and only where no money is played for."""

import re
from uuid import UUID

import pytest
from msgspec.structs import replace

from engine.kit.house_bots import STRENGTHS, HouseBot, house_bot, house_bot_of, is_house_bot
from engine.rulesets import resolve, ruleset_hash
from engine.tournament.decider import decider
from engine.tournament.model.commands import Register
from engine.tournament.model.errors import BotsForbidden, HouseBotsForMoney
from engine.tournament.model.errors.entering import FeesFixed
from engine.tournament.model.events import EntrantRegistered
from engine.tournament.model.terms import EntryTerms
from engine.values import identifier, number_of
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import LEAGUE, announce, opening, player, register
from tests.engine.tournament.test_terms_changes import change

CASINO = resolve("casino", {"first_dealer": "host_choice"})


def house(number: int = 1) -> Register:
    return replace(register(number), player=house_bot(LEAGUE, "sharp", number))


def test_an_identifier_tells_a_house_bot_and_its_strength() -> None:
    for strength in STRENGTHS:
        for number in (1, 65_535):
            bot = house_bot(LEAGUE, strength, number)
            assert house_bot_of(bot) == HouseBot(strength, number)
            assert identifier("plr", number_of(bot)) == bot
            assert UUID(hex=bot[4:]).version == 8
            assert re.fullmatch(r"plr_686f7573656280(01|02|03)8[0-9a-f]{15}", bot)


def test_leagues_have_different_house_bots() -> None:
    other = identifier("lge", UUID(int=2))
    assert house_bot(LEAGUE, "calm", 1) != house_bot(other, "calm", 1)


@pytest.mark.parametrize("number", [UUID(int=0), UUID("686f7573-6562-4001-8000-000000000001")])
def test_nobody_else_is_taken_for_a_house_bot(number: UUID) -> None:
    """Accounts have identifiers of versions 4 and 5."""
    assert not is_house_bot(identifier("plr", number))


def test_house_bots_enter_only_where_bots_may() -> None:
    """They are programs, even if the command does not say so."""
    given = Scenario(decider).asked(announce(bots="forbidden"), opening)
    given.when(house()).then_rejected(BotsForbidden)
    free = Scenario(decider).asked(announce(bots="only"), opening)
    assert free.when(house()).events() == (
        EntrantRegistered(
            entrant=house().entrant, player=house().player, bot=True, number=1, by=None
        ),
    )


def test_house_bots_enter_no_tournament_with_money_and_no_casino() -> None:
    """Nobody would pay for them, and a prize that they win would go to nobody."""
    money = Scenario(decider).asked(announce(currency="EUR"), opening)
    money.when(house()).then_rejected(HouseBotsForMoney)
    casino = announce(ruleset=CASINO, ruleset_hash=ruleset_hash(CASINO))
    Scenario(decider).asked(casino, opening).when(house()).then_rejected(HouseBotsForMoney)
    assert not is_house_bot(player(1))


def test_no_currency_comes_to_a_tournament_with_house_bots() -> None:
    entered = Scenario(decider).asked(announce(), opening, house())
    change(entered, currency="EUR").then_rejected(FeesFixed, field="currency")
    for entry in (EntryTerms(waitlist=True), EntryTerms(approval=True)):
        full = announce(entrants_max=2, entry=entry)
        line = Scenario(decider).asked(full, opening, register(1), register(2), house(3))
        entering = line.state.entering
        assert (*entering.waiting, *entering.applicants)[-1].player == house(3).player
        change(line, currency="EUR").then_rejected(FeesFixed, field="currency")
    people = Scenario(decider).asked(announce(), opening, register(1))
    assert change(people, currency="EUR").events()
