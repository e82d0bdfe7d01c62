"""Login settings from the environment: OpenID Connect or a reverse proxy."""

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import urlsplit

from gate.errors import GateError
from gate.store.access import EVERYBODY, GROUP, Members

ISSUER = "GATE_OIDC_ISSUER"
CLIENT_ID = "GATE_OIDC_CLIENT_ID"
CLIENT_SECRET = "GATE_OIDC_CLIENT_SECRET"  # noqa: S105
GROUPS_CLAIM = "GATE_OIDC_GROUPS_CLAIM"
SECRET_KEY = "GATE_SECRET_KEY"  # noqa: S105
HEADER = "GATE_PROXY_USER_HEADER"
ADDRESSES = "GATE_PROXY_ADDRESSES"
EDITORS = "GATE_EDITORS"
VIEWERS = "GATE_VIEWERS"

_OIDC = (ISSUER, CLIENT_ID, CLIENT_SECRET, SECRET_KEY)
_PROXY = (HEADER, ADDRESSES)
_KEY_CHARS = 32
_HEADER = re.compile(r"[A-Za-z0-9-]+")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
CHOICES = (
    f"OpenID Connect ({ISSUER}, {CLIENT_ID}, {CLIENT_SECRET}) or a reverse proxy "
    f"({HEADER}, {ADDRESSES}); see docs/how-to/serve-for-a-team.md"
)


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """A provider of OpenID Connect.

    Args:
        issuer: its address, as it names itself.
        secret_key: signs the session cookies.
        groups_claim: the claim of an ID token that lists a person's groups.
    """

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    secret_key: str = field(repr=False)
    groups_claim: str
    members: Members


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """A reverse proxy that logs people in."""

    header: str
    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]
    members: Members


TeamLogin: TypeAlias = OidcSettings | ProxySettings


def team_login_of(environ: Mapping[str, str] | None = None) -> TeamLogin | None:
    """Login settings; None if no login is set up.

    Raises:
        GateError: a variable is missing or unusable.
    """
    variables = os.environ if environ is None else environ
    found = {name: variables.get(name, "").strip() for name in (*_OIDC, *_PROXY, GROUPS_CLAIM, EDITORS, VIEWERS)}
    oidc = any(found[name] for name in (ISSUER, CLIENT_ID, CLIENT_SECRET))
    proxy = any(found[name] for name in _PROXY)
    if oidc and proxy:
        raise GateError(
            f"both OpenID Connect ({ISSUER}) and a proxy ({HEADER}) are set", "unset the variables of one of them"
        )
    if not oidc and not proxy:
        for name in (EDITORS, VIEWERS):
            if found[name]:
                raise GateError(f"{name} is set, but no login is set up", f"set up {CHOICES}")
        return None
    return _oidc(found) if oidc else _proxy(found)


def _oidc(found: Mapping[str, str]) -> OidcSettings:
    hints = {
        ISSUER: "the address of the provider, such as https://login.example.org",
        CLIENT_ID: "you get it when you register this server with the provider",
        CLIENT_SECRET: "you get it when you register this server with the provider",
        SECRET_KEY: "it signs the session cookies; create one: openssl rand -hex 32",
    }
    _need(found, hints, "for logins with OpenID Connect")
    if not _confidential(found[ISSUER]):
        raise GateError(f"{ISSUER} is {found[ISSUER]!r}, which is not an https address", hints[ISSUER])
    if len(found[SECRET_KEY]) < _KEY_CHARS:
        raise GateError(f"{SECRET_KEY} is shorter than {_KEY_CHARS} characters", "create one: openssl rand -hex 32")
    members = _members(found)
    for name, entry in _entries(found):
        if entry != EVERYBODY and not entry.startswith(GROUP) and "@" not in entry:
            hint = f"write ann@example.org for a person, @{entry} for a domain, or {GROUP}{entry} for a group"
            raise GateError(f"{name}: {entry!r} is neither an e-mail address nor a domain nor a group", hint)
    secrets = (found[CLIENT_SECRET], found[SECRET_KEY])
    return OidcSettings(found[ISSUER], found[CLIENT_ID], *secrets, found[GROUPS_CLAIM] or "groups", members)


def _proxy(found: Mapping[str, str]) -> ProxySettings:
    hints = {
        HEADER: "the header by which the proxy names the person, such as X-Forwarded-User",
        ADDRESSES: "the addresses or networks of the proxy, such as 127.0.0.1 or 172.30.51.0/24",
    }
    _need(found, hints, "for logins by a reverse proxy")
    if not _HEADER.fullmatch(found[HEADER]):
        raise GateError(f"{HEADER} is {found[HEADER]!r}, which is not the name of a header", hints[HEADER])
    members = _members(found)
    for name, entry in _entries(found):
        if entry.startswith(GROUP):
            raise GateError(
                f"{name}: {entry!r} is a group, which needs OpenID Connect",
                "a proxy does not report groups; list people instead",
            )
    return ProxySettings(found[HEADER], tuple(map(_network, _words(found[ADDRESSES]))), members)


def _need(found: Mapping[str, str], hints: Mapping[str, str], why: str) -> None:
    for name, hint in hints.items():
        if not found[name]:
            raise GateError(f"{name} is not set, but is required {why}", hint)


def _members(found: Mapping[str, str]) -> Members:
    members = Members(_words(found[EDITORS]), _words(found[VIEWERS]))
    if members == Members():
        hint = f"set {EDITORS} or {VIEWERS}: names, @example.org for a domain, or {EVERYBODY} for everyone who logs in"
        raise GateError("nobody has access to this server", hint)
    return members


def _entries(found: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name, entry) for name in (EDITORS, VIEWERS) for entry in _words(found[name])]


def _words(text: str) -> tuple[str, ...]:
    """Entries between commas; the name of a group may contain spaces."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        found = ipaddress.ip_network(text, strict=False)
    except ValueError:
        hint = "such as 127.0.0.1 or 172.30.51.0/24, with commas between several"
        raise GateError(f"{ADDRESSES}: {text!r} is not an address", hint) from None
    if found.prefixlen == 0:
        raise GateError(
            f"{ADDRESSES}: {text} allows every address, so anyone could pose as any user",
            "enter the addresses of the proxy",
        )
    return found


def _confidential(address: str) -> bool:
    """Is the connection encrypted, or to this machine?"""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )
