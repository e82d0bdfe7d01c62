"""Certificates are loaded once, where they are needed."""

import ssl
import subprocess
import sys

import pytest

from gate.providers.certificates import none_loaded, system_context


def held(context: ssl.SSLContext) -> int:
    return context.cert_store_stats()["x509_ca"]


def test_contexts_made_meanwhile_trust_nobody_and_later_ones_the_system() -> None:
    before = held(ssl.create_default_context())
    with none_loaded():
        during = ssl.create_default_context()
    assert held(during) == 0
    assert during.verify_mode is ssl.CERT_REQUIRED
    assert during.check_hostname
    assert held(ssl.create_default_context()) == before


def test_a_failed_import_leaves_certificates_as_they_were() -> None:
    before = held(ssl.create_default_context())
    with pytest.raises(ImportError), none_loaded():
        raise ImportError
    assert held(ssl.create_default_context()) == before


def test_connections_trust_somebody() -> None:
    context = system_context()
    assert held(context) > 0
    assert context.verify_mode is ssl.CERT_REQUIRED


def test_importing_what_sends_requests_loads_no_certificates() -> None:
    code = (
        "import gc, ssl\n"
        "import gate.providers.direct\n"
        "made = [found for found in gc.get_objects() if isinstance(found, ssl.SSLContext)]\n"
        "print(len(made) > 0, sum(found.cert_store_stats()['x509'] for found in made))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # Once aiohttp makes no contexts when it is imported, `none_loaded` can go.
    assert done.stdout.split() == ["True", "0"]
