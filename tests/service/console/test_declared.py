"""Every screen: closed unless declared open, with the headers of every answer."""

from collections.abc import Callable
from typing import Any

import pytest

from service.console.app import application, routes
from service.console.declaring import Screen

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

NUMBER = "0" * 32
NAMES = {
    "league": f"lge_{NUMBER}", "tournament": f"trn_{NUMBER}", "table": f"tbl_{NUMBER}",
    "season": f"ssn_{NUMBER}", "hand": f"hnd_{NUMBER}", "dispute": f"dsp_{NUMBER}",
    "player": f"plr_{NUMBER}", "entrant": f"ent_{NUMBER}", "code": "some-code",
}  # fmt: skip
"""A value for each name in a path."""

OPEN = {
    "ask_opt_out",
    "ask_code",
    "begin_session",
    "choose_language",
    "choose_scheme",
    "clock",
    "favicon",
    "floor",
    "forgotten",
    "hands",
    "home",
    "join",
    "league",
    "live",
    "manifest",
    "league_standings",
    "open_account",
    "own_code",
    "player",
    "poster",
    "preset_rules",
    "read_static",
    "read_static_deeper",
    "read_static_in_folder",
    "replay",
    "reset",
    "rules",
    "schedule",
    "screen_clock",
    "season",
    "seasons",
    "service_worker",
    "sign_in",
    "sign_in_link",
    "sign_up",
    "turn_off",
    "use_code",
    "use_code_as_newcomer",
    "join_by_code",
    "use_typed_code",
    "use_link",
}
"""The screens that strangers may open. Each is a decision."""


def screens() -> list[Screen]:
    return [each.opt["screen"] for each in routes()]


def path_of(screen: Screen) -> str:
    path = screen.path
    for name in screen.parameters:
        path = path.replace(f"{{{name}:str}}", NAMES.get(name, "some-name"))
    return path


def test_every_route_of_the_console_is_declared() -> None:
    """A handler without a declaration could be open to everybody."""
    handlers = [each for route in application().routes for each in route.route_handlers]
    served = [each for each in handlers if each.http_methods != {"OPTIONS"}]
    undeclared = {str(each.name) for each in served if each.opt.get("screen") is None}

    assert undeclared == {"console.missing"}
    assert len({(each.method, each.path) for each in screens()}) == len(screens())


def test_the_open_screens_are_those_that_were_thought_about() -> None:
    assert {each.name for each in screens() if each.open} <= OPEN


async def test_strangers_are_sent_to_sign_in_from_closed_screens(serving: Serving) -> None:
    async with serving() as console:
        browser = console.browser()
        for each in screens():
            if each.open:
                continue
            path = path_of(each)
            asked = browser.http.get(path) if each.method == "GET" else browser.post(path, {})
            answer = await asked
            assert answer.status_code == 303, path
            assert answer.headers["location"].startswith("/sign-in"), path


async def test_every_answer_carries_the_policy_and_no_answer_is_shared(serving: Serving) -> None:
    async with serving() as console:
        browser = console.browser()
        for each in screens():
            path = path_of(each)
            asked = browser.http.get(path) if each.method == "GET" else browser.post(path, {})
            answer = await asked
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
            assert "unsafe" not in policy
            assert answer.headers["referrer-policy"] == "same-origin"
            assert answer.headers.get("content-type", "").count("charset") <= 1, path
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            if not path.startswith(("/static", "/favicon", "/manifest")):
                assert answer.headers["cache-control"] == "private, no-store", path
