"""The programs that read the files of ``deploy/`` accept them, and the files do as promised."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from service.base.settings import PREFIX, Settings, SignerSettings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
EXPOSED_AT_MOST = 2.0
"""The bound for ``systemd-analyze security``: 10 is an ordinary service, and 2 is "OK"."""

PROCESSES = {"api", "worker", "project", "bots", "signer"}


def program(name: str) -> str:
    """Return the path of a program, or skip the test that needs it."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(*command: str | Path) -> str:
    """Return what *command* printed. It must succeed."""
    done = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """The units with the ``holotable`` of this environment, and two instances of the template."""
    here = str(Path(sys.executable).parent / "holotable")
    for unit in (*UNITS, DEPLOY / "systemd" / "holotable.target"):
        text = unit.read_text().replace("/opt/holotable/bin/holotable", here)
        for port in ("8000", "8002") if "@" in unit.name else ("",):
            (tmp_path / unit.name.replace("@.", f"@{port}.")).write_text(text)
    return sorted(tmp_path.glob("*.service"))


def test_systemd_reads_every_unit_without_a_warning(units: list[Path]) -> None:
    folder = units[0].parent
    every = [*units, folder / "holotable.target"]
    said = run(program("systemd-analyze"), "verify", "--man=no", *every)
    # systemd also complains about units of the machine, which are not ours.
    assert [line for line in said.splitlines() if "holotable" in line] == []


def test_every_process_has_a_unit_that_sees_little_of_the_machine(units: list[Path]) -> None:
    """The bound is systemd's own score. Each process has a unit, and runs nothing else."""
    analyze = program("systemd-analyze")
    for unit in units:
        threshold = f"--threshold={round(EXPOSED_AT_MOST * 10)}"
        said = run(analyze, "security", "--offline=true", "--no-pager", threshold, unit)
        print(said.strip().splitlines()[-1])
    started = {re.findall(r"^ExecStart=\S+ (\w+)$", unit.read_text(), re.M)[0] for unit in units}
    assert started == PROCESSES


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_gives_settings_that_exist_and_no_secret(unit: Path) -> None:
    """Secrets are credentials: files that only this process can read."""
    text = unit.read_text()
    given = dict(re.findall(r"^Environment=(\w+)=(.*)$", text, re.M))
    _check_settings(given, "signer" in unit.name)
    loaded = set(re.findall(r"^LoadCredential=(\w+):", text, re.M))
    assert loaded == {each.removeprefix("%d/") for each in given.values() if "%d" in each}


