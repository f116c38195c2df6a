"""The alert rules are valid, and each fires when it should and only then."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

from service.base import metrics  # noqa: F401 - its import registers the metrics
from service.projections.following import measuring as projections
from service.tasks import measuring as tasks

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/prometheus/holotable.rules.yml"
PAGE = ROOT / "docs/operating/monitoring.md"
MINUTES = 40
"""The minutes that each series lasts. Alerts are checked after them."""

needs_promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool")

UP = 'up{job="holotable", process="%s", instance="a:1"}'
ACT = 'holotable_http_request_seconds_bucket{operation="act", le="%s"}'
DISK = 'node_filesystem_%s_bytes{instance="a", mountpoint="/", fstype="ext4"}'
STEADY, RISING = f"0+60x{MINUTES}", f"1+60x{MINUTES}"
EARLY = f"0x{MINUTES}"
"""A time stamp of the beginning. The tests' clock begins there too."""

CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "HolotableApiDown": ({UP % "api": "0x40"}, {UP % "api": "1x40"}),
    "HolotableProcessDown": ({UP % "worker": "0x40"}, {UP % "worker": "1x40"}),
    "HolotableDatabaseAway": ({"holotable_database_up": "0x40"}, {"holotable_database_up": "1x40"}),
    "HolotableErrors": (
        {
            'holotable_http_requests_total{status="200"}': "0+100x40",
            'holotable_http_requests_total{status="503"}': "0+10x40",
        },
        {
            'holotable_http_requests_total{status="200"}': "0+1000x40",
            'holotable_http_requests_total{status="409"}': "0+1000x40",
            'holotable_http_requests_total{status="503"}': "0+1x40",
        },
    ),
    "HolotableSlow": (
        {ACT % "1.0": "0+10x40", ACT % "5.0": "0+100x40", ACT % "+Inf": "0+100x40"},
        {ACT % "0.1": "0+100x40", ACT % "5.0": "0+100x40", ACT % "+Inf": "0+100x40"},
    ),
    "HolotableDefects": (
        {'holotable_commands_total{outcome="failed"}': RISING},
        {'holotable_commands_total{outcome="refused"}': RISING},
    ),
    "HolotableJobsLate": (
        {'holotable_jobs_oldest_seconds{task="table.watch"}': RISING},
        {'holotable_jobs_oldest_seconds{task="other"}': RISING},
    ),
    "HolotableTickerStopped": (
        {"holotable_ticker_last_tick_timestamp_seconds": EARLY},
        {"holotable_ticker_last_tick_timestamp_seconds": STEADY},
    ),
    "HolotableJobsDead": (
        {'holotable_jobs_dead{task="audit.run"}': "1x40"},
        {'holotable_jobs_dead{task="audit.run"}': "0x40"},
    ),
    "HolotableProjectionBehind": (
        {'holotable_projection_behind_seconds{projection="members"}': RISING},
        {'holotable_projection_behind_seconds{projection="members"}': "0 90 0 90 0 0+0x35"},
    ),
    "HolotableProjectionStopped": (
        {'holotable_projection_broken{projection="members"}': "1x40"},
        {'holotable_projection_broken{projection="members"}': "0x40"},
    ),
    "HolotableQuarantine": (
        {'holotable_quarantined{consumer="arming"}': "1x40"},
        {'holotable_quarantined{consumer="arming"}': "0x40"},
    ),
    "HolotableAuditFailed": (
        {"holotable_audits_failed": "1x40"},
        {"holotable_audits_failed": "0x40"},
    ),
    "HolotableNoAudit": (
        {
            "holotable_audit_last_passed_timestamp_seconds": "-200000x40",
            "holotable_leagues": "1x40",
        },
        {"holotable_audit_last_passed_timestamp_seconds": EARLY, "holotable_leagues": "1x40"},
    ),
    "HolotableBackupOld": (
        {"holotable_backup_last_timestamp_seconds": "-200000x40", "holotable_leagues": "1x40"},
        {"holotable_backup_last_timestamp_seconds": EARLY, "holotable_leagues": "1x40"},
    ),
    "HolotableNoSignedHead": (
        {"holotable_unsigned_seconds": RISING},
        {"holotable_unsigned_seconds": "60x40"},
    ),
    "HolotableSignerRefuses": (
        {'holotable_signatures_total{kind="head", outcome="refused"}': RISING},
        {'holotable_signatures_total{kind="head", outcome="signed"}': RISING},
    ),
    "HolotableMessagesWait": (
        {'holotable_outside_oldest_seconds{to="webhooks"}': "3600x40"},
        {'holotable_outside_oldest_seconds{to="webhooks"}': "60x40"},
    ),
    "HolotableOutage": (
        {"holotable_outage_last_timestamp_seconds": "0x35 2200x5"},
        {"holotable_outage_last_timestamp_seconds": EARLY},
    ),
    "HolotableMemory": (
        {'process_resident_memory_bytes{job="holotable"}': "2e9x40"},
        {'process_resident_memory_bytes{job="holotable"}': "2e8x40"},
    ),
    "HolotableDiskFull": (
        {DISK % "avail": "5x40", DISK % "size": "100x40"},
        {DISK % "avail": "50x40", DISK % "size": "100x40"},
    ),
}
"""For each alert, series at which it fires and similar ones at which it does not."""


def rules() -> list[dict[str, Any]]:
    """Return the alert rules."""
    (group,) = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def case(alert: dict[str, Any], series: dict[str, str], *, fires: bool) -> dict[str, Any]:
    """Return one of promtool's tests, which counts the alert's series that fire."""
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": it} for name, it in series.items()],
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname="{alert["alert"]}", alertstate="firing"}})',
                "eval_time": f"{MINUTES}m",
                "exp_samples": [{"labels": "{}", "value": 1}] if fires else [],
            }
        ],
    }


@needs_promtool
def test_each_alert_fires_when_it_should_and_only_then(tmp_path: Path) -> None:
    named = {each["alert"]: each for each in rules()}
    assert set(named) == set(CASES)
    tests = [
        case(named[name], series, fires=fires)
        for name, both in CASES.items()
        for series, fires in zip(both, (True, False), strict=True)
    ]
    file = tmp_path / "test.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": tests}), "utf-8")
    for command in (("check", "rules", str(RULES)), ("test", "rules", str(file))):
        ran = subprocess.run(("promtool", *command), capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_each_alert_asks_for_metrics_that_exist_and_has_its_line_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    known = {each.name for each in REGISTRY.collect()}
    for module in (tasks, projections):
        source = Path(str(module.__file__)).read_text("utf-8")
        known |= set(re.findall(r'"(holotable_\w+)"', source))
    known.add("holotable_database_up")
    for rule in rules():
        assert f"| `{rule['alert']}` |" in page
        for name in re.findall(r"\bholotable_\w+", rule["expr"]):
            assert re.sub(r"_(total|bucket)$", "", name) in known, name
    shown = re.findall(r"`(holotable_\w+)`", page)
    assert {re.sub(r"_total$", "", each) for each in shown} == {
        each for each in known if each.startswith("holotable_")
    }
