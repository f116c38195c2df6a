"""House rules and templates: partial announcements that complete others."""

import msgspec
from litestar import Response
from msgspec.structs import replace

from engine.league.errors import TemplateUnknown
from engine.league.state import Created
from engine.league.templates import RemoveTemplate, SaveTemplate, SetHouseRules, Template
from engine.tournament import decider
from engine.values import LeagueId, TemplateId, TournamentId, identifier
from service.announcing.defaults import Content
from service.announcing.inputs import Name
from service.announcing.terms import announcement, demand_sandbox
from service.api.http.access.rights import LeaguePlace, demand_form
from service.api.http.operations import operation
from service.api.http.problems.asking import TournamentAsked, filled
from service.api.http.problems.faults import faults_of, refused
from service.api.http.reading.etags import Tags
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer, decide_one
from service.base.errors import BadRequest, StreamNotFound

_OF_ONE_NIGHT = ("starts_at", "registration_opens_at", "masters", "template", "draft")
INSTANTS_WITHIN = (("format", "starts_at"), ("floor", "last_hands_at"))
"""Nested members that hold instants, so each tournament sets its own."""


class HouseRulesWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Default members for all announcements of a league."""

    body: Content
    """Members of an announcement. A template and an announcement override them."""


class HouseRulesShown(msgspec.Struct, kw_only=True):
    """The house rules. The body is empty if none are set."""

    league: str
    body: Content
    """Members of an announcement. A template and an announcement override them."""

    position: str | None = None


class TemplateWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new template, or the new content of one."""

    name: Name
    """The name, which no other template of the league may have."""

    body: Content
    """
    Members of an announcement, except instants and masters, which each tournament sets itself.
    """

    version: int | None = None
    """For a change: the version that the caller read, so that no other change is lost."""


class TemplateShown(msgspec.Struct, kw_only=True):
    """A template at its current version."""

    id: str
    """The template, `tpl_…`."""

    league: str
    name: str
    """The name, which no other template of the league has."""

    version: int
    """The number of the template's latest content, from 1."""

    body: Content
    """Members of an announcement. The announcement itself overrides them."""

    position: str | None = None


class TemplateGone(msgspec.Struct, kw_only=True):
    """A removed template. The position is null if there was none."""

    id: str
    """The template, `tpl_…`."""

    league: str
    position: str | None = None


@operation(
    "GET", "/v1/leagues/{league_id:str}/house-rules", "read_house_rules",
    "Read the league's house rules, the defaults of its announcements.",
    needs="read_league", scope="leagues:read", answer=HouseRulesShown,
)  # fmt: skip
async def read_house_rules(place: LeaguePlace, tags: Tags) -> Response[bytes]:
    """Read the house rules from the aggregate."""
    body = msgspec.json.decode(place.state.house_rules or "{}")
    shown = HouseRulesShown(league=place.id, body=body)
    return tags.answer(shown, place.loaded.version)


