"""
House rules and templates: what an announcement that leaves something out is filled up with.

Both are announcements in part, as the canonical JSON text of a request: a league knows
nothing of what stands in them, and whoever uses one reads it strictly again.
"""

import msgspec

from engine.values import TemplateId


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class SetHouseRules(_Part, frozen=True, kw_only=True, tag="set_house_rules"):
    """Say what holds wherever an announcement says nothing else."""

    body: str


class SaveTemplate(_Part, frozen=True, kw_only=True, tag="save_template"):
    """Keep a template, or change one."""

    template: TemplateId
    name: str
    body: str
    replaces: int | None = None
    """The version that was read and is now replaced; null not to care."""


class RemoveTemplate(_Part, frozen=True, kw_only=True, tag="remove_template"):
    template: TemplateId


class HouseRulesSet(_Part, frozen=True, kw_only=True, tag="house_rules_set"):
    body: str


class TemplateSaved(_Part, frozen=True, kw_only=True, tag="template_saved"):
    """A template was made or changed; tournaments announced by it before stay as they are."""

    template: TemplateId
    name: str
    body: str
    version: int


class TemplateRemoved(_Part, frozen=True, kw_only=True, tag="template_removed"):
    template: TemplateId


Command = SetHouseRules | SaveTemplate | RemoveTemplate
Event = HouseRulesSet | TemplateSaved | TemplateRemoved


class Template(_Part, frozen=True, kw_only=True):
    """A template as it stands; versions count from 1."""

    template: TemplateId
    name: str
    body: str
    version: int


def kept(
    templates: tuple[Template, ...], event: TemplateSaved | TemplateRemoved
) -> tuple[Template, ...]:
    """Return the templates there are after *event*; one that was changed keeps its place."""
    if isinstance(event, TemplateRemoved):
        return tuple(each for each in templates if each.template != event.template)
    made = Template(
        template=event.template, name=event.name, body=event.body, version=event.version
    )
    if all(each.template != made.template for each in templates):
        return (*templates, made)
    return tuple(made if each.template == made.template else each for each in templates)
