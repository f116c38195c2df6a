"""Names that are refused, names that read alike, and bodies with repeated members."""

import msgspec
import pytest

from service.api.http.reading.bodies import body_of
from service.base.errors import BadRequest
from service.people.names import named
from service.people.rosters import read_roster
from service.people.skeletons import Taken


class Anything(msgspec.Struct):
    """A body that may have any members."""


REFUSED = [
    "Le\u0085ia",  # C1
    "Leia\u202e",  # right-to-left override
    "\u2066Leia\u2069",  # isolates
    "Le\u200bia",  # zero-width space
    "Le\u200dia",  # a joiner that joins nothing
    "Le\u00adia",  # soft hyphen
    "Leia\ufeff",
    "Leia\ue000",  # private
    "Leia\u0378",  # unassigned
    "Leia\u2028",
    "\u3164",  # Hangul filler: a letter that shows nothing
    "\u2800",  # blank Braille
    "Leia\U000e0041",  # tag
    "Leia\U000e0100",  # variation selector
    "\u0301",  # a mark without a letter
    "   ",
]


@pytest.mark.parametrize("name", REFUSED, ids=ascii)
def test_what_cannot_be_seen_or_turns_the_line_round_is_no_name(name: str) -> None:
    with pytest.raises(ValueError, match="a name"):
        named(name)
    with pytest.raises(BadRequest) as refused:
        body_of(f'{{"tournament": {{"name": "{name}"}}}}'.encode(), Anything)
    assert refused.value.code in ("validation_failed", "invalid_unicode")


def test_lists_of_players_take_no_such_names_either() -> None:
    content = "name\nLe\u200bia\nHan\u202eSolo\nLando\nLe\u0301ia\n"
    roster = read_roster(content.encode())
    assert [(each.line, each.code) for each in roster.faults] == [(2, "name"), (3, "name")]
    assert [each.name for each in roster.rows] == ["Lando", "L\u00e9ia"]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Lei\u0301a", "Le\u00eda"),
        ("  Han \u00a0 Solo ", "Han Solo"),
        ("韓·索羅", "韓·索羅"),
        ("ליאה", "ליאה"),
        ("क्\u200dष", "क्\u200dष"),  # a joiner after a virama
        ("Night \u2764\ufe0f", "Night \u2764"),
        ("=1+1", "=1+1"),
    ],
    ids=ascii,
)
def test_names_of_all_scripts_are_kept_composed(name: str, kept: str) -> None:
    assert named(name) == kept
    assert named(kept) == kept
    _, canonical = body_of(f'{{"name": "{name}"}}'.encode(), Anything)
    assert msgspec.json.decode(canonical) == {"name": kept}


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        *(
            (name, "Leia")
            for name in ["LEIA", "Léia", "L e i a", "Lеiа", "Ｌｅｉａ", "𝕃𝕖𝕚𝕒", "leia."]
        ),
        *((name, "Leia") for name in ["ʟᴇɪᴀ", "ḽeia", "Ⓛeia", "Leıa"]),
        *((name, "director") for name in ["dırector", "ᴅirector", "diгector", "ꓓirector"]),
        ("DlRECTOR", "director"),  # an l for an I
        ("Ꭰirector", "Director"),  # Cherokee
        ("ᴏwnerB", "ownerB"),
        ("0wner", "Owner"),
        ("adrnin", "Admin"),
        ("lan", "Ian"),
        ("Νikos", "Nikos"),  # Greek, as is the next
        ("ΤΑΜΑRΑ", "Tamara"),
        ("вікв", "bikb"),
        ("AHHA", "Анна"),  # Latin for Cyrillic
        ("Soren", "Søren"),
        *(
            (name, "Clara Bell")
            for name in [
                "\u03f9lara Bell",  # Greek lunate sigma, which NFKD makes a sigma
                "\U0001f74clara Bell",  # an alchemist's sign
                "C|ara Bell",
                "Clara Be||",
                "Clara Be\u2223\uffe8",
                "Clara Be\u2225",  # one sign that looks like two letters
                "Clara Be\u04cf\u04cf",  # palochka
                "Clara \u2c82ell",  # Coptic
                "CLARA \u2c82ELL",
                "Clara B\u212ell",
                "Cl\u237ara Bell",
            ]
        ),
        ("Jo\u017f", "Jof"),
        ("Zoe \u222alm", "Zoe Ulm"),
        ("Ale\u00d7", "Alex"),
        ("J\u221en", "Joon"),
        ("Jon", "J\u17e0n"),
    ],
    ids=ascii,
)
def test_a_name_that_reads_like_another_is_found(name: str, taken: str) -> None:
    assert name in Taken([None, taken])


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("Leila", "Leia"),
        ("Лея", "Leia"),
        ("★", "☆"),
        ("Lan", "Ian"),
        ("Москва", "Moscow"),
        ("東京", "京都"),
        ("मीना", "मन"),  # vowel signs are no accents
        ("が", "か"),
        ("O'Neill", "O'Neil"),
        ("Øystein", "Eystein"),
        ("Player 2", "Player 3"),
        ("Даша", "Маша"),
        ("Þór", "Por"),
        ("Шура", "Mypa"),
        ("Al | Bo", "Albo II"),
    ],
    ids=ascii,
)
def test_a_name_that_reads_otherwise_is_left_alone(name: str, taken: str) -> None:
    assert named(name) not in Taken([taken, None])


@pytest.mark.parametrize(
    ("text", "member"),
    [
        ('{"amount": 5, "amount": 50}', '"amount"'),
        ('{"acts": [{"type": "fold"}, {"type": "fold", "type": "call"}]}', '"type"'),
        ('{"a": ":", "\\u0061": "\\":"}', '"a"'),
        ('{"": 1, "": 2}', '""'),
        ('{"a:b": {"c": "::"}, "x": "\\\\", "x": ":"}', '"x"'),
    ],
)
def test_a_body_that_says_a_thing_twice_is_refused(text: str, member: str) -> None:
    with pytest.raises(BadRequest) as refused:
        body_of(text.encode(), Anything)
    assert (refused.value.code, refused.value.detail) == (
        "invalid_json",
        f"an object has the member {member} twice",
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"at": "2026-11-22T20:00:00Z", "url": "http://x/:"}',
        '{"a": "\\":", "b": {"a": ":\\\\"}, "c": [{"a": 1}, {"a": 2}]}',
        '{"a": [":", {}, ""]}',
        '{"a": ":"}',
    ],
)
def test_colons_in_texts_are_not_taken_for_members(text: str) -> None:
    _, canonical = body_of(text.encode(), Anything)
    assert msgspec.json.decode(canonical) == msgspec.json.decode(text)
