"""`gate serve` starts where only this machine reaches it, or where people log in; else it says what is missing."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from gate import __main__
from tests.support import forked
from tests.support.command import environment, gate

OIDC = {
    "GATE_OIDC_ISSUER": "https://login.example.org",
    "GATE_OIDC_CLIENT_ID": "prompt-gate",
    "GATE_OIDC_CLIENT_SECRET": "s3cret",
    "GATE_SECRET_KEY": "k" * 32,
    "GATE_EDITORS": "@example.org",
}
PROXY = {"GATE_PROXY_USER_HEADER": "X-Forwarded-User", "GATE_PROXY_ADDRESSES": "127.0.0.1", "GATE_EDITORS": "*"}
OPEN = ("--host", "0.0.0.0")


def without(name: str, variables: dict[str, str]) -> dict[str, str]:
    return {known: value for known, value in variables.items() if known != name}


@pytest.mark.threat("web-no-login")
@pytest.mark.parametrize(
    ("arguments", "variables", "said"),
    [
        (OPEN, {}, ("no login is set up", "GATE_OIDC_ISSUER", "GATE_PROXY_USER_HEADER")),
        (OPEN, OIDC, ("--url https://gate.example.org",)),
        (("--url", "https://gate.example.org"), {}, ("GATE_OIDC_ISSUER", "GATE_PROXY_USER_HEADER")),
        (("--url", "https://gate.example.org/below"), PROXY, ("not the address of a server",)),
        *(((), without(name, OIDC), (f"{name} is not set",)) for name in list(OIDC)[1:4]),
        ((), without("GATE_EDITORS", OIDC), ("GATE_EDITORS or GATE_VIEWERS",)),
        ((), OIDC | {"GATE_OIDC_ISSUER": "http://login.example.org"}, ("not an https address",)),
        ((), OIDC | {"GATE_SECRET_KEY": "k" * 31}, ("GATE_SECRET_KEY", "openssl rand -hex 32")),
        ((), OIDC | {"GATE_VIEWERS": "example.org"}, ("GATE_VIEWERS", "@example.org")),
        ((), OIDC | PROXY, ("both OpenID Connect (GATE_OIDC_ISSUER)",)),
        ((), PROXY | {"GATE_PROXY_ADDRESSES": "127.0.0.1, proxy"}, ("'proxy' is not an address",)),
        ((), PROXY | {"GATE_PROXY_ADDRESSES": "0.0.0.0/0"}, ("every address",)),
        ((), PROXY | {"GATE_PROXY_USER_HEADER": "X User"}, ("not the name of a header",)),
        ((), PROXY | {"GATE_EDITORS": "group:prompts"}, ("needs OpenID Connect",)),
        ((), {"GATE_EDITORS": "ann"}, ("no login is set up",)),
    ],
)
def test_a_server_that_would_be_open_or_useless_does_not_start(
    tmp_path: Path, arguments: tuple[str, ...], variables: dict[str, str], said: tuple[str, ...]
) -> None:
    outcome = gate("serve", "--port", "0", *arguments, cwd=tmp_path, env=variables)
    assert outcome.code == 2, outcome.err
    assert all(words in outcome.err for words in said), outcome.err
    assert "s3cret" not in outcome.err


@contextmanager
def serving(folder: Path, variables: dict[str, str], *arguments: str) -> Iterator[str]:
    """The address at which a server says that it answers."""
    words = [forked.python(folder), __main__.__file__, "serve", "--port", "0", *arguments]
    env = environment(folder, variables)
    with subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        said = process.stdout.readline().decode()
        try:
            yield f"http://127.0.0.1:{re.findall(r'http://[0-9.]+:([0-9]+)/', said)[0]}/"
        finally:
            process.terminate()


def test_a_proxy_on_this_machine_logs_people_in(tmp_path: Path) -> None:
    url = ("--url", "https://gate.example.org")
    with serving(tmp_path, PROXY, *url, "--host", "0.0.0.0") as address:
        host = {"host": "gate.example.org"}
        named = httpx2.get(address, headers={**host, "x-forwarded-user": "ann"})
        assert (named.status_code, "ann" in named.text) == (200, True)
        assert httpx2.get(address, headers=host).status_code == 403
        assert httpx2.get(address, headers={"x-forwarded-user": "ann", "host": "evil.example"}).status_code == 400
