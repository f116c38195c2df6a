"""A player who leaves a casino ends a hand in which another player busts."""

from engine import table, tournament
from engine.coordination import policies
from engine.coordination.purchases import chips_of
from engine.rulesets import resolve
from engine.table.model.events import ChipsBought, HandSettled
from engine.table.model.state import opened_of
from engine.tournament.model.commands import DeclareRebuy, Leave
from engine.tournament.model.events import RebuyTaken
from service.director.busts import with_busts
from tests.engine.coordination.evening import Evening
from tests.engine.tournament.test_rebuys import all_in


def test_a_rebuy_that_was_declared_comes_also_when_a_leaver_ends_the_hand() -> None:
    evening = Evening(3, resolve("casino", {"first_dealer": "host_choice"}), starting_stack=100)
    for place in evening.table.places:
        evening.ask(DeclareRebuy(entrant=place.entrant, now=evening.now))
    key = evening.table.table
    evening.next_hand(key)
    evening.play_as = all_in
    while evening.table.decision is not None:
        decision = evening.table.decision
        if decision.phase == "improve" and len(decision.seats) == 1:
            break
        who = evening.table.at(decision.seats[0]).entrant
        evening.at_table(key, evening.table, evening._answer(key, who))
    assert evening.table.decision is not None
    leaver = evening.table.at(evening.table.decision.seats[0]).entrant

    declared, above = policies.decide_in_turn(
        tournament.decider, evening.tournament, (Leave(entrant=leaver, now=evening.now),)
    )
    asked = chips_of(declared, now=evening.now)[key]
    happened, here = policies.decide_in_turn(table.decider, evening.table, asked)
    busts = policies.busts_of(opened_of(here), happened)
    assert busts is not None and isinstance(happened[-1], HandSettled)
    told, above, bought, after = with_busts(above, here, busts)

    back = {event.entrant for event in told if isinstance(event, RebuyTaken)}
    assert back == {bust.entrant for bust in busts.busts}
    assert {event.entrant for event in bought if isinstance(event, ChipsBought)} == back
    assert back <= {place.entrant for place in after.places}
