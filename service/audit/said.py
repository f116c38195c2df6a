"""Descriptions of faults: a text of the catalogue with gaps, and the facts that fill them."""

from typing import Final

import msgspec

from service.base.languages import filled


class Said(msgspec.Struct, frozen=True):
    """A description that is translated where it is shown. ``str`` gives it in English."""

    text: str
    """The English text. Its gaps are named, as in ``%(seat)s``."""

    facts: dict[str, object] = {}

    def __str__(self) -> str:
        """Return the description in English."""
        return filled(self.text, self.facts, str)


def said(text: str, **facts: object) -> Said:
    """Return a description. Write *text* as a literal, because the catalogue is made of these."""
    return Said(text, facts)


NO_FAULT: Final = Said("")
"""Stands for a description if nothing is wrong."""
