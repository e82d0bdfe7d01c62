"""Proxies and certificates of the environment, as the SDKs read them."""

import asyncio
import ssl
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest

from gate.calls.endpoints import Endpoints
from gate.calls.interface import Completion, Misconfigured, RejectedRequest, Transient
from gate.calls.providers.clients import trusted_certificates
from tests.contract.providers.subjects import MODELS, OPENAI_KEY, Subject
from tests.support.keys import service_keys
from tests.support.model_server import ModelServer

REMOTE = pytest.mark.parametrize("name", ["openai", "anthropic"])


def ask(name: str, url: str) -> Completion:
    subject = Subject(MODELS[name], url)
    return subject.use(lambda provider: provider.complete(subject.request()))


@REMOTE
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of aiohttp, about the transport of the SDKs
def test_a_proxy_is_shown_its_login_and_nobody_else(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    heads: list[str] = []

    async def main() -> str:
        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
            port = proxy.sockets[0].getsockname()[1]
            monkeypatch.setenv("https_proxy", f"http://gate:s3cr%2Fet@127.0.0.1:{port}")
            with pytest.raises((Transient, RejectedRequest, Misconfigured)) as caught:
                await asyncio.to_thread(ask, name, "https://api.example.invalid")
            print(repr(caught.value))
            return f"{caught.value!r} {caught.value}"

    said = asyncio.run(main())
    assert f"Proxy-Authorization: Basic {b64encode(b'gate:s3cr/et').decode()}" in heads[0]
    assert "407" in said and "s3cr" not in said


@REMOTE
def test_a_proxy_that_is_no_address(monkeypatch: pytest.MonkeyPatch, server: ModelServer, name: str) -> None:
    monkeypatch.setenv("http_proxy", "http://gate:s3cret@:x")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(Misconfigured, match="proxy") as caught:
        ask(name, server.url)
    assert "s3cret" not in f"{caught.value} {caught.value.hint}"


@REMOTE
def test_certificates_that_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    path = tmp_path / "ca.pem"
    path.write_text("no certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    trusted_certificates.cache_clear()
    with pytest.raises(Misconfigured, match="SSL_CERT_FILE"):
        ask(name, "https://api.example.invalid")


@REMOTE
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of aiohttp, about the transport of the SDKs
def test_a_server_whose_certificate_nobody_vouches_for(tmp_path: Path, name: str) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    asked = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    asked += ["-days", "1", "-subj", "/CN=localhost"]
    asked += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(asked, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    connections: list[asyncio.StreamReader] = []

    async def main() -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.append(reader)
            writer.close()

        async with await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(Transient, match="CERTIFICATE_VERIFY_FAILED"):
                await asyncio.to_thread(ask, name, f"https://localhost:{port}")

    asyncio.run(main())
    assert connections == []


def test_a_key_does_not_show() -> None:
    endpoint = Endpoints(service_keys(OPENAI_KEY), 1).endpoint(MODELS["openai"])
    assert endpoint.api_key == OPENAI_KEY
    assert OPENAI_KEY not in repr(endpoint)
