"""Templates and house rules of a league."""

from typing import Any

from engine.league import decider
from engine.league.errors import (
    TemplateBodyTooLong,
    TemplateChanged,
    TemplateNameTaken,
    TemplatesTooMany,
    TemplateUnknown,
)
from engine.league.events import LeagueCreated
from engine.league.templates import (
    HouseRulesSet,
    RemoveTemplate,
    SaveTemplate,
    SetHouseRules,
    TemplateRemoved,
    TemplateSaved,
)
from engine.league.templating import BODY_LENGTH_MAX, TEMPLATES_MAX
from engine.values import TemplateId
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import LEAGUE, player

created = LeagueCreated(league=LEAGUE, name="Corellian Circuit", owner=player(1), sandbox=False)


def key(number: int) -> TemplateId:
    """Return the identifier of a template."""
    return TemplateId(f"tpl_{number:032x}")


def save(number: int = 1, name: str = "Weekly", **more: Any) -> SaveTemplate:
    """Return the command that saves a template."""
    return SaveTemplate(**{"template": key(number), "name": name, "body": "{}", **more})


def test_a_change_is_the_next_version_and_keeps_the_place() -> None:
    """Saving an unchanged template changes nothing."""
    given = Scenario(decider).given(created).asked(save(), save(2, "Monthly"))
    changed = TemplateSaved(template=key(1), name="Weekly", body='{"a":1}', version=2)
    given.when(save(body='{"a":1}', replaces=1)).then(changed)
    assert [each.template for each in given.state.templates] == [key(1), key(2)]
    given.when(save(body='{"a":1}')).then_nothing()


def test_a_change_of_what_was_changed_since_is_refused() -> None:
    """Two editors cannot overwrite each other by accident."""
    given = Scenario(decider).given(created).asked(save(), save(body='{"a":1}'))
    given.when(save(body='{"a":2}', replaces=1)).then_rejected(TemplateChanged, version=2)
    given.when(save(3, "New", replaces=1)).then_rejected(TemplateUnknown)


def test_a_name_is_free_again_when_its_template_is_gone() -> None:
    """
    People tell templates apart by their names.
    """
    given = Scenario(decider).given(created).asked(save())
    given.when(save(2)).then_rejected(TemplateNameTaken)
    given.when(RemoveTemplate(template=key(1))).then(TemplateRemoved(template=key(1)))
    given.when(RemoveTemplate(template=key(1))).then_nothing()
    given.when(save(2)).then(TemplateSaved(template=key(2), name="Weekly", body="{}", version=1))


def test_a_league_keeps_so_many_templates_and_none_too_long() -> None:
    """The state of a league is read often, so it must stay small."""
    full = [save(number, f"T{number}") for number in range(TEMPLATES_MAX)]
    given = Scenario(decider).given(created).asked(*full)
    one_more = save(TEMPLATES_MAX, "T")
    given.when(one_more).then_rejected(TemplatesTooMany, templates_max=TEMPLATES_MAX)
    long = "x" * (BODY_LENGTH_MAX + 1)
    facts = {"length": BODY_LENGTH_MAX + 1, "length_max": BODY_LENGTH_MAX}
    given.when(save(1, "T1", body=long)).then_rejected(TemplateBodyTooLong, **facts)
    given.when(SetHouseRules(body=long)).then_rejected(TemplateBodyTooLong, **facts)


def test_house_rules_are_replaced_whole() -> None:
    """The person who sets house rules sees all of them."""
    given = Scenario(decider).given(created).asked(SetHouseRules(body='{"a":1}'))
    given.when(SetHouseRules(body='{"a":1}')).then_nothing()
    given.when(SetHouseRules(body="{}")).then(HouseRulesSet(body="{}"))
    assert given.state.house_rules == "{}"
