"""
Photograph every screen: ``python -m tests.browser.screens OUT [--data DIR] [--only WORDS]``.

Each page is opened at three sizes in both schemes, and saved with a sheet of several beside each
other. With ``--data`` the stack's data is kept, so that the next look takes seconds.
``--locale de-DE`` shows the German pages. ``--figures`` prints the figures of every page instead.
``--docs`` makes the pictures of ``docs/images`` instead.
"""

import argparse
import json
import re
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page

from service.console.pages import SCHEMES
from service.process.supervisor import Stack
from tests.browser.chromium import DESK, WALL, chromium
from tests.browser.conftest import OPTIONS
from tests.browser.figures import report
from tests.browser.gallery import Gallery, hung
from tests.browser.house import House, Person
from tests.browser.pictures import illustrate
from tests.browser.views import View, views

SIZES = {"phone": (360, 740), "desk": DESK, "wall": WALL}
PATIENCE = 120_000
"""The longest wait for a photograph on a busy machine, in milliseconds."""


def photograph(
    house: House, views: list[View], out: Path, looks: list[tuple[str, str]], locale: str
) -> None:
    """Save a picture of each view in each look: a size and a scheme."""
    for size, scheme in looks:
        folder = out / f"{size}-{scheme}"
        folder.mkdir(parents=True, exist_ok=True)
        pages: dict[str, Page] = {}
        for each in views:
            who = each.person.login if each.person else ""
            if who not in pages:
                touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
                seen = house.open(
                    each.person, SIZES[size], color_scheme=scheme, locale=locale, **touch
                )
                pages[who] = seen.context.new_page()
            page = pages[who]
            page.goto(each.path)
            for selector in each.press:
                page.locator(selector).first.click()
            page.wait_for_load_state("load")
            page.wait_for_timeout(150)  # waits for fonts and the first tick of clocks
            name = re.sub(r"\W+", "-", each.name)
            page.screenshot(path=folder / f"{name}.png", full_page=size != "wall", timeout=PATIENCE)
            if each.paper and size == "desk":
                page.pdf(path=folder / f"{name}.pdf", format="A4")
        print(f"{size}, {scheme}: {len(views)} pages", *house.close())


def sheets(browser: Browser, out: Path) -> None:
    """Lay the pictures of each look beside each other, several on a sheet."""
    page = browser.new_page()
    for folder in sorted(each for each in out.iterdir() if each.is_dir() and each.name != "sheets"):
        many, width, most = (5, 300, 1500) if folder.name.startswith("phone") else (3, 600, 1500)
        if folder.name.startswith("wall"):
            many, width, most = 4, 760, 440
        pictures = sorted(folder.glob("*.png"))
        for start in range(0, len(pictures), many):
            shown = "".join(
                f"<figure><figcaption>{each.stem}</figcaption><div>"
                f"<img src='file://{each.resolve()}'></div></figure>"
                for each in pictures[start : start + many]
            )
            html = out / "sheet.html"
            html.write_text(
                f"<style>body{{margin:8px;display:flex;flex-wrap:wrap;gap:8px;background:#888}}"
                f"figure{{margin:0;font:14px sans-serif}}img{{width:{width}px;display:block}}"
                f"div{{max-height:{most}px;overflow:hidden}}</style>{shown}"
            )
            columns = 2 if folder.name.startswith("wall") else many
            page.set_viewport_size({"width": columns * (width + 8) + 16, "height": 400})
            page.goto(f"file://{html.resolve()}")
            target = out / "sheets" / f"{folder.name}-{start // many:02}.png"
            target.parent.mkdir(exist_ok=True)
            page.screenshot(path=target, full_page=True)
    page.close()


def kept(file: Path, house: House, *secret_keys: str) -> Gallery:
    """Return the gallery that *file* remembers, or hang a new one."""
    if not file.exists():
        gallery = hung(house, *secret_keys)
        people = {each.login: each for each in (gallery.owner, gallery.member)}
        told = {
            "people": [_told(each) for each in people.values()],
            "names": gallery.names,
            "seats": {name: table for name, (_, table) in gallery.seats.items()},
        }
        file.write_text(json.dumps(told))
        return gallery
    told = json.loads(file.read_text())
    owner, member = (Person(house.http, **each) for each in told["people"])
    seats = {name: (member, table) for name, table in told["seats"].items()}
    return Gallery(owner, member, told["names"], seats)


def _told(person: Person) -> dict[str, str]:
    """Return a person's data, without the client."""
    return {name: getattr(person, name) for name in ("name", "login", "player", "token", "session")}


def main() -> None:
    """Start the stack, and photograph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, help="keep the stack's data here")
    parser.add_argument("--only", default="", help="names of views, as a regular expression")
    parser.add_argument("--looks", default="", help="such as phone-light,wall-dark")
    parser.add_argument("--locale", default="en-GB", help="the browser's language, such as de-DE")
    parser.add_argument("--figures", action="store_true", help="print the figures of every page")
    parser.add_argument("--docs", action="store_true", help="make the pictures of the documents")
    told = parser.parse_args()
    looks = [(size, scheme) for size in SIZES for scheme in SCHEMES]
    looks = [each for each in looks if not told.looks or "-".join(each) in told.looks.split(",")]
    told.out.mkdir(parents=True, exist_ok=True)
    data = told.data or told.out / "stack"
    with (
        Stack(data, keep=told.data is not None, durable=False, options=OPTIONS) as stack,
        httpx.Client(base_url=stack.url, timeout=60, trust_env=False) as http,
        chromium() as browser,
    ):
        house = House(stack.url, browser, http)
        keys = stack.settings("api").secret_keys
        gallery = kept(data / "gallery.json", house, *keys)
        wanted = [each for each in views(gallery) if re.search(told.only, each.name)]
        if told.figures:
            for line in report(house, wanted):
                print(line, flush=True)
        elif told.docs:
            illustrate(house, gallery, told.out)
        else:
            photograph(house, wanted, told.out, looks, told.locale)
            sheets(browser, told.out)


if __name__ == "__main__":
    main()
