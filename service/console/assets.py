"""
Static files, under an address that changes with any of them.

Browsers keep them for a year. Modules import each other by relative paths, so one digest stands for
all files, and no file has to be rewritten.
"""

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".wav": "audio/wav",
    ".webmanifest": "application/manifest+json",
}
STYLE = "css/console.css"
"""The style sheets of every page in one file, so that a page waits for one answer only."""

PLAY = "css/play.css"
"""The style sheets of the playing table in one file. Its page is sent uncompressed."""

REPLAY = "css/replayer.css"
"""The style sheets of the replayer in one file, without forms. Its page is uncompressed too."""

_COMMON = ("tokens", "base", "layout", "components", "forms")
_CONTENT = ("content", "data")
"""The style sheets that neither the playing table nor the replayer uses."""

_FILES = {
    STYLE: (*_COMMON, *_CONTENT),
    PLAY: (*_COMMON, "table", "acting"),
    REPLAY: (*_COMMON[:4], "table", "replay"),
}
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_SPACES = re.compile(rb"\s+")
_BETWEEN = re.compile(rb"\s*([{};,>])\s*")
_NEEDLESS = re.compile(rb"(?<=:) |;(?=})|(?<![\w.])0(?=\.\d)")
"""The space behind a colon, the last semicolon of a block, and the zero before a point."""

_OUTSIDE = re.compile(rb"^[ \t]*(?://.*)?(?:\n|\Z)|^[ \t]+", re.MULTILINE)
"""The lines of a script that hold a comment or nothing, and the space before all others."""

_COMPRESSED = frozenset({".css", ".js", ".svg", ".webmanifest"})


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file, as it is sent."""

    media: str
    content: bytes
    compressed: bytes | None
    """The content as gzip, or None for files that are compressed already."""

    etag: str


@cache
def assets() -> dict[str, Asset]:
    """Return every static file by its path, such as ``css/tokens.css``."""
    found = {
        str(file.relative_to(STATIC)): _asset(file.suffix, file.read_bytes())
        for file in sorted(STATIC.rglob("*"))
        if file.is_file() and file.suffix in _TYPES
    }
    for file, names in _FILES.items():
        sheets = (found[f"css/{name}.css"].content for name in names)
        found[file] = _asset(".css", b"\n".join(sheets))
    return found


@cache
def digest() -> str:
    """Return the digest of all files, which is a part of their addresses."""
    all_of_them = "".join(f"{path} {each.etag}\n" for path, each in assets().items())
    return hashlib.sha256(all_of_them.encode()).hexdigest()[:8]


def static(path: str) -> str:
    """
    Return the address of a static file.

    Raises:
        KeyError: If there is no such file.
    """
    if path not in assets():
        raise KeyError(path)
    return f"/static/{digest()}/{path}"


def tightened(sheet: bytes) -> bytes:
    """
    Return a style sheet without comments and needless spaces.

    >>> tightened(b"/* wide */ a > b,\\n  i { content: ' / '; width: 0.5em; }")
    b"a>b,i{content:' / ';width:.5em}"
    """
    sheet = _BETWEEN.sub(rb"\1", _SPACES.sub(b" ", _COMMENT.sub(b"", sheet)))
    return _NEEDLESS.sub(b"", sheet).strip()


def shortened(script: bytes) -> bytes:
    """
    Return a script without lines of comments and without indentation.

    No script may have a text that goes on over lines: its spaces would be lost.

    >>> shortened(b"// Adds.\\nconst sum = (a, b) => {\\n  return a + b; // both\\n};\\n")
    b'const sum = (a, b) => {\\nreturn a + b; // both\\n};\\n'
    """
    return _OUTSIDE.sub(b"", script)


def _asset(suffix: str, content: bytes) -> Asset:
    if suffix == ".css":
        content = tightened(content)
    elif suffix == ".js":
        content = shortened(content)
    smaller = gzip.compress(content, 9, mtime=0) if suffix in _COMPRESSED else None
    tag = f'"{hashlib.sha256(content).hexdigest()[:24]}"'
    return Asset(_TYPES[suffix], content, smaller, tag)
