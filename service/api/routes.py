"""Every route there is."""

from litestar.handlers import HTTPRouteHandler

from service.api import (
    accounts,
    audits,
    bans,
    bundles,
    calendars,
    corrections,
    directing,
    evidence,
    feeds,
    fixtures,
    floors,
    hands,
    health,
    invitations,
    leagues,
    members,
    players,
    presence,
    rebuys,
    records,
    registrations,
    rulesets,
    seasons,
    tables,
    templates,
    texts,
    tournaments,
    voiding,
)

ROUTES: tuple[HTTPRouteHandler, ...] = tuple(
    handler
    for module in (
        accounts,
        leagues,
        members,
        invitations,
        bans,
        players,
        templates,
        seasons,
        fixtures,
        calendars,
        tournaments,
        directing,
        registrations,
        rebuys,
        tables,
        floors,
        presence,
        records,
        voiding,
        hands,
        texts,
        rulesets,
        feeds,
        audits,
        bundles,
        corrections,
        evidence,
        health,
    )
    for handler in vars(module).values()
    if isinstance(handler, HTTPRouteHandler)
)
