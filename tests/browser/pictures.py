"""The pictures of ``docs/images``: ``python -m tests.browser.screens docs/images --docs``."""

import shutil
import subprocess
from pathlib import Path

from tests.browser.gallery import Gallery
from tests.browser.house import House, Person

PHONE = (360, 740)
PHONES = (1608, 812)
"""Four phones beside each other, with a margin."""

WINDOWS = {"floor": (1280, 860), "clock": (1280, 720), "replay": (1280, 800)}
FRAME = """
<style>
  body { margin: 0; display: flex; align-items: center; justify-content: center; gap: 24px;
    height: 100vh; background: #ced8d2 }
  img { display: block; width: 360px; height: 740px; border: 8px solid #13201b;
    border-radius: 28px }
</style>
"""


def illustrate(house: House, gallery: Gallery, out: Path) -> None:
    """Save each picture, with at most 256 colours if ``pngquant`` is installed."""
    names, owner, member = gallery.names, gallery.owner, gallery.member
    live, coming = f"/tournaments/{names['live']}", f"/tournaments/{names['coming']}"
    # Twelve minutes are left of the second level, however long ago the evening began, and
    # however often this ran: another level has to come first, so that it begins anew.
    room, why = f"/v1/tournaments/{names['live']}", {"reason": "For the picture."}
    if owner.get(f"{room}/floor")["floor"]["break_ends"]:
        owner.post(f"{room}/breaks/end", why)
    owner.post(f"{room}/clock", why | {"level": 1})
    owner.post(f"{room}/clock", why | {"level": 2, "seconds": -8 * 60})
    tables = {name: f"/tables/{table}" for name, (_, table) in gallery.seats.items()}
    phones = [
        ("bets", tables["Bets"], member, "light"),
        ("card-turn", tables["Card turn, traditional"], member, "dark"),
        ("door", f"{coming}/door", owner, "light"),
        ("standings", f"/seasons/{names['season']}", member, "dark"),
    ]
    parts = []
    for name, path, person, scheme in phones:
        parts.append(out / f"phone-{name}.png")
        _taken(house, person, path, PHONE, scheme, parts[-1])
    made = [out / "console-phones.png"]
    _beside(house, parts, made[0])
    for each in parts:
        each.unlink()
    windows = {
        "floor": (f"{live}/floor", owner, "light"),
        "clock": (f"{live}/clock", member, "dark"),
        "replay": (f"/hands/{names['hand']}?step=999", member, "dark"),
    }
    for name, (path, person, scheme) in windows.items():
        made.append(out / f"console-{name}.png")
        _taken(house, person, path, WINDOWS[name], scheme, made[-1])
    house.close()
    if shutil.which("pngquant"):
        for each in made:
            subprocess.run(["pngquant", "--force", "--output", each, "256", each], check=True)


def _taken(
    house: House, person: Person, path: str, size: tuple[int, int], scheme: str, file: Path
) -> None:
    touch = {"has_touch": True, "is_mobile": True} if size == PHONE else {}
    page = house.open(person, size, color_scheme=scheme, **touch).context.new_page()
    page.goto(path)
    page.wait_for_load_state("load")
    page.wait_for_timeout(400)  # waits for fonts and the first tick of clocks
    page.screenshot(path=file)
    page.close()


def _beside(house: House, pictures: list[Path], file: Path) -> None:
    """Lay the pictures of phones beside each other."""
    page = house.browser.new_page(viewport={"width": PHONES[0], "height": PHONES[1]})
    html = file.with_suffix(".html")
    html.write_text(FRAME + "".join(f"<img src='file://{each.resolve()}'>" for each in pictures))
    page.goto(f"file://{html.resolve()}")
    page.screenshot(path=file)
    page.context.close()
    html.unlink()
