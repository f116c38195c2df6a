"""The camera at the door, which plays a film of codes for a browser that reads none itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import PROGRAM, WHY, chromium
from tests.browser.house import House, Person

pytestmark = pytest.mark.slow

LENS = (640, 480)
POSES = (
    "rotate(4deg)",
    "perspective(60rem) rotateX(24deg) rotateZ(-38deg)",
    "perspective(60rem) rotateY(-22deg) rotateZ(171deg) scale(1.2)",
)
"""Ways in which phones are held out at a door."""

MOMENT = 30
"""Pictures of each pose, which is a second. At its end the film begins again."""

CHECKED_IN = {"entry": {"check_in_opens_before_seconds": 600}}


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that the camera plays. A test writes it before it opens the door."""
    return tmp_path_factory.mktemp("camera") / "film.mjpeg"


@pytest.fixture(scope="module")
def browser(film: Path) -> Iterator[Browser]:
    """Chromium with this camera, and with a person who allows its use."""
    if PROGRAM is None:
        pytest.skip(WHY)
    expect.set_options(timeout=20_000)  # the machine may be busy
    flags = (
        "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    )  # fmt: skip
    with chromium(flags=flags) as found:
        yield found


def code(house: House, person: Person, evening: str) -> str:
    """Return the drawing of the code that a player shows at the door."""
    page = house.open(person).context.new_page()
    page.goto(f"/tournaments/{evening}")
    page.get_by_text("My code for the door").click()
    drawn: str = page.locator("#main .qr svg").evaluate("(svg) => svg.outerHTML")
    return drawn


def at_the_door(house: House, owner: Person) -> Page:
    """
    Open a page in which the browser reads no codes itself, so that our own reader has to.

    Chromium has a reader on some systems only.
    """
    context = house.open(owner).context
    context.add_init_script("delete window.BarcodeDetector")
    return context.new_page()


def filmed(browser: Browser, film: Path, codes: list[str]) -> None:
    """Photograph each code in a pose of its own, in uneven light, and write the film."""
    page = browser.new_page(viewport={"width": LENS[0], "height": LENS[1]})
    taken = []
    for drawn, pose in zip(codes, POSES, strict=False):
        page.set_content(
            f"""<style>
              body {{ margin: 0; height: 100vh; display: grid; place-content: center;
                background: repeating-linear-gradient(80deg, #5a4632 0 9px, #6b543d 9px 22px) }}
              div {{ padding: 1rem; background: linear-gradient(115deg, #fff, #8d8f93);
                transform: {pose}; filter: blur(0.6px) }}
              svg {{ display: block; width: 15rem; stroke: #222 }}
            </style><div>{drawn}</div>"""
        )
        taken.append(page.screenshot(type="jpeg", quality=70))
    page.context.close()
    film.write_bytes(b"".join(each * MOMENT for each in taken))


def test_the_camera_checks_one_player_in_after_another(house: House, film: Path) -> None:
    owner, league = house.league()
    evening = house.evening(owner, league, **CHECKED_IN)
    names = ("Mara", "Chewbacca", "Bossk")
    players = [house.join(owner, league, name=each) for each in names]
    for each in [*players, house.join(owner, league, name="Nobody's code")]:
        each.post(f"/v1/tournaments/{evening}/registrations")
    filmed(house.browser, film, [code(house, each, evening) for each in players])
    door = at_the_door(house, owner)
    door.goto(f"/tournaments/{evening}/door")

    assert door.evaluate("typeof BarcodeDetector") == "undefined"
    scan = door.get_by_role("button", name="Scan a code")
    scan.click()

    here = door.locator("button[name=here][aria-pressed=true]")
    expect(here).to_have_count(len(names))
    scan.click()
    expect(door.get_by_label("Camera", exact=True)).to_be_hidden()
    entrants = owner.get(f"/v1/tournaments/{evening}")["entrants"]
    assert {each["player"]: each["checked_in"] for each in entrants} == {
        each["player"]: each["player"] in [person.player for person in players]
        for each in entrants
    }  # fmt: skip


def test_a_code_of_somebody_who_is_not_entered_is_answered_in_words(
    house: House, film: Path
) -> None:
    owner, league = house.league()
    evening, other = (house.evening(owner, league, **CHECKED_IN) for _ in range(2))
    player = house.join(owner, league, name="Mara")
    player.post(f"/v1/tournaments/{other}/registrations")
    filmed(house.browser, film, [code(house, player, other)])
    door = at_the_door(house, owner)
    door.goto(f"/tournaments/{evening}/door")

    door.get_by_role("button", name="Scan a code").click()

    expect(door.get_by_text("Mara is in the league but not entered.")).to_be_visible()
