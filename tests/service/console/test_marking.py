"""A refused form says above which fields are at fault, marks each, and keeps what was typed."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from markupsafe import Markup

from service.console.marking import marked
from service.console.problems import Failure
from tests.service.console.test_door import opened
from tests.service.console.test_forms import evening

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

GERMAN = {"Accept-Language": "de"}

PAGE = """<div class="errors" id="errors"><ul><li>old</li></ul></div>
<form action="/a"><input type="hidden" name="seat" value="1"><input name="name"></form>
<form action="/a"><input type="hidden" name="seat" value="2">
<div class="field"><label for="name">Name <span class="optional">(optional)</span></label>
<p id="name-hint">hint</p><input id="name" name="name" value="" aria-describedby="name-hint"></div>
<label class="joined"><input name="minutes" value="15"><span>minutes</span></label>
<fieldset><legend>How</legend><label><input type="radio" name="how" value="a" checked>A</label>
<label><input type="radio" name="how" value="b">B</label></fieldset>
<input type="checkbox" name="more" checked aria-label="More">
<details><summary>Rest</summary><select name="which" aria-label="Which"><option value="1" selected>
<option value="2"></select><textarea name="text" data-of="long.text" aria-label="Text">x</textarea>
<input name="many[]" aria-label="First"><input name="many[]" aria-label="Second"></details></form>
<form action="/b"><input name="name" value="mine"></form>"""


def fault(where: str, said: str) -> Markup:
    return Markup('<i id="{}-error">{}</i>').format(where, said)


def shown(fields: dict[str, str], **typed: tuple[str, ...]) -> str:
    return marked(PAGE, "/a", Failure("a", "Wrong.", fields, {"seat": ("2",)} | typed), fault)


def test_the_summary_names_each_field_as_the_page_does() -> None:
    page = shown(
        {"name": "<short>", "minutes": "m", "how": "h", "long.text.1": "t", "many.1": "n", "x": "y"}
    )
    summary = page.partition("</ul>")[0]
    lines = re.findall(r'<li>(?:<a href="#([^"]+)">)?([^<]*)', summary)
    assert [said for _, said in lines] == [
        "Name: &lt;short&gt;", "minutes: m", "How: h", "Text: t", "Second: n", "y",
    ]  # fmt: skip
    for where, _ in lines[:-1]:
        assert len(re.findall(rf' id="{where}"', page)) == 1
        assert page.count(f'id="{where}-error"') == 1
    assert 'aria-describedby="name-hint name-error" aria-invalid="true"' in page
    assert page.count('aria-invalid="true"') == 5
    assert '<i id="name-error">&lt;short&gt;</i></div>' in page
    assert re.search(r'<fieldset aria-describedby="(field-\d)-error" aria-invalid="true">', page)
    assert "<details open>" in page
    assert "old" not in summary


def test_only_the_form_that_was_sent_gets_what_was_typed() -> None:
    typed = {
        "name": ('a"b',),
        "how": ("b",),
        "which": ("2",),
        "text": ("<x>",),
        "many[]": ("1", "2"),
    }
    page = shown({}, **typed)
    first, second, third = (each.partition("</form>")[0] for each in page.split("<form ")[1:])
    assert '<input name="name">' in first
    assert 'value="mine"' in third
    assert 'name="name" value="a&#34;b"' in second
    assert re.findall(r"checked", second) == ["checked"]
    assert '<input type="radio" name="how" value="b" checked>' in second
    assert '<option value="2" selected>' in second
    assert ">&lt;x&gt;</textarea>" in second
    assert re.findall(r'name="many\[\]" aria-label="\w+" value="(\d)"', second) == ["1", "2"]
    assert "aria-invalid" not in page


@pytest.mark.parametrize(
    ("headers", "said"),
    [({}, "Name: Some of these"), (GERMAN, "Name: Einige dieser Zeichen")],
)
async def test_each_fault_is_named_in_the_readers_language(
    serving: Serving, headers: dict[str, str], said: str
) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        await browser.get(door)
        fields = browser.hidden(f"{door}/walk-in") | {"name": "Wuher\u202e"}
        page = await browser.post(f"{door}/walk-in", fields, **headers)
        assert page.status_code == 400
        summary = page.text.partition('id="errors"')[2].partition("</ul>")[0]
        assert f'<a href="#name">{said}' in summary
        assert 'role="alert" tabindex="-1" autofocus' in summary
        [field] = re.findall(r'<input[^>]* id="name"[^>]*>', page.text)
        assert 'aria-invalid="true"' in field
        assert "name-error" in field
        assert "Wuher" in unescape(field)


async def test_a_form_without_fields_of_its_own_names_keeps_them_too(serving: Serving) -> None:
    """The floor's forms are drawn by hand, one for each seat."""
    async with serving() as console:
        owner, _, tournament, *_ = await console.api.playing(4, decision_seconds=3600)
        browser = await console.signed_in(owner.login)
        floor = f"/tournaments/{tournament}/floor"
        await browser.get(floor)
        fields = browser.hidden(f"{floor}/warn") | {"hands": "9999", "reason": "Slow & loud"}
        page = await browser.post(f"{floor}/penalty", fields)
        assert page.status_code == 400
        lines = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a>', page.text)
        assert [said.partition(":")[0] for _, said in lines] == ["Hands of the penalty"]
        [(where, _)] = lines
        [field] = re.findall(rf'<input[^>]* id="{where}"[^>]*>', page.text)
        assert 'value="9999"' in field
        assert page.text.count('value="Slow &amp; loud"') == 1
        form = next(each for each in page.text.split("<form ") if f'id="{where}"' in each)
        assert f'value="{fields["entrant"]}"' in form


async def test_a_name_of_the_api_leads_to_the_field_of_the_form(serving: Serving) -> None:
    async with serving() as console:
        owner, league, _ = await evening(console)
        browser = await console.signed_in(owner.login)
        await browser.get(f"/leagues/{league}/setup")
        page = await browser.submit(f"/leagues/{league}/setup", name="Night", minutes="999999")
        assert page.status_code == 400
        assert '<a href="#minutes">Usual length of an evening: ' in page.text