def test_caddy_reads_its_file(tmp_path: Path) -> None:
    caddy = program("caddy")
    told = os.environ | {"HOLOTABLE_SITE": "league.example", "XDG_DATA_HOME": str(tmp_path)}
    told |= {"HOLOTABLE_API": "127.0.0.1:8000 127.0.0.1:8002", "XDG_CONFIG_HOME": str(tmp_path)}
    asked = [caddy, "validate", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile"]
    done = subprocess.run(asked, check=False, env=told, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Valid configuration" in done.stdout + done.stderr
    asked = [caddy, "fmt", DEPLOY / "Caddyfile"]
    assert run(*asked) == (DEPLOY / "Caddyfile").read_text()


@pytest.mark.parametrize("name", ["haproxy.cfg", "haproxy.cells.cfg"])
def test_haproxy_reads_its_file(name: str, tmp_path: Path) -> None:
    haproxy = program("haproxy")
    pem = tmp_path / "holotable.pem"
    key = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=league.example"]
    run(program("openssl"), "req", "-x509", *key, "-keyout", pem, "-out", tmp_path / "crt")
    pem.write_text(pem.read_text() + (tmp_path / "crt").read_text())
    (tmp_path / "cells.map").write_text("friday.league.example cell-1\n")
    text = (DEPLOY / name).read_text().replace("/etc/haproxy/holotable.pem", str(pem))
    text = text.replace("/etc/haproxy/cells.map", str(tmp_path / "cells.map"))
    (tmp_path / name).write_text(text)
    run(haproxy, "-c", "-f", tmp_path / name)


def compose() -> dict[str, dict[str, dict[str, object]]]:
    """Return the compose file, with the file for RabbitMQ merged as compose merges it."""
    first, second = (
        yaml.safe_load((DEPLOY / name).read_text())
        for name in ("compose.yaml", "compose.rabbitmq.yaml")
    )
    for part in ("services", "volumes", "secrets", "networks", "configs"):
        for name, its in second.get(part, {}).items():
            kept = first.setdefault(part, {}).setdefault(name, {})
            for key, value in its.items():
                if isinstance(value, dict):
                    kept[key] = (kept.get(key) or {}) | value
                elif isinstance(value, list):
                    kept[key] = [*kept.get(key, []), *value]
                else:
                    kept[key] = value
    return first


def test_compose_names_only_what_it_declares() -> None:
    """Compose would refuse the file, or make an empty folder in place of a secret."""
    told = compose()
    for name, service in told["services"].items():
        for part in ("secrets", "networks"):
            assert set(service.get(part, ())) <= set(told[part]), name
        mounted = {str(each).partition(":")[0] for each in service.get("volumes", ())}
        assert {each for each in mounted if not each.startswith("./")} <= set(told["volumes"]), name
        assert set(service.get("depends_on", {})) <= set(told["services"]), name
        for needed, how in service.get("depends_on", {}).items():
            if how["condition"] == "service_healthy":
                assert "healthcheck" in told["services"][needed], needed
    used = {each for its in told["services"].values() for each in its.get("secrets", ())}
    assert used == set(told["secrets"])


def test_each_container_runs_one_process_that_can_write_nothing_and_is_not_root() -> None:
    told = compose()["services"]
    ours = {name: its for name, its in told.items() if "HOLOTABLE_IMAGE" in str(its["image"])}
    assert {str(its["command"][0]) for name, its in ours.items() if name != "prepare"} == PROCESSES
    for name, its in ours.items():
        assert its["read_only"] is True, name
        assert its["cap_drop"] == ["ALL"], name
        assert not str(its["user"]).startswith("0"), name
        if name != "prepare":
            _check_settings(dict(its["environment"]), name == "signer")
            read = {
                Path(str(each)).name
                for each in its["environment"].values()
                if "/run/secrets" in str(each)
            }
            assert read <= set(its["secrets"]), name
            # The worker's list names both brokers. The worker reads one of them.
            assert set(its["secrets"]) - read <= {"holotable_broker"}, name
    assert set(told["caddy"]["networks"]) & set(told["api"]["networks"]) == {"front"}
    volumes = {
        str(each).partition(":")[2]
        for name, its in ours.items()
        for each in its.get("volumes", ())
        if name != "prepare"
    }
    image = (DEPLOY / "Containerfile").read_text()
    # A volume over a folder that is missing in the image would belong to root.
    [made] = re.findall(r"^RUN install -d -o 10001 -g 10001 -m 700 (.+)$", image, re.M)
    assert volumes == set(made.split())
    assert told["signer"]["networks"] == ["data"]


def test_prepare_of_compose_runs_commands_that_exist() -> None:
    (said,) = compose()["services"]["prepare"]["command"]
    assert set(re.findall(r"\bholotable (\w+)", str(said))) == {"signer", "prepare"}
    run("sh", "-n", "-c", str(said).replace("$$", "$"))


def test_the_image_has_every_folder_that_the_build_reads_and_no_root() -> None:
    """No container engine is used. The lines are compared with the folders."""
    text = (DEPLOY / "Containerfile").read_text()
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.M)
        for name in line.split()
    }
    assert all((ROOT / name).exists() for name in copied), copied
    build = (ROOT / "setup.py").read_text()
    wanted = {"engine", "service", *re.findall(r'": "([\w/]+)"', build)}
    assert wanted | {"pyproject.toml", "setup.py", "README.md", "LICENSE"} <= copied
    assert re.findall(r"^USER (\d+)", text, re.M) == ["10001"]
    assert re.findall(r'^ENTRYPOINT \["(\w+)"\]', text, re.M) == ["holotable"]


def test_the_constraints_of_the_image_are_the_locked_versions(tmp_path: Path) -> None:
    """The image's own line makes them from the lock."""
    line = re.findall(
        r"^RUN (sed .+) > /constraints.txt", (DEPLOY / "Containerfile").read_text(), re.M
    )
    done = subprocess.run(
        ["sh", "-c", line[0]], cwd=ROOT, check=True, capture_output=True, text=True
    )
    lines = [
        each for each in done.stdout.splitlines() if each and not each.lstrip().startswith("#")
    ]
    assert all(re.fullmatch(r"[\w.\[\]-]+==\S+( ; .+)?", each) for each in lines), lines
    assert any(each.startswith("litestar==") for each in lines)


def _check_settings(given: dict[str, object], signer: bool) -> None:
    kind = SignerSettings if signer else Settings
    known = {PREFIX + each.upper() for each in kind.__struct_fields__}
    secret = re.compile("KEY|TOKEN|URL_FILE|PASSWORD")
    for name in given:
        assert name.removesuffix("_FILE") in known, name
        if secret.search(name):
            assert name.endswith("_FILE"), name
