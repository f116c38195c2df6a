"""Presets: rulesets, the differences between two of them, and terms."""

from typing import Annotated

import msgspec
from litestar import Response

from engine.rulesets import PRESETS, Ruleset, preset, ruleset_hash
from engine.rulesets.differences import Difference, differences
from engine.rulesets.errors import RulesetUnknown
from service.announcing.presets import PRESETS as TERMS_PRESETS
from service.announcing.presets import TermsPreset
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.reading.etags import Tags, not_modified
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.writing.submitting import encoded
from service.base.errors import StreamNotFound

AGAINST = Query("against", str, "The name of another preset to compare the preset with.")


class RulesetShown(msgspec.Struct, kw_only=True):
    """A complete preset: every parameter, the revision of the rules, and the hash of everything."""

    name: str
    """The name that an announcement uses."""

    revision: int
    """The revision of the rules by which the game is played."""

    hash: str
    """SHA-256 over all parameters, in hexadecimal. Equal hashes mean equal games."""

    ruleset: Ruleset
    """All parameters of the game."""

    against: str | None = None
    """The preset that it is compared with."""

    differences: tuple[Difference, ...] | None = None
    """The differences between the two presets, or null without a comparison."""


@operation(
    "GET", "/v1/rulesets", "list_rulesets", "List the ruleset presets that a tournament may name.",
    needs="anyone", answer=Page[RulesetShown], problems=("invalid_cursor",),
)  # fmt: skip
async def list_rulesets(pages: Pages) -> Response[bytes]:
    """List the presets by name, with their hashes."""
    shown = [_shown(name) for name in sorted(PRESETS)]
    return pages.answer(pages.listing("rulesets", str).cut(shown, lambda it: (it.name,)))


@operation(
    "GET", "/v1/rulesets/{ruleset_id:str}", "read_ruleset",
    "Read a preset. With against=NAME, compare it with another.",
    needs="anyone", answer=RulesetShown,
)  # fmt: skip
async def read_ruleset(
    ruleset_id: str, against: Annotated[str | None, AGAINST], tags: Tags
) -> Response[bytes]:
    """Show a preset by its name. Its hash is the ``ETag``."""
    try:
        shown = _shown(ruleset_id)
        if against is not None:
            shown.against = against
            shown.differences = differences(preset(ruleset_id), preset(against))
    except RulesetUnknown as error:
        raise StreamNotFound(error.detail) from error
    if against is not None:
        return encoded(shown)
    tag = f'"{shown.hash}"'
    return not_modified(tag) if tags.unchanged(tag) else encoded(shown, headers={"ETag": tag})


@operation(
    "GET", "/v1/terms-presets", "list_terms_presets",
    "List the named terms that an announcement may use, with their demands on the ruleset.",
    needs="anyone", answer=Page[TermsPreset], problems=("invalid_cursor",),
)  # fmt: skip
async def list_terms_presets(pages: Pages) -> Response[bytes]:
    """List the complete presets by name."""
    shown = [TERMS_PRESETS[name] for name in sorted(TERMS_PRESETS)]
    return pages.answer(pages.listing("terms presets", str).cut(shown, lambda it: (it.name,)))


def _shown(name: str) -> RulesetShown:
    ruleset = preset(name)
    return RulesetShown(
        name=name,
        revision=ruleset.revision,
        hash=ruleset_hash(ruleset),
        ruleset=ruleset,
    )
