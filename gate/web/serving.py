"""Answers requests until somebody ends it."""

import asyncio
import ipaddress
import socket
from dataclasses import dataclass

import uvicorn

from gate.errors import GateError
from gate.web.app import create_app
from gate.web.daily import each_day
from gate.web.logs import hearing
from gate.web.site import Site


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens.

    Args:
        host: an address of this machine.
        port: 0 lets the machine choose.
    """

    host: str = "127.0.0.1"
    port: int = 8765

    @property
    def loopback(self) -> bool:
        """Nobody on another machine can reach it."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


class _Server(uvicorn.Server):
    """Ends its jobs before it waits for those who watch them."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._site.jobs is not None:
            await asyncio.to_thread(self._site.jobs.close)
        await super().shutdown(sockets)


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that has its port, and answers once it is run."""

    door: socket.socket
    site: Site

    @property
    def url(self) -> str:
        """For a browser on this machine."""
        host, port = self.door.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    def run(self) -> None:
        """Answer until a signal ends it; requests under way are finished first."""
        config = uvicorn.Config(create_app(self.site), log_config=None, access_log=False, server_header=False)
        config.proxy_headers = False  # The application itself knows whom to believe.
        config.timeout_graceful_shutdown = 10
        with each_day(self.site), hearing(self.site.log, self.site.now):
            _Server(config, self.site).run(sockets=[self.door])


def listen(site: Site, address: Address) -> Listening:
    """Take the port.

    Args:
        site: to be served.
        address: where.

    Raises:
        GateError: somebody else has it, or the address is not of this machine; or others could reach a site that asks
            nobody who they are.
    """
    if site.mode == "local" and not address.loopback:
        message = f"{address.host} can be reached from other machines, and this interface asks nobody who they are"
        raise GateError(message, "leave --host out")
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return Listening(socket.create_server((address.host, address.port), family=family, backlog=128), site)
    except OSError as error:
        hint = "choose another one with --port; 0 takes any that is free"
        raise GateError(f"cannot listen on {address.host}:{address.port}: {error.strerror}", hint) from None
