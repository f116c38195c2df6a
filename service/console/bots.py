"""
The names of house bots in the reader's language.

The API names house bots in English, in every answer. The names are translated before an answer is
decoded, so every page shows them translated.
"""

import re
from re import Match

from engine.kit.house_bots import STRENGTHS
from service.base.languages import LANGUAGES, Language, texts

_NAMED = re.compile(rf'"Bot (\d{{1,5}}), ({"|".join(STRENGTHS)})"'.encode())
"""A value of an answer that is the name of a house bot, and nothing else."""


def with_bots_named(answer: bytes, language: Language) -> bytes:
    """
    Return an answer in JSON with the house bots' names in *language*.

    >>> with_bots_named(b'{"name":"Bot 3, sharp"}', "de").decode()
    '{"name":"Bot 3, scharf"}'
    """
    if language == LANGUAGES[0]:
        return answer
    gettext = texts(language).gettext

    def named(found: Match[bytes]) -> bytes:
        return f'"Bot {found[1].decode()}, {gettext(found[2].decode())}"'.encode()

    return _NAMED.sub(named, answer)
