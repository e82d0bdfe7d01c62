"""Connections trust somebody, and who names nobody is told so."""

import ssl
from pathlib import Path

import pytest

from gate.providers.base import Misconfigured
from gate.providers.certificates import system_context


def test_connections_trust_somebody() -> None:
    context = system_context()
    assert context.cert_store_stats()["x509_ca"] > 0
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_file_without_certificates_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with pytest.raises(Misconfigured, match="SSL_CERT_FILE"):
        system_context()
