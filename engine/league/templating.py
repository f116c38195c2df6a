"""What a league keeps for its announcements."""

from typing import assert_never

from engine.league import templates
from engine.league.errors import (
    TemplateBodyTooLong,
    TemplateChanged,
    TemplateNameTaken,
    TemplatesTooMany,
    TemplateUnknown,
)
from engine.league.state import Created

BODY_LENGTH_MAX = 8192
TEMPLATES_MAX = 100


def decide(state: Created, command: templates.Command) -> tuple[templates.Event, ...]:
    """
    Return the events that *command* causes in *state*; none if it is already so.

    Raises:
        CommandRejected: If the rules forbid the command.
    """
    match command:
        case templates.SetHouseRules(body=body):
            _demand_short(body)
            return () if body == state.house_rules else (templates.HouseRulesSet(body=body),)
        case templates.SaveTemplate():
            return _save(state, command)
        case templates.RemoveTemplate(template=template):
            known = state.template(template)
            return () if known is None else (templates.TemplateRemoved(template=template),)
        case _:
            assert_never(command)


def _save(state: Created, command: templates.SaveTemplate) -> tuple[templates.Event, ...]:
    _demand_short(command.body)
    known = state.template(command.template)
    if known is None and command.replaces is not None:
        raise TemplateUnknown
    if known is not None and command.replaces not in (None, known.version):
        raise TemplateChanged(version=known.version)
    if any(
        each.name == command.name and each.template != command.template for each in state.templates
    ):
        raise TemplateNameTaken
    if known is None and len(state.templates) >= TEMPLATES_MAX:
        raise TemplatesTooMany(templates_max=TEMPLATES_MAX)
    if known is not None and (known.name, known.body) == (command.name, command.body):
        return ()
    version = 1 if known is None else known.version + 1
    return (
        templates.TemplateSaved(
            template=command.template, name=command.name, body=command.body, version=version
        ),
    )


def _demand_short(body: str) -> None:
    if len(body) > BODY_LENGTH_MAX:
        raise TemplateBodyTooLong(length=len(body), length_max=BODY_LENGTH_MAX)
