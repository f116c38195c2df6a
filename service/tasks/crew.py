"""
Worker processes that are forked, watched, and replaced when they die.

They share no lock and no pipe on which anything waits. Each may be killed at any instruction,
idle or busy, without effect on the others.
"""

import gc
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import structlog

from service.base.children import dying_with
from service.base.health import PULSE, SILENT_SECONDS, TELL_SECONDS, tell_manager

_TICK_SECONDS: Final = 0.1
_AGAIN_SECONDS: Final = 1.0
"""The pause before a failed process is replaced. Each further failure doubles it."""

_AGAIN_SECONDS_MAX: Final = 30.0
_SOUND_SECONDS: Final = 60.0
"""The age after which a process's end resets the pauses of its post."""

_READY_SECONDS: Final = 60.0
"""The time in which a process must become ready. After it the process is killed and replaced."""

STOP_SECONDS: Final = 12
"""The time for finishing a task. Then the process is killed, and the job's lease repairs it."""

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)

_log = structlog.get_logger(__name__)

Work = Callable[[str, Callable[[], None]], None]
"""A process's work at its post, the first argument. It calls the second once it is ready."""


class Crew:
    """
    One process for each post, for as long as the parent runs.

    Args:
        posts: The names of the posts. A name may occur several times.
        work: The function that each child runs. It returns after SIGTERM.
    """

    def __init__(self, posts: Sequence[str], work: Work) -> None:
        self._posts = list(posts)
        self._work = work
        self._at_work: dict[int, str] = {}
        self._forked_at: dict[int, float] = {}
        """The fork times of the processes that are not ready yet."""

        self._ready: dict[int, float] = {}
        """The time at which each process became ready."""

        self._beaten: dict[int, float] = {}
        """The last beat of each process that beats."""

        self._looked = time.monotonic()
        self._told = 0.0
        self._failures: Counter[str] = Counter()
        """The number of consecutive failures at each post."""

        self._due: list[tuple[float, str]] = []
        self._stopping_since: float | None = None
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)

    def run(self, ready: Callable[[], None]) -> int:
        """
        Fork a process for each post and replace those that die, until SIGTERM or SIGINT.

        Call this while the parent process has a single thread.

        Args:
            ready: Called once, when all the first processes are ready.

        Returns:
            An exit code: 0 after SIGTERM, 130 after SIGINT.
        """
        gc.freeze()  # everything loaded by now is shared with every child
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        told, code = False, 0
        for post in self._posts:
            self._fork(post)
        while self._at_work or (self._due and self._stopping_since is None):
            self._watch()
            received = signal.sigtimedwait(_SIGNALS, _TICK_SECONDS)
            if received is not None and received.si_signo != signal.SIGCHLD:
                code = 130 if received.si_signo == signal.SIGINT else 0
                self._stop()
            self._hear()
            self._bury()
            if not told and len(self._ready) == len(self._posts):
                told = True
                ready()
            self._fork_again()
            self._kill_the_late()
        return code

    def _fork(self, post: str) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        child = os.fork()
        if child:
            self._at_work[child] = post
            self._forked_at[child] = time.monotonic()
            return
        code = 1
        try:
            os.setsid()  # Ctrl-C reaches only the parent, which stops the children in order
            dying_with(parent, signal.SIGTERM)()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            PULSE.tell = _say_nothing  # before this process is ready, no beat may say that it is
            self._work(post, self._begin)
            code = 0
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 1
        except BaseException:  # noqa: BLE001
            # The frames above are the parent's loop, and a forked child must never return to
            # them. The error is printed, and the exit code shows the failure.
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _begin(self) -> None:
        """
        Report from a child that it is ready.

        From now on its beats report that nothing in it hangs.
        """
        PULSE.tell = self._say
        self._say()

    def _say(self) -> None:
        with suppress(BlockingIOError):  # the parent does not read, so it could not act on the beat
            os.write(self._writer, os.getpid().to_bytes(4, "big"))

    def _watch(self) -> None:
        """
        Replace children that have stopped beating, and report this process to the service manager.
        """
        now = time.monotonic()
        if now - self._looked > TELL_SECONDS:
            self._beaten.clear()  # this process was stopped, and read no beats meanwhile
        self._looked = now
        if now - self._told > TELL_SECONDS:
            self._told = now
            tell_manager()
        for child, at in list(self._beaten.items()):
            if now - at > SILENT_SECONDS and child in self._at_work:
                _log.error("a process hangs and is replaced", post=self._at_work[child], pid=child)
                os.kill(child, signal.SIGKILL)
                del self._beaten[child]

    def _hear(self) -> None:
        """Read which children have become ready, and which have beaten."""
        try:
            said = os.read(self._reader, 4096)
        except BlockingIOError:
            return
        for at in range(0, len(said), 4):
            child = int.from_bytes(said[at : at + 4], "big")
            if child in self._ready:
                self._beaten[child] = time.monotonic()
            elif child in self._at_work:  # the child may have died meanwhile
                self._ready[child] = time.monotonic()
                self._forked_at.pop(child, None)

    def _bury(self) -> None:
        """Collect the dead children and schedule their replacements."""
        while self._at_work:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return
            post, since = self._at_work.pop(child), self._ready.pop(child, None)
            self._forked_at.pop(child, None)
            self._beaten.pop(child, None)
            if self._stopping_since is None:
                code = os.waitstatus_to_exitcode(status)
                say = _log.error if code else _log.warning
                say("a process ended and is started again", post=post, pid=child, code=code)
                self._due.append((time.monotonic() + self._pause(post, since, code), post))

    def _pause(self, post: str, since: float | None, code: int) -> float:
        """Return the seconds to wait before *post* is filled again."""
        if since is not None and time.monotonic() - since > _SOUND_SECONDS:
            del self._failures[post]
        if since is not None and code <= 0:  # the child ended on purpose or was killed
            return 0
        self._failures[post] += 1
        longer: float = 2.0 ** min(self._failures[post] - 1, 10)
        return min(_AGAIN_SECONDS * longer, _AGAIN_SECONDS_MAX)

    def _fork_again(self) -> None:
        if self._stopping_since is not None:
            return
        now = time.monotonic()
        due, self._due = self._due, [each for each in self._due if each[0] > now]
        for at, post in due:
            if at <= now:
                self._fork(post)

    def _stop(self) -> None:
        if self._stopping_since is None:
            self._stopping_since = time.monotonic()
        for child in self._at_work:
            os.kill(child, signal.SIGTERM)

    def _kill_the_late(self) -> None:
        now, since = time.monotonic(), self._stopping_since
        if since is not None:
            late = list(self._at_work) if now - since > STOP_SECONDS else []
        else:
            late = [child for child, at in self._forked_at.items() if now - at > _READY_SECONDS]
        for child in late:
            os.kill(child, signal.SIGKILL)


def _say_nothing() -> None:
    pass
