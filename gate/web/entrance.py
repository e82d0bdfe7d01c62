"""What somebody types about the way into a server."""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass

from gate.domain.people import Role
from gate.errors import GateError
from gate.web.oidc import Client, Service
from gate.web.site import Entrance

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Door:
    """The way in, as typed.

    Args:
        names: of the server.
        proxies: who is believed.
        plain_http: passwords are taken without TLS.
        oidc_issuer, oidc_client: the service where people log in, and what it calls this server; empty for none.
        oidc_role: of people whom the service alone knows; viewer when None.
        oidc_known_only: there are none.
    """

    names: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    plain_http: bool = False
    oidc_issuer: str = ""
    oidc_client: str = ""
    oidc_role: str | None = None
    oidc_known_only: bool = False


def entrance_of(door: Door, secret: Callable[[], str]) -> Entrance:
    """The way in.

    Args:
        door: as typed.
        secret: of this server with the service where people log in.

    Raises:
        GateError: what was typed does not go together.
    """
    proxies = tuple(map(network, door.proxies))
    if not door.oidc_issuer:
        if door.oidc_client or door.oidc_role or door.oidc_known_only:
            raise GateError("--oidc-… needs the service where people log in", "add --oidc-issuer URL")
        return Entrance(proxies=proxies, plain_http=door.plain_http)
    if not door.oidc_client:
        raise GateError("--oidc-issuer needs what the service calls this server", "add --oidc-client ID")
    if door.oidc_role and door.oidc_known_only:
        raise GateError("--oidc-role is for newcomers, and --oidc-known-only turns them away", "give one of the two")
    newcomers = None if door.oidc_known_only else Role[(door.oidc_role or "viewer").upper()]
    service = Service(Client(door.oidc_issuer, door.oidc_client, secret()))
    return Entrance(proxies=proxies, plain_http=door.plain_http, service=service, newcomers=newcomers)


def server_name(text: str) -> str:
    """A name that browsers call a server by, as they send it: without a port.

    Raises:
        GateError: it is none.
    """
    name = text.strip().lower().strip("[]")
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        pass
    if len(name) > 253 or not _NAME.fullmatch(name):
        hint = "the part of the address between https:// and the next slash or colon, as gate.example.org"
        raise GateError(f"--name {text!r} is no name of a server", hint)
    return name


def network(text: str) -> str:
    """The address of a proxy, or the network that its address is of.

    Raises:
        GateError: it is neither, or it is everybody.
    """
    try:
        found = ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise GateError(f"--proxy {text!r} is no address", "as 127.0.0.1 or 172.16.0.0/12") from None
    if found.prefixlen == 0:
        hint = "name the proxy: whoever is believed can say that a request came from anywhere"
        raise GateError(f"--proxy {text} believes everybody", hint)
    return str(found)
