"""
The icons of the console, and the mark: one sprite with one stroke style.

Every icon stands in a box of 24 and is drawn by lines alone, so that CSS gives width and colour.
``python -m service.console.drawing.icons`` writes the files under ``static``.
"""

from pathlib import Path

STATIC = Path(__file__).parent.parent / "static"

ICONS = {
    "home": "M4 11.5 12 5l8 6.5M6 10v9h12v-9M10 19v-5h4v5",
    "calendar": "M5 6.5h14V20H5zM5 10.5h14M9 4v4M15 4v4",
    "standings": "M5 20v-6h4.5v6M9.5 20V6h5v14M14.5 20v-9H19v9M4 20h16",
    "people": "M9 11a3.2 3.2 0 1 0 0-6.4A3.2 3.2 0 0 0 9 11zM3.5 19.5c0-3.3 2.2-5.2 5.5-5.2s5.5 "
    "1.9 5.5 5.2M15.5 10.7a2.8 2.8 0 1 0-.7-5.4M16.8 14.3c2.3.4 3.7 2.2 3.7 5.2",
    "person": "M12 11.5a3.7 3.7 0 1 0 0-7.4 3.7 3.7 0 0 0 0 7.4z"
    "M5 20c0-3.8 2.8-5.8 7-5.8s7 2 7 5.8",
    "table": "M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM13.5 3a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z"
    "M13.5 21a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM4.5 12a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z"
    "M22.5 12a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0z",
    "cards": "M10 6.2 18.5 4.5l2 11.5-8.5 1.7zM10 6.2 4 8.6l4 11.1 5-1.9",
    "clock": "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7.5V12l3 2",
    "pause": "M9 6v12M15 6v12",
    "play": "M8 5.5v13l10.5-6.5z",
    "next": "M6 6v12l8.5-6zM18 6v12",
    "previous": "M18 6v12l-8.5-6zM6 6v12",
    "undo": "M8.5 5 4.5 9l4 4M4.5 9H14a5 5 0 0 1 0 10H9",
    "search": "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.3 15.3 20 20",
    "plus": "M12 5v14M5 12h14",
    "minus": "M5 12h14",
    "check": "M5 12.5 10 17.5 19.5 7",
    "close": "M6 6l12 12M18 6 6 18",
    "right": "M9.5 5.5 16 12l-6.5 6.5",
    "left": "M14.5 5.5 8 12l6.5 6.5",
    "down": "M5.5 9.5 12 16l6.5-6.5",
    "info": "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 11v5.5M12 7.5v0",
    "warning": "M12 4 21 19.5H3zM12 10v4.5M12 17v0",
    "scales": "M12 4v16M8 20h8M5 7h14M5 7l-2.5 6.5h5zM19 7l-2.5 6.5h5z",
    "money": "M3.5 7h17v10h-17zM12 14.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z"
    "M6.5 12v0M17.5 12v0",
    "door": "M6 20.5V4h9v16.5M3.5 20.5h17M15 6.5l3.5 1v13M12 12v0",
    "print": "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6.5H7z",
    "camera": "M4 8h3.5L9 5.5h6L16.5 8H20v11H4zM12 16.5a3.3 3.3 0 1 0 0-6.6 3.3 3.3 0 0 0 0 6.6z",
    "bell": "M6 17V11a6 6 0 0 1 12 0v6M4 17h16M10 20h4M12 3v2",
    "sound": "M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11",
    "gear": "M4 7h9M17 7h3M15 9.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM4 17h3M11 17h9"
    "M9 19.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z",
    "more": "M6 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0zM13 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0z"
    "M20 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0z",
    "link": "M10 14a3.5 3.5 0 0 0 5 0l3.5-3.5a3.5 3.5 0 0 0-5-5L12 7M14 10"
    "a3.5 3.5 0 0 0-5 0l-3.5 3.5a3.5 3.5 0 0 0 5 5L12 17",
    "light": "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6"
    "l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1",
    "device": "M4 5h16v11H4zM9 20h6M12 16v4",
    "dark": "M19.5 14A8 8 0 0 1 10 4.5a8 8 0 1 0 9.5 9.5z",
    "proof": "M12 3.5 19 6v5.5c0 4.5-2.8 7.3-7 9-4.2-1.7-7-4.5-7-9V6zM8.7 12l2.4 2.4 4.2-4.6",
}
"""The path of every icon."""

ACCENT = "#1c9a83"
"""The favicon's colour: no style reaches it, and it must show on light and dark tabs."""


def sprite() -> str:
    """Return the SVG document with one symbol for each icon."""
    symbols = "".join(
        f'<symbol id="{name}" viewBox="0 0 24 24"><path d="{path}"/></symbol>'
        for name, path in ICONS.items()
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg">{symbols}</svg>\n'


def favicon() -> str:
    """Return the mark alone: a table with the button at its edge."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none">'
        f'<circle cx="16" cy="16" r="11" stroke="{ACCENT}" stroke-width="4.5" '
        'pathLength="100" stroke-dasharray="75 25" stroke-dashoffset="-0.5"/>'
        f'<circle cx="23.8" cy="8.2" r="4.6" fill="{ACCENT}"/></svg>\n'
    )


def write() -> None:
    """Write the sprite and the favicon to the folder that the console serves."""
    STATIC.mkdir(exist_ok=True)
    (STATIC / "icons.svg").write_text(sprite(), encoding="utf-8")
    (STATIC / "favicon.svg").write_text(favicon(), encoding="utf-8")


if __name__ == "__main__":
    write()
