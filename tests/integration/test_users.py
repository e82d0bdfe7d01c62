"""`gate users` and the start of `gate serve --accounts`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gate.domain.people import EventFilter, Role
from gate.domain.stored_suite import Page
from gate.errors import GateError
from gate.settings.storage import secret_key
from gate.store.sql.audit import Audit
from gate.store.sql.engine import Database
from gate.web.entrance import Door, entrance_of, network, server_name
from tests.support.command import gate


def test_accounts_from_the_first_to_the_last(tmp_path: Path) -> None:
    first = gate("users", "add", "Ann", "--role", "admin", "--invite", cwd=tmp_path).out.split()[-1]
    bob = gate("users", "add", "Bob", "--invite", cwd=tmp_path)
    assert bob.out.split()[-1] != first
    assert gate("users", "role", "bob", "editor", cwd=tmp_path).out == "Bob: editor\n"
    last = gate("users", "disable", "Ann", cwd=tmp_path)
    assert (last.code, "the last admin" in last.err) == (2, True)
    assert gate("users", "disable", "Bob", cwd=tmp_path).code == 0
    found = json.loads(gate("users", "list", "--json", cwd=tmp_path).out)
    told = [(one["name"], one["role"], one["disabled"], one["must_change_password"]) for one in found]
    assert told == [("Ann", "admin", False, True), ("Bob", "editor", True, True)]
    unknown = gate("users", "enable", "Eve", cwd=tmp_path)
    assert (unknown.code, "no account 'Eve'" in unknown.err) == (2, True)
    database = Database.of_file(tmp_path / ".gate" / "gate.db")
    events = Audit(database).events(EventFilter(), Page())
    database.close()
    assert [one.event.what for one in reversed(events)] == [
        *("account-made", "account-made", "role-changed", "account-disabled")
    ]
    assert {one.by.where for one in events} == {"command line"}
    assert first not in "".join(one.event.about for one in events)


def test_a_name_that_somebody_has_is_told_before_a_password_is_asked(tmp_path: Path) -> None:
    gate("users", "add", "Ann", "--invite", cwd=tmp_path)
    again = gate("users", "add", "ANN", cwd=tmp_path)
    assert (again.code, "an account 'ANN' already" in again.err) == (2, True), again.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--accounts",), "gate users add NAME --role admin"),
        (("--accounts", "--host", "0.0.0.0"), "--name gate.example.org"),
        (("--accounts", "--proxy", "everybody"), "is no address"),
        (("--accounts", "--name", "https://gate.example.org"), "no name of a server"),
        (("--name", "gate.example.org"), "add --accounts"),
        (("--accounts", "--oidc-issuer", "https://login.example.org", "--oidc-client", "gate"), "GATE_OIDC_SECRET"),
        (("--host", "0.0.0.0"), "asks nobody who they are"),
    ],
)
def test_a_server_that_would_be_open_or_useless_does_not_start(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    outcome = gate("serve", "--port", "0", *arguments, cwd=tmp_path)
    assert (outcome.code, told in outcome.err) == (3 if "SECRET" in told else 2, True), outcome.err


def test_what_is_typed_of_another_service_goes_together() -> None:
    whole = Door(oidc_issuer="https://login.example.org", oidc_client="gate")
    found = entrance_of(whole, lambda: "s3cret")
    assert found.service is not None and found.service.client.secret == "s3cret"
    assert found.newcomers is Role.VIEWER
    assert entrance_of(replace(whole, oidc_role="editor"), str).newcomers is Role.EDITOR
    assert entrance_of(replace(whole, oidc_known_only=True), str).newcomers is None
    assert entrance_of(Door(proxies=("127.0.0.1",)), str).service is None
    for wrong in (
        *(replace(whole, oidc_client=""), replace(whole, oidc_role="editor", oidc_known_only=True)),
        *(Door(oidc_client="gate"), Door(oidc_known_only=True), replace(whole, oidc_issuer="http://login.example.org")),
    ):
        with pytest.raises(GateError, match="--oidc"):
            entrance_of(wrong, str)


def test_names_and_networks_as_people_type_them() -> None:
    assert server_name(" Gate.Example.org ") == "gate.example.org"
    assert server_name("[::1]") == server_name("::1") == "::1"
    for wrong in ("", "gate.example.org:443", "a/b", "a b", "*", ".a", "x" * 254, "ä.example"):
        with pytest.raises(GateError, match="--name"):
            server_name(wrong)
    assert network("172.18.0.1/16") == "172.18.0.0/16"
    assert network("::1") == "::1/128"
    for wrong in ("", "*", "0.0.0.0/0", "::/0", "proxy", "127.0.0.1,10.0.0.1"):
        with pytest.raises(GateError, match="--proxy"):
            network(wrong)


def test_the_key_of_forms_is_a_secret_or_none() -> None:
    assert secret_key({}) is secret_key({"GATE_SECRET_KEY": ""}) is None
    assert secret_key({"GATE_SECRET_KEY": "k" * 32}) == b"k" * 32
    with pytest.raises(GateError, match="GATE_SECRET_KEY"):
        secret_key({"GATE_SECRET_KEY": "k" * 31})