@operation(
    "PUT", "/v1/leagues/{league_id:str}/house-rules", "set_house_rules",
    "Replace the league's house rules, the defaults of its announcements.",
    needs="manage_league", scope="leagues:manage", answer=HouseRulesShown,
    problems=(
        "forbidden", "terms_invalid", "terms_contradict", "unknown_ruleset", "invalid_ruleset",
        "not_a_sandbox", "beacon_unknown",
        "template_body_too_long",
    ),
    precondition="demanded",
)  # fmt: skip
async def set_house_rules(
    body: HouseRulesWanted, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Set the house rules. Tournaments already announced do not change."""
    text = _text(body.body)
    if "overrides" in body.body and "ruleset" not in body.body:
        raise _misplaced("overrides", "needs a ruleset")
    _try(shell, replace(place.state, house_rules=text), {"ruleset": "official"} | body.body)
    command = SetHouseRules(body=text)
    receipt = await decide_one(shell, place.id, place.id, order, [command])
    return answer(receipt, {"league": place.id, "body": body.body}, 200, version_of=place.stream)


@operation(
    "POST", "/v1/leagues/{league_id:str}/templates", "save_template", "Save a new template.",
    needs="manage_tournaments", scope="tournaments:manage",
    answer=TemplateShown, status=201,
    problems=(
        "forbidden", "terms_invalid", "terms_contradict", "unknown_ruleset", "invalid_ruleset",
        "not_a_sandbox", "beacon_unknown",
        "template_name_taken", "templates_too_many", "template_body_too_long",
    ),
    key_required=True,
)  # fmt: skip
async def save_template(
    shell: Shell, body: TemplateWanted, order: Order, place: LeaguePlace
) -> Response[bytes]:
    """Save a template. Its id follows from the command, so a retry finds the same template."""
    template = TemplateId(identifier("tpl", order.new_id(0)))
    return await _saved(shell, place, template, body, order, 201)


@operation(
    "PUT", "/v1/leagues/{league_id:str}/templates/{template_id:str}", "change_template",
    "Change a template. Tournaments already announced with it do not change.",
    needs="manage_tournaments", scope="tournaments:manage",
    answer=TemplateShown,
    problems=(
        "forbidden", "terms_invalid", "terms_contradict", "unknown_ruleset", "invalid_ruleset",
        "not_a_sandbox", "beacon_unknown",
        "template_name_taken", "template_changed", "template_body_too_long",
    ),
    precondition="demanded",
)  # fmt: skip
async def change_template(
    shell: Shell, template_id: str, body: TemplateWanted, place: LeaguePlace, order: Order
) -> Response[bytes]:
    """Replace the template's name and body."""
    template = TemplateId(template_id)
    if place.state.template(template) is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    return await _saved(shell, place, template, body, order, 200)


@operation(
    "GET", "/v1/leagues/{league_id:str}/templates", "list_templates", "List a league's templates.",
    needs="read_league", scope="leagues:read", answer=Page[TemplateShown],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_templates(place: LeaguePlace, pages: Pages) -> Response[bytes]:
    """List the templates by name, from the aggregate."""
    paged = await pages.live(place.id, f"templates {place.id}", str)
    ordered = sorted(place.state.templates, key=lambda each: str(each.name))
    items = [_shown(place.id, each) for each in ordered]
    return pages.answer(paged.cut(items, lambda each: (each.name,)))


@operation(
    "GET", "/v1/leagues/{league_id:str}/templates/{template_id:str}", "read_template",
    "Read a template.", needs="read_league", scope="leagues:read", answer=TemplateShown,
)  # fmt: skip
async def read_template(template_id: str, place: LeaguePlace, tags: Tags) -> Response[bytes]:
    """Read a template from the aggregate."""
    found = place.state.template(TemplateId(template_id))
    if found is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    return tags.answer(_shown(place.id, found), place.loaded.version)


@operation(
    "DELETE", "/v1/leagues/{league_id:str}/templates/{template_id:str}", "remove_template",
    "Remove a template. Tournaments announced with it stay.",
    needs="manage_tournaments", scope="tournaments:manage", answer=TemplateGone,
)  # fmt: skip
async def remove_template(
    template_id: str, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Remove a template. If it does not exist, nothing changes."""
    demand_form(template_id, "tpl")
    command = RemoveTemplate(template=TemplateId(template_id))
    receipt = await decide_one(shell, place.id, place.id, order, [command])
    content = {"id": template_id, "league": place.id}
    return answer(receipt, content, 200, version_of=place.stream)


async def _saved(
    shell: Shell,
    place: LeaguePlace,
    template: TemplateId,
    wanted: TemplateWanted,
    order: Order,
    status: int,
) -> Response[bytes]:
    text = _text(wanted.body)
    _try(shell, place.state, wanted.body)
    command = SaveTemplate(template=template, name=wanted.name, body=text, replaces=wanted.version)
    league = place.id
    receipt = await decide_one(shell, league, league, order, [command])
    versions = [each.event.version for each in receipt.recorded]
    if not versions:
        state = (await shell.runtime.writer.load(league, place.stream, fresh=False)).state
        known = state.template(template)
        if known is None:
            raise TemplateUnknown
        versions = [known.version]
    content = {
        "id": template,
        "league": league,
        "name": wanted.name,
        "version": versions[0],
        "body": wanted.body,
    }
    return answer(receipt, content, status, version_of=place.stream)


def _text(body: Content) -> str:
    """
    Return the canonical text of a partial announcement.

    Raises:
        BadRequest: If it is not valid, or has members that each tournament must set itself.
    """
    try:
        msgspec.convert(body, TournamentAsked, strict=True)
    except msgspec.ValidationError as error:
        raise refused(faults_of(body, TournamentAsked, "/body")) from error
    for each in _OF_ONE_NIGHT:
        if each in body:
            raise _misplaced(each, "belongs to one tournament")
    for outer, inner in INSTANTS_WITHIN:
        if body.get(outer) and body[outer].get(inner):
            raise _misplaced(f"{outer}/{inner}", "belongs to one tournament")
    return msgspec.json.encode(body, order="sorted").decode()


def _misplaced(member: str, detail: str) -> BadRequest:
    listed = [{"pointer": f"/body/{member}", "detail": detail, "code": "invalid_value"}]
    return BadRequest("validation_failed", "the request is invalid", errors=listed)


def _try(shell: Shell, league: Created, body: Content) -> None:
    """
    Validate *body* by announcing it in a dry run.

    Raises:
        CommandRejected: If such a tournament could not be announced.
        BadRequest: If the terms are incomplete, or only a sandbox may have them.
    """
    wanted = filled(league, {"name": "trial"} | body)
    demand_sandbox(wanted, league.sandbox)
    trial = TournamentId(identifier("trn", shell.runtime.entropy.uuid()))
    asked = announcement(wanted, trial, LeagueId(league.league), shell.now(), shell.runtime.pulses)
    decider.decide(decider.initial, asked)


def _shown(league: str, template: Template) -> TemplateShown:
    return TemplateShown(
        id=template.template,
        league=league,
        name=template.name,
        version=template.version,
        body=msgspec.json.decode(template.body),
    )
