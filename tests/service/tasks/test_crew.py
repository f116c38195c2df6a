"""A crew replaces processes that die, and ends even if a process ignores its signal."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIMIT_SECONDS = 40


def code_of(program: str, then: signal.Signals) -> int:
    """Run *program* until it prints ``ready``, send it a signal and return its exit code."""
    limited = ["timeout", "-s", "KILL", str(LIMIT_SECONDS)]
    with subprocess.Popen(
        [*limited, sys.executable, "-c", textwrap.dedent(program)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        assert any(line.strip() == "ready" for line in running.stdout)
        running.send_signal(then)
        return running.wait(LIMIT_SECONDS)


def test_a_process_that_dies_as_it_becomes_ready_does_not_keep_the_crew_from_being_so() -> None:
    program = """
        import os, signal
        from pathlib import Path
        from tempfile import mkdtemp
        from service.tasks.crew import Crew
        died = Path(mkdtemp()) / "died"
        def work(post, ready):
            ready()
            if post == "frail" and not died.exists():
                died.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            signal.pause()
        raise SystemExit(Crew(["frail", "sound"], work).run(lambda: print("ready", flush=True)))
    """
    assert code_of(program, signal.SIGTERM) == 0


def test_a_process_that_beats_is_not_ready_before_it_says_so() -> None:
    program = """
        import signal, time
        from pathlib import Path
        from tempfile import mkdtemp
        from service.base.health import PULSE
        from service.tasks.crew import Crew
        prepared = Path(mkdtemp()) / "prepared"
        def work(post, ready):
            PULSE.beat("its loop")
            time.sleep(1)  # the parent looks meanwhile, every tenth of a second
            prepared.touch()
            ready()
            signal.pause()
        def told():
            if not prepared.exists():
                raise SystemExit("told too early")
            print("ready", flush=True)
        raise SystemExit(Crew(["slow"], work).run(told))
    """
    assert code_of(program, signal.SIGTERM) == 0


def test_a_process_that_does_not_listen_is_killed_in_the_end() -> None:
    program = """
        import signal
        from service.tasks import crew
        crew.STOP_SECONDS = 1
        def work(post, ready):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            ready()
            while True:
                signal.pause()
        raise SystemExit(crew.Crew(["deaf"], work).run(lambda: print("ready", flush=True)))
    """
    assert code_of(program, signal.SIGINT) == 130


def test_a_process_that_fails_again_and_again_is_forked_less_and_less_often() -> None:
    program = """
        import os, time
        from pathlib import Path
        from tempfile import mkdtemp
        from service.tasks import crew
        crew._AGAIN_SECONDS = 0.2
        forks = Path(mkdtemp()) / "forks"
        def work(post, ready):
            ready()
            with forks.open("a") as out:
                out.write(f"{time.monotonic()}\\n")
            said = [float(each) for each in forks.read_text().split()]
            if len(said) == 4:
                pauses = [later - sooner for sooner, later in zip(said, said[1:])]
                assert pauses[0] >= 0.2 and pauses[1] >= 0.4 and pauses[2] >= 0.8, pauses
                print("ready", flush=True)
                import signal
                signal.pause()
            os._exit(1)
        raise SystemExit(crew.Crew(["frail"], work).run(lambda: None))
    """
    assert code_of(program, signal.SIGTERM) == 0


def test_a_process_that_hangs_is_replaced() -> None:
    """This is so for a process that has sent a beat. Others are watched by their leases."""
    program = """
        import os, signal, time
        from pathlib import Path
        from tempfile import mkdtemp
        from service.base import health
        from service.tasks import crew
        crew.SILENT_SECONDS, health.TELL_SECONDS = 1, 0.1
        hung = Path(mkdtemp()) / "hung"
        def work(post, ready):
            ready()
            if hung.exists():
                print("ready", flush=True)
                signal.pause()
            hung.touch()
            for _ in range(3):
                health.PULSE.beat("the loop")
                time.sleep(0.2)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                signal.pause()
        raise SystemExit(crew.Crew(["post"], work).run(lambda: None))
    """
    assert code_of(program, signal.SIGTERM) == 0
