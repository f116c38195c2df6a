"""A function for each type of command or event."""

from typing import Never

import pytest

from engine.decider import Cases


def test_a_type_with_two_functions_is_an_error() -> None:
    """The second function would silently replace the first."""
    cases = Cases[str, Never, str]().on(int, lambda said, more: f"{said}{more}")
    with pytest.raises(TypeError, match="two functions for \\['int'\\]"):
        cases.on(int, lambda said, _: said)
