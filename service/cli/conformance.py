"""``holotable conformance``: scripted situations for a client, and a report of its mistakes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
import rich_click as click

from engine.rulesets import PRESETS
from service.base.sources import SystemEntropy
from service.cli.common import NO, REPORT, USAGE, err, out, stop
from service.sandbox.conformance.exchange import Exchange
from service.sandbox.conformance.judging import CheckResult, Report
from service.sandbox.conformance.script import Script, plan
from service.sandbox.conformance.wire import Server

_ALL: Final = "all"
_STOP_SECONDS: Final = 5.0
_MARKS: Final = {True: "[green]pass[/]", False: "[bold red]FAIL[/]", None: "[dim]----[/]"}


@click.command(context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--url",
    default="http://127.0.0.1:0",
    show_default=True,
    help="The address to serve at, for the client. Port 0 takes a free one.",
)
@click.option("--token", default=None, help="The client's token.  [dim]default: a new one[/]")
@click.option(
    "--ruleset",
    type=click.Choice((_ALL, *sorted(PRESETS))),
    default=_ALL,
    show_default=True,
    metavar="NAME",
    help="A ruleset, or `all` of them.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(2, 600),
    default=5,
    show_default=True,
    help="Time for a decision, and for reconnecting after a cut.",
)
@REPORT
def conformance(
    command: tuple[str, ...],
    url: str,
    token: str | None,
    ruleset: str,
    seconds: float,
    report_file: Path | None,
) -> None:
    """
    Play scripted situations against a client, and report what it got wrong.

    COMMAND starts the client, with HOLOTABLE_URL and HOLOTABLE_TOKEN in its environment:
    [bold]holotable conformance -- python bot.py[/].  Without it, start the client yourself with
    the address and the token that are printed.  It needs no server and no PostgreSQL.  Exit with
    1 if the client got anything wrong.
    """
    exchange = Exchange(token or f"holo_pat_{SystemEntropy().token()[:32]}")
    server = _server(url, exchange)
    names = sorted(PRESETS) if ruleset == _ALL else [ruleset]
    if not command:
        out.print(f"HOLOTABLE_URL={server.url}\nHOLOTABLE_TOKEN={exchange.token}", markup=False)
    with server.serving(), _client(command, server.url, exchange.token) as ended:
        report = Script(exchange, plan(names), seconds, ended).run()
    if report_file is not None:
        text = msgspec.json.format(msgspec.json.encode(report), indent=2)
        report_file.write_bytes(text + b"\n")
    _print(report)
    sys.exit(0 if report.passed else NO)


def _server(url: str, exchange: Exchange) -> Server:
    parts = urlsplit(url)
    try:
        host, port = parts.hostname, parts.port
        if parts.scheme != "http" or host is None:
            raise ValueError
        return Server(host, port or 0, exchange)
    except ValueError:
        stop(USAGE, f"{url} is no address to serve at", "use http://127.0.0.1:PORT")
    except OSError as error:
        stop(USAGE, f"{url} cannot be served: {error.strerror}", "use another port")


@contextmanager
def _client(command: tuple[str, ...], url: str, token: str) -> Iterator[Callable[[], str | None]]:
    """Run the client's program, and yield a function that returns why it has ended, or None."""
    if not command:
        yield lambda: None
        return
    told = {"HOLOTABLE_URL": url, "HOLOTABLE_TOKEN": token}
    try:
        child = subprocess.Popen(command, env={**os.environ, **told}, stdin=subprocess.DEVNULL)
    except OSError as error:
        stop(USAGE, f"{command[0]} cannot be started: {error.strerror}", "check the command")
    try:
        yield (
            lambda: None if child.poll() is None else f"the program ended with code {child.poll()}"
        )
    finally:
        child.terminate()
        try:
            child.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _print(report: Report) -> None:
    for result in report.verdicts:
        _tell(result)
    for ruleset, count in report.rulesets.items():
        what = f"plays {ruleset}" if count else f"played no legal action in {ruleset}"
        out.print(f"{_MARKS[bool(count)]}  {what}  [dim]{count} decisions[/]")
    out.print(f"{report.decisions} decisions were told, and {report.requests} actions came")
    for route, count in report.asked_elsewhere.items():
        err.print(f"{route}: {count} requests to a route that the test does not have", markup=False)
    if report.ended is not None:
        out.print(f"[bold red]the test ended early[/]: {report.ended}")


def _tell(result: CheckResult) -> None:
    seen = "did not happen" if result.passed is None else f"{result.seen} times"
    out.print(f"{_MARKS[result.passed]}  {result.title}  [dim]{seen}[/]")
    for example in result.examples:
        out.print(f"        {example}", markup=False)
    if result.faults > len(result.examples):
        out.print(f"        … {result.faults} in all", markup=False)
    if result.passed is False:
        out.print(f"        guide: {result.guide}", markup=False)
