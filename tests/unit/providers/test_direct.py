"""A proxy's address may hold a password."""

import asyncio

import pytest

from gate.providers.base import Misconfigured
from gate.providers.direct import DirectWire
from gate.providers.wire import Broken

URL = "http://api.example.invalid/v1/messages"


@pytest.mark.parametrize("proxy", ["http://gate:s3cret@127.0.0.1:9", "gate:s3cret@127.0.0.1:9"])
def test_the_password_of_a_proxy_is_not_told(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    wire = DirectWire(URL, {}, 1)

    async def main() -> str:
        with pytest.raises(Broken) as broken:
            await wire.post(b"{}")
        await wire.close()
        return broken.value.reason

    assert "s3cret" not in asyncio.run(main())


def test_a_proxy_that_is_no_address_is_told_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://gate:s3cret@:x")
    with pytest.raises(Misconfigured, match="proxy") as told:
        DirectWire(URL, {}, 1)
    assert "s3cret" not in str(told.value)
