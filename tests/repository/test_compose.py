"""`compose.yaml` is valid, has no password, and gives its services only the rights that they need."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click import Command, Group
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from gate.cli.app import cli
from gate.web import login_settings
from gate.web.app import host_name_of

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "compose.yaml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = YAML(typ="safe").load(TEXT)
SERVICES: dict[str, Any] = COMPOSE["services"]
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")


def test_the_file_matches_the_compose_schema() -> None:
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text("utf-8"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(COMPOSE)] == []


@pytest.mark.threat("web-compose")
def test_required_variables_have_no_default_and_all_are_in_the_example() -> None:
    used = dict.fromkeys(re.findall(r"\$\{([A-Z_]+)([:?-]*)", TEXT))
    required = {name for name, sign in used if sign == ":?"}
    assert required == {"POSTGRES_PASSWORD", "GATE_NAME"}
    assert {name for name, _ in used} == set(re.findall(r"^([A-Z_]+)=", EXAMPLE, re.MULTILINE))
    for name in required:
        assert f"\n{name}=\n" in EXAMPLE
    assert ".env" in (ROOT / ".gitignore").read_text(encoding="utf-8").split()


@pytest.mark.threat("web-compose")
@pytest.mark.parametrize("name", SERVICES)
def test_each_service_has_minimal_rights(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert not service.keys() & {"cap_add", "privileged", "devices", "network_mode", "pid"}
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].partition(":")[0] not in ("root", "0", "")
    assert service["healthcheck"]["test"][0] == "CMD"
    assert "docker.sock" not in json.dumps(service)


def test_the_server_listens_locally_and_the_database_has_no_port() -> None:
    assert "ports" not in SERVICES["database"]
    assert SERVICES["database"]["networks"] == ["store"]
    assert COMPOSE["networks"]["store"]["internal"] is True
    assert [port.startswith("127.0.0.1:") for port in SERVICES["gate"]["ports"]] == [True]


def test_the_database_has_a_volume_and_a_fixed_major_version() -> None:
    database = SERVICES["database"]
    assert re.fullmatch(r"docker\.io/library/postgres:17(-\w+)?", database["image"])
    (volume,) = database["volumes"]
    kept, _, path = volume.partition(":")
    assert kept in COMPOSE["volumes"]
    assert database["environment"]["PGDATA"].startswith(path)


def parsed(words: list[str]) -> dict[str, Any]:
    """The options of a command line, parsed by the program without running it."""
    command: Command = cli
    while isinstance(command, Group):
        command, words = command.commands[words[0]], words[1:]
    return command.make_context("gate", words).params


def test_the_server_command_has_valid_options() -> None:
    gate = SERVICES["gate"]
    assert gate["entrypoint"][-1].endswith("/gate")
    said = parsed([re.sub(r"\$\{GATE_NAME:[^}]*\}", "gate.example.org", word) for word in gate["command"]])
    assert (said["host"], host_name_of(said["url"])) == ("0.0.0.0", "gate.example.org")  # noqa: S104
    assert gate["ports"][0].endswith(f":{said['port']}")
    assert f":{said['port']}/readyz" in gate["healthcheck"]["test"][-1]


def test_every_login_variable_is_passed_to_the_server() -> None:
    named = {value for value in vars(login_settings).values() if isinstance(value, str) and value.startswith("GATE_")}
    assert named - {login_settings.GROUPS_CLAIM} <= SERVICES["gate"]["environment"].keys()
    (front,) = COMPOSE["networks"]["front"]["ipam"]["config"]
    assert front["gateway"] in EXAMPLE and front["gateway"] in (ROOT / "docs/how-to/run-the-server.md").read_text()
    empty = {name: "" for name in named}
    proxied = {
        login_settings.HEADER: "X-Forwarded-User",
        login_settings.ADDRESSES: front["gateway"],
        login_settings.EDITORS: "*",
    }
    assert isinstance(login_settings.team_login_of(empty | proxied), login_settings.ProxySettings)


@pytest.mark.parametrize("name", ["run-the-server", "serve-for-a-team"])
def test_the_pages_show_valid_commands_and_link_each_other(name: str) -> None:
    text = (ROOT / f"docs/how-to/{name}.md").read_text(encoding="utf-8")
    for line in re.findall(r"^gate (serve .*?)(?:\s+#.*)?$", text, re.MULTILINE):
        parsed(line.split())
    other = {"run-the-server": "serve-for-a-team", "serve-for-a-team": "run-the-server"}[name]
    assert f"({other}.md" in text
