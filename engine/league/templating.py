"""Decisions about house rules and templates."""

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


def set_house_rules(
    state: Created, command: templates.SetHouseRules
) -> tuple[templates.HouseRulesSet, ...]:
    """
    Return the new house rules, or no event if they are the same.

    Raises:
        TemplateBodyTooLong: If the text is longer than any announcement.
    """
    _demand_short(command.body)
    known = state.house_rules == command.body
    return () if known else (templates.HouseRulesSet(body=command.body),)


def save(state: Created, command: templates.SaveTemplate) -> tuple[templates.TemplateSaved, ...]:
    """
    Return the template's next version, or no event if nothing changed.

    Raises:
        CommandRejected: If the template was removed or changed meanwhile, its name is taken, there
            are too many templates, or the text is too long.
    """
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


def remove(
    state: Created, command: templates.RemoveTemplate
) -> tuple[templates.TemplateRemoved, ...]:
    """Return the end of the template, or no event if it does not exist."""
    known = state.template(command.template)
    return () if known is None else (templates.TemplateRemoved(template=command.template),)


def _demand_short(body: str) -> None:
    if len(body) > BODY_LENGTH_MAX:
        raise TemplateBodyTooLong(length=len(body), length_max=BODY_LENGTH_MAX)
