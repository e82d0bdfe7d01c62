"""A proxy's address may hold a name and a password, which the proxy is told and nobody else."""

import asyncio
from base64 import b64encode
from urllib.parse import unquote

import pytest

from gate.providers.base import Misconfigured
from gate.providers.direct import DirectWire
from gate.providers.wire import Broken

PASSWORDS = ["s3cret", "s3cr%2fet", "s3cr%2Fet", "s3cr%c3%a9t", "s3%41cr%2cet", "s3cr\u00e9t", "s3cr%40et"]


def asked(url: str, monkeypatch: pytest.MonkeyPatch, proxy: str) -> tuple[str, bytes]:
    """What is told of a proxy that refuses, and the head of the request that it got."""

    async def main() -> tuple[str, bytes]:
        heads: list[bytes] = []

        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            for name in ("http_proxy", "https_proxy"):
                monkeypatch.setenv(name, f"http://{proxy}@127.0.0.1:{port}")
            wire = DirectWire(url, {}, 1)
            try:
                raw = await wire.post(b"{}")
                told = f"{raw.status} {dict(raw.headers)} {raw.body!r}"
            except Broken as broken:
                told = broken.reason
            await wire.close()
            return told, heads[0]

    return asyncio.run(main())


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("password", PASSWORDS)
def test_the_login_is_sent_to_the_proxy_and_told_to_nobody(
    monkeypatch: pytest.MonkeyPatch, scheme: str, password: str
) -> None:
    told, head = asked(f"{scheme}://api.example.invalid/v1/messages", monkeypatch, f"t%2foken:{password}")
    sent = b64encode(f"t/oken:{unquote(password)}".encode()).decode()
    assert f"Proxy-Authorization: Basic {sent}\r\n" in head.decode()
    assert "407" in told
    assert not any(word in told.lower() for word in ("s3", "oken", "@"))


def test_a_proxy_that_cannot_be_reached_is_told_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "gate:s3cret@127.0.0.1:9")
    wire = DirectWire("http://api.example.invalid/v1/messages", {}, 1)

    async def main() -> str:
        with pytest.raises(Broken) as broken:
            await wire.post(b"{}")
        await wire.close()
        return broken.value.reason

    assert "s3cret" not in asyncio.run(main())


def test_a_proxy_that_is_no_address_is_told_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://gate:s3cret@:x")
    with pytest.raises(Misconfigured, match="proxy") as told:
        DirectWire("http://api.example.invalid/v1/messages", {}, 1)
    assert "s3cret" not in str(told.value)
