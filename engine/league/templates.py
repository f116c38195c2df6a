"""
House rules and templates. They supply the parts that an announcement leaves out.

Both are partial announcements, kept as the canonical JSON text of a request. A league does not
read them. Each use checks them strictly again.
"""

import msgspec

from engine.values import TemplateId


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class SetHouseRules(_Part, frozen=True, kw_only=True, tag="set_house_rules"):
    """Set the defaults of every announcement."""

    body: str


class SaveTemplate(_Part, frozen=True, kw_only=True, tag="save_template"):
    """Save a new template, or replace one."""

    template: TemplateId
    name: str
    body: str
    replaces: int | None = None
    """The version that the caller read and now replaces. Null for any version."""


class RemoveTemplate(_Part, frozen=True, kw_only=True, tag="remove_template"):
    template: TemplateId


class HouseRulesSet(_Part, frozen=True, kw_only=True, tag="house_rules_set"):
    body: str


class TemplateSaved(_Part, frozen=True, kw_only=True, tag="template_saved"):
    """A template was made or changed. Tournaments announced with it before keep their terms."""

    template: TemplateId
    name: str
    body: str
    version: int


class TemplateRemoved(_Part, frozen=True, kw_only=True, tag="template_removed"):
    template: TemplateId


Command = SetHouseRules | SaveTemplate | RemoveTemplate
Event = HouseRulesSet | TemplateSaved | TemplateRemoved


class Template(_Part, frozen=True, kw_only=True):
    """A template in force. Its versions count from 1."""

    template: TemplateId
    name: str
    body: str
    version: int


def kept(
    templates: tuple[Template, ...], event: TemplateSaved | TemplateRemoved
) -> tuple[Template, ...]:
    """Return the templates after *event*. A changed template keeps its place."""
    if isinstance(event, TemplateRemoved):
        return tuple(each for each in templates if each.template != event.template)
    made = Template(
        template=event.template, name=event.name, body=event.body, version=event.version
    )
    if all(each.template != made.template for each in templates):
        return (*templates, made)
    return tuple(made if each.template == made.template else each for each in templates)
