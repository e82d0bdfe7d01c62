"""Login for a team: OpenID Connect, or the header of a reverse proxy."""

import ipaddress
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.types import Scope

from gate.config.values import value_complaint
from gate.store.access import STRANGER, Person, Role
from gate.store.sql.access import Sessions
from gate.web.login_settings import OidcSettings, ProxySettings, TeamLogin

if TYPE_CHECKING:
    from authlib.integrations.starlette_client import StarletteOAuth2App

SESSION = "prompt-gate"
SESSION_S = 12 * 3600
"""Lifetime of a session, unless the person logs out earlier."""
SIGNATURES = frozenset("RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA".split())
"""Algorithms with which a provider may sign an ID token: those with a public key."""
_ALGORITHMS = "id_token_signing_alg_values_supported"
_PERSON = "person"
_ID = "id"
_NAME_CHARS = 200
_TIMEOUT_S = 10


class Oidc:
    """Logs people in with OpenID Connect. A signed cookie has the person; the store has the ids of open sessions."""

    def __init__(self, settings: OidcSettings) -> None:
        self.settings = settings

    @property
    def provider(self) -> str:
        """The name of the provider on a page."""
        return urlsplit(self.settings.issuer).hostname or self.settings.issuer

    @cached_property
    def client(self) -> "StarletteOAuth2App":
        """authlib: code flow with PKCE, state and nonce; it checks the signature and the claims of the ID token."""
        import httpx2
        from authlib.integrations.starlette_client import OAuth

        settings = self.settings
        return OAuth().register(
            "oidc",
            client_id=settings.client_id,
            client_secret=settings.client_secret,
            server_metadata_url=f"{settings.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid email profile",
                "code_challenge_method": "S256",
                "timeout": _TIMEOUT_S,
                # Each login would load all certificates twice.
                "verify": httpx2.create_ssl_context(),
            },
        )

    def person(self, request: Request, sessions: Sessions, now: datetime) -> Person:
        """The person of the session, if it is open, with the role from the current lists."""
        kept, id = request.session.get(_PERSON), request.session.get(_ID)
        if kept is None or id is None or not sessions.is_open(id, now):
            return STRANGER
        role = self.settings.members.role(kept["email"], kept["groups"])
        return STRANGER if role is Role.NOBODY else Person(kept["name"], role)

    async def redirect(self, request: Request, back: str) -> Any:
        """Send the browser to the provider, which sends it back to `back`."""
        metadata = await self.client.load_server_metadata()
        more = {"scope": "openid email profile groups"} if "groups" in metadata.get("scopes_supported", ()) else {}
        return await self.client.authorize_redirect(request, back, **more)

    async def begin(self, request: Request, sessions: Sessions, now: datetime) -> Person:
        """Start the session of a person who returns from the provider, unless the person has no access.

        Raises:
            Exception: the provider's answer is invalid; authlib and its parts have many kinds.
        """
        settings = self.settings
        options = {
            "iss": {"essential": True, "value": settings.issuer},
            "aud": {"essential": True, "value": settings.client_id},
        }
        metadata = await self.client.load_server_metadata()
        # authlib accepts every algorithm that the provider lists, also "none".
        metadata[_ALGORITHMS] = [one for one in metadata.get(_ALGORITHMS) or () if one in SIGNATURES]
        token = await self.client.authorize_access_token(request, claims_options=options)
        # Drop the session of a previous person.
        request.session.clear()
        kept = _kept(token["userinfo"], settings)
        role = settings.members.role(kept["email"], kept["groups"])
        if role is not Role.NOBODY:
            request.session[_ID] = await run_sync(sessions.begin, now, SESSION_S)
            request.session[_PERSON] = kept
        return Person(kept["name"], role)

    def end(self, request: Request, sessions: Sessions) -> None:
        """End the session, also for a copy of the cookie."""
        sessions.end(request.session[_ID])
        request.session.clear()


def _kept(claims: Mapping[str, Any], settings: OidcSettings) -> dict[str, Any]:
    """A person's data for the session: without an unverified e-mail address, and short, for a cookie."""
    email = _text(claims, "email") if claims.get("email_verified") is True else ""
    # Not the claim `name`: people choose it themselves, and the history would show it.
    name = email or _text(claims, "preferred_username") or _text(claims, "sub")
    given = claims.get(settings.groups_claim)
    groups = [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
    return {"name": name, "email": email, "groups": settings.members.known_groups(groups)}


def _text(claims: Mapping[str, Any], name: str) -> str:
    found = claims.get(name)
    return "" if not isinstance(found, str) or value_complaint(found) else found[:_NAME_CHARS]


class TrustedProxy:
    """Trusts a header, in requests from the addresses of a proxy only."""

    def __init__(self, settings: ProxySettings) -> None:
        self.settings = settings

    def person(self, request: Request) -> Person:
        """The person; nobody unless the proxy names exactly one."""
        given = request.headers.getlist(self.settings.header)
        if len(given) != 1:
            return STRANGER
        name = given[0].strip().encode("latin-1").decode("utf-8", "replace")
        if value_complaint(name):
            return STRANGER
        return Person(name, self.settings.members.role(name))

    def sent(self, scope: Scope) -> bool:
        """Did the proxy itself send a request?"""
        client = scope.get("client")
        try:
            address = ipaddress.ip_address(client[0] if client else "")
        except ValueError:
            return False
        plain = getattr(address, "ipv4_mapped", None) or address
        return any(plain in network for network in self.settings.networks)


Login: TypeAlias = Oidc | TrustedProxy


def login_of(settings: TeamLogin) -> Login:
    """The login for settings."""
    return Oidc(settings) if isinstance(settings, OidcSettings) else TrustedProxy(settings)
