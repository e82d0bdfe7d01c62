"""A private certificate authority in front of GitHub and the models: one variable is enough for both."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gate.calls.providers.clients import trusted_certificates
from tests.e2e.action.example import PROMPT, REWORDED, SERVICE
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.pull_request import PullRequestWorld
from tests.support.tls import make_certificate, tls_front


def outcome(
    world: PullRequestWorld, models: ModelServer, folder: Path, variables: list[str], address: str = "127.0.0.1"
) -> ActionOutcome:
    world.commit_to_main({"gate.yaml": SERVICE})
    pr = world.open({PROMPT: REWORDED})
    checkout = pr.checkout("merge")
    key, certificate = make_certificate(folder, address)
    # A process reads them once.
    trusted_certificates.cache_clear()
    with tls_front(world.server.url, key, certificate) as github, tls_front(models.url, key, certificate) as service:
        env = pr.environment(checkout) | {"GITHUB_API_URL": github, "OPENAI_BASE_URL": f"{service}/v1"}
        env |= {"OPENAI_API_KEY": "x", **dict.fromkeys(variables, str(certificate))}
        return run_action(checkout, env)


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_one_variable_is_enough(
    world: PullRequestWorld, server: GitHubServer, models: ModelServer, tmp_path: Path, variable: str
) -> None:
    done = outcome(world, models, tmp_path, [variable])
    assert (done.code, len(server.comments("acme/support-bot", 7))) == (0, 1), done.out
    assert done.outputs["calls"] != "0"


def test_the_error_names_the_certificate(world: PullRequestWorld, models: ModelServer, tmp_path: Path) -> None:
    done = outcome(world, models, tmp_path, [])
    said = " ".join(done.out.split())
    assert done.code == 3
    assert "its certificate is not trusted: self-signed certificate; set SSL_CERT_FILE" in said
    assert "SSLError" not in said


def test_a_certificate_of_another_host_is_no_matter_of_the_issuer(
    world: PullRequestWorld, models: ModelServer, tmp_path: Path
) -> None:
    done = outcome(world, models, tmp_path, ["SSL_CERT_FILE"], "127.0.0.2")
    said = " ".join(done.out.split())
    assert "its certificate is not trusted: IP address mismatch" in said
    assert "set SSL_CERT_FILE" not in said


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
@pytest.mark.parametrize("text", [None, "no certificate\n"])
def test_a_file_without_certificates_is_named(
    world: PullRequestWorld, models: ModelServer, tmp_path: Path, variable: str, text: str | None
) -> None:
    world.commit_to_main({"gate.yaml": SERVICE})
    pr = world.open({PROMPT: REWORDED})
    checkout = pr.checkout("merge")
    place = tmp_path / "private.pem"
    if text is not None:
        place.write_text(text)
    trusted_certificates.cache_clear()
    key, certificate = make_certificate(tmp_path)
    with tls_front(world.server.url, key, certificate) as github, tls_front(models.url, key, certificate) as service:
        env = pr.environment(checkout) | {"GITHUB_API_URL": github, "OPENAI_BASE_URL": f"{service}/v1"}
        done = run_action(checkout, env | {"OPENAI_API_KEY": "x", variable: str(place)})
    assert done.code == 3
    said = "".join(done.out.split())
    assert "OSError" not in said and "SSLError" not in said
    assert str(place) in said or "SSL_CERT_FILE" in said


TRUSTED = """
import os, ssl
import httpx2
from gate.environment.certificates import share_certificates
share_certificates()
bundle = os.environ["REQUESTS_CA_BUNDLE"]
for context in (ssl.create_default_context(cafile=bundle), httpx2.create_ssl_context()):
    names = [dict(part[0] for part in one["subject"]).get("commonName", "") for one in context.get_ca_certs()]
    print("127.0.0.1" in names, len(names) > 50)
"""


@pytest.mark.parametrize(
    ("variable", "kind", "trusted"),
    [
        ("SSL_CERT_FILE", "file", ["True True", "True False"]),
        ("SSL_CERT_DIR", "folder", ["True True", "False False"]),  # a folder is only searched when it is needed
        ("REQUESTS_CA_BUNDLE", "file", ["True False", "True True"]),
        ("CURL_CA_BUNDLE", "file", None),
    ],
)
def test_the_other_client_still_trusts_public_services(
    tmp_path: Path, variable: str, kind: str, trusted: list[str] | None
) -> None:
    _, certificate = make_certificate(tmp_path)
    place = certificate if kind == "file" else tmp_path
    env = {
        name: text for name, text in os.environ.items() if not name.endswith(("_CA_BUNDLE", "CERT_FILE", "CERT_DIR"))
    }
    script = TRUSTED if trusted else TRUSTED.replace("REQUESTS_CA", "CURL_CA")
    done = subprocess.run(
        [sys.executable, "-c", script], env={**env, variable: str(place)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == (trusted or ["True False", "True True"])
