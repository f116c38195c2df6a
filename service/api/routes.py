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
    pacing,
    presence,
    rebuys,
    records,
    registrations,
    rulesets,
    rulings,
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
        templates,
        seasons,
        fixtures,
        calendars,
        tournaments,
        directing,
        rulings,
        pacing,
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
