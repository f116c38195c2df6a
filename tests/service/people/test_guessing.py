"""Failed sign-ins delay the login and address that caused them, and nobody else."""

import pytest
from structlog.testing import capture_logs

from service.base.errors import TooManySignIns
from service.people.guessing import DELAY_MAX, FREE, KEPT_MAX, Guesses

ROUTER, HOME = "203.0.113.7", "198.51.100.9"


class Hall:
    """A gate, with a clock that the test moves."""

    def __init__(self, per_address: int = 300) -> None:
        self.seconds = 0.0
        self.gate = Guesses("k" * 32, per_address, lambda: self.seconds)

    def fail(self, login: str, address: str = ROUTER) -> int:
        """Fail once. Return the seconds to wait if the attempt was refused without a check."""
        try:
            self.gate.begin(login, address)
        except TooManySignIns as refused:
            return int(str(refused.facts["retry_after"]))
        self.gate.failed(login, address)
        return 0

    def succeed(self, login: str, address: str = ROUTER) -> bool:
        try:
            self.gate.begin(login, address)
        except TooManySignIns:
            return False
        self.gate.succeeded(login, address)
        return True


def test_delays_grow_with_each_failure_and_have_an_end() -> None:
    hall = Hall()
    assert [hall.fail("lando") for _ in range(FREE)] == [0] * FREE
    waits = []
    for _ in range(12):
        waits.append(hall.fail("lando"))
        hall.seconds += waits[-1]
        assert hall.fail("lando") == 0, "whoever has waited is looked at"
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, DELAY_MAX, DELAY_MAX]


def test_nobody_locks_somebody_else_out() -> None:
    hall = Hall()
    for _ in range(FREE + 3):
        hall.fail("lando", ROUTER)
    assert hall.fail("lando", ROUTER) > 0
    assert hall.succeed("lando", HOME), "the delay is of login and address together"


def test_24_phones_behind_one_router_are_not_shut_out() -> None:
    hall = Hall()
    for phone in range(24):
        for _ in range(FREE - 1):
            assert hall.fail(f"player{phone}") == 0
        assert hall.succeed(f"player{phone}")


def test_an_address_that_tries_many_logins_waits_but_those_it_knows_do_not() -> None:
    hall = Hall(per_address=60)
    assert hall.succeed("lando")
    assert [hall.fail(f"guess{number}") for number in range(60)] == [0] * 60
    assert hall.fail("another") == 60
    assert hall.succeed("lando"), "who has signed in from here before is let in"
    hall.seconds += 60
    assert hall.fail("another") == 0


def test_one_line_of_ipv6_is_one_address() -> None:
    hall = Hall(per_address=10)
    assert [hall.fail(f"guess{n}", f"2001:db8::{n:x}") for n in range(10)] == [0] * 10
    assert hall.fail("another", "2001:db8::ffff") > 0
    assert hall.fail("another", "2001:db8:0:1::1") == 0


def test_attempts_side_by_side_count_each_other() -> None:
    hall = Hall()
    for _ in range(FREE):
        hall.gate.begin("lando", ROUTER)
    with pytest.raises(TooManySignIns):
        hall.gate.begin("lando", ROUTER)


def test_an_attempt_that_nothing_decided_is_no_failure() -> None:
    hall = Hall(per_address=10)
    for _ in range(50):
        hall.gate.begin("lando", ROUTER)
        hall.gate.undecided("lando", ROUTER)
    assert hall.succeed("lando")


def test_memory_is_bounded_and_refusals_push_nothing_out() -> None:
    hall = Hall(per_address=10)
    for number in range(KEPT_MAX + 50):
        hall.fail("lando", f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(hall.gate._pairs) == len(hall.gate._addresses) == KEPT_MAX
    for number in range(20):
        hall.fail(f"guess{number}", HOME)
    known = list(hall.gate._pairs)
    for number in range(100):
        assert hall.fail(f"more{number}", HOME) > 0
    assert list(hall.gate._pairs) == known


def test_the_log_names_the_address_and_no_login() -> None:
    hall = Hall()
    with capture_logs() as lines:
        for _ in range(FREE):
            hall.fail("lando")
    (line,) = lines
    assert (line["address"], line["failures"]) == (ROUTER, FREE)
    assert "lando" not in str(line)
