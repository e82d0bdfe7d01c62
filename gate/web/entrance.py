"""What somebody types about the way into a server."""

import ipaddress
import re

from gate.errors import GateError

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


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
