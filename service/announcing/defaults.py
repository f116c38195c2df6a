"""Completing announcements from a template and from the house rules."""

from typing import Annotated

import msgspec
from msgspec import Meta

from engine.league.errors import TemplateUnknown
from engine.league.state import Created
from engine.values import TemplateId
from service.announcing.presets import PRESETS, TermsPreset
from service.base.documents import Document, Json

Content = Annotated[
    Document, Meta(extra_json_schema={"$ref": "#/components/schemas/TournamentAsked"})
]
"""Some members of an announcement. They are checked when they have become a whole one."""


def completed(league: Created, asked: Content) -> Content:
    """
    Return *asked*, completed from the template it names and then from the house rules.

    Each layer is a merge patch over the one below (RFC 7396): null removes a member. A layer that
    names a ruleset drops all overrides below it, because they were meant for another game. A layer
    that names another format drops the members of the format below it.

    If a layer names a preset of terms, the preset goes directly below that layer. The preset's
    overrides go below all other overrides, because they depend on the ruleset that is played.

    Raises:
      TemplateUnknown: If the league has no such template.
      RulesetUnknown: If no ruleset has this name.
      RulesetInvalid: If the overrides do not make a playable game of it.
    """
    upper = dict(asked)
    name = upper.pop("template", None)
    template = None if name is None else league.template(TemplateId(name))
    if name is not None and template is None:
        raise TemplateUnknown
    texts = (league.house_rules, None if template is None else template.body)
    layers = [*(msgspec.json.decode(text) for text in texts if text), upper]
    preset = _stood_on(layers)
    found: Content = {}
    for layer in layers:
        if "ruleset" in layer:
            found = {key: value for key, value in found.items() if key != "overrides"}
        if _kind(layer) not in (None, _kind(found)):
            found = {key: value for key, value in found.items() if key != "format"}
        found = merged(found, layer)
    if preset is None:
        return found
    del found["terms"]
    game, own = found.get("ruleset"), found.get("overrides", {})
    if isinstance(game, str) and isinstance(own, dict):
        for part in preset.fitting(game, own):
            own = merged(part, own)
        found["overrides"] = own
    return found


def _stood_on(layers: list[Content]) -> TermsPreset | None:
    """Insert the preset of terms below the uppermost layer that names one."""
    for number in reversed(range(len(layers))):
        if "terms" in layers[number]:
            preset = PRESETS.get(str(layers[number]["terms"]))
            if preset is not None:
                layers.insert(number, preset.terms)
            return preset
    return None


def _kind(content: Content) -> Json:
    plan = content.get("format")
    return plan.get("kind") if isinstance(plan, dict) else None


def merged(target: Json, patch: Json) -> Json:
    """
    Return *target* changed by a merge patch (RFC 7396).

    >>> merged({"a": 1, "b": {"c": 2, "d": 3}}, {"a": None, "b": {"c": 4}, "e": {"f": None}})
    {'b': {'c': 4, 'd': 3}, 'e': {}}
    """
    if not isinstance(patch, dict):
        return patch
    found = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merged(found.get(key), value)
    return found
