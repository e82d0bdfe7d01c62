"""A private certificate authority in front of GitHub and the models: one variable is enough for both."""

from pathlib import Path

import pytest

from gate.calls.providers.clients import trusted_certificates
from tests.e2e.action.example import PROMPT, REWORDED, SERVICE
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.pull_request import PullRequestWorld
from tests.support.tls import make_certificate, tls_front


def outcome(world: PullRequestWorld, models: ModelServer, folder: Path, variables: list[str]) -> ActionOutcome:
    world.commit_to_main({"gate.yaml": SERVICE})
    pr = world.open({PROMPT: REWORDED})
    checkout = pr.checkout("merge")
    key, certificate = make_certificate(folder)
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
