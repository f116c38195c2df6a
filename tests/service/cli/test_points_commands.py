"""``holotable points`` lists the presets and tries out a formula."""

import pytest

from service.cli.points import points


def ended(*arguments: str) -> int | str | None:
    """Run ``holotable points`` and return its exit code."""
    with pytest.raises(SystemExit) as end:
        points.main(arguments)
    return end.value.code


def test_the_list_names_every_preset_with_its_formula(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("list") == 0

    shown = capsys.readouterr().out
    assert "log10(pool) / sqrt(k / n)" in shown
    assert "season: total / sqrt(played)" in shown
    assert "knockouts: 200" in shown


@pytest.mark.parametrize(
    ("formula", "values", "code", "said"),
    [
        ("10 * sqrt(n / k)", ("n=16", "k=1"), 0, "40.0000"),
        ("1 / k", (), 1, "the formula has no value: division_by_zero"),
        ("1 +", (), 2, "character 4"),
        ("n", ("m=1",), 2, "write name=number"),
        ("n", ("n=many",), 2, "write name=number"),
    ],
)
def test_a_formula_is_tried(
    capsys: pytest.CaptureFixture[str], formula: str, values: tuple[str, ...], code: int, said: str
) -> None:
    assert ended("try", formula, *values) == code

    shown = capsys.readouterr()
    assert said in shown.out + shown.err
