"""OpenID Connect: another service says who somebody is; the code flow with PKCE, state and nonce."""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry

from gate.errors import GateError
from gate.store.sql.outside import Identity
from gate.web.guards import LOOPBACK_NAMES

_TURN_S = 0.5
"""For somebody else to be told where the service is."""
_WAIT_S = 10
_SCOPE = "openid email profile"
_SIGNED = ["RS256", "PS256", "ES256"]
"""Signatures that only the service can make: none with a shared secret, and never none at all."""
_LEEWAY_S = 60
_CHARS = 500
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class NotProven(Exception):
    """The service did not prove who somebody is.

    Args:
        why: for the log; holds no secret.
    """


@dataclass(frozen=True, slots=True)
class Flow:
    """What has to come back unchanged from the service, kept by the browser meanwhile.

    Args:
        state: comes back with the code.
        nonce: comes back in the proof.
        verifier: shown with the code: whoever stole the code does not have it.
    """

    state: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))


@dataclass(frozen=True, slots=True)
class Client:
    """This server, as the service knows it.

    Args:
        issuer: address of the service, exactly as its proofs name it.
        id, secret: what the service calls this server.
    """

    issuer: str
    id: str
    secret: str = field(repr=False)


class Service:
    """The service where people log in.

    Args:
        client: this server.

    Raises:
        GateError: the address of the service could be read on the way.
    """

    def __init__(self, client: Client) -> None:
        if not _confidential(client.issuer):
            raise GateError(f"--oidc-issuer {client.issuer} is no address with https", "as https://login.example.org")
        self.client = client
        self._lock = Lock()
        self._found: dict[str, Any] = {}
        self._keys: KeySet | None = None

    @property
    def name(self) -> str:
        """For people."""
        return urlsplit(self.client.issuer).hostname or self.client.issuer

    def address(self, flow: Flow, back: str) -> str:
        """Where the browser goes to log in.

        Args:
            flow: what has to come back.
            back: address of ours where it comes back to.

        Raises:
            NotProven: the service does not answer.
        """
        url, _ = self._session(back).create_authorization_url(
            self._endpoint("authorization_endpoint"), state=flow.state, nonce=flow.nonce, code_verifier=flow.verifier
        )
        return str(url)

    def identity(self, flow: Flow, back: str, answer: Mapping[str, str], now: datetime) -> Identity:
        """Who somebody is, once the browser is back.

        Args:
            flow: as it began.
            back: as it began.
            answer: what the browser brought.
            now: the time.

        Raises:
            NotProven: nobody knows.
        """
        if not hmac.compare_digest(flow.state.encode(), answer.get("state", "").encode()):
            raise NotProven("the answer is none to this browser's question")
        if answer.get("iss", self.client.issuer) != self.client.issuer:
            raise NotProven("the answer is of another service")
        if not answer.get("code"):
            raise NotProven(f"the service said: {answer.get('error', 'nothing')[:80]}")
        claims = self._claims(self._proof(flow, back, answer["code"]), flow, now)
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= _CHARS:
            raise NotProven("the service named nobody")
        verified = claims.get("email_verified") is True
        name = _text(claims, "preferred_username") or _text(claims, "name")
        return Identity(self.client.issuer, subject, _text(claims, "email") if verified else "", name)

    def _proof(self, flow: Flow, back: str, code: str) -> str:
        try:
            token = self._session(back).fetch_token(
                self._endpoint("token_endpoint"),
                code=code,
                code_verifier=flow.verifier,
                timeout=_WAIT_S,
                allow_redirects=False,
            )
        except (AuthlibBaseError, OSError, ValueError) as error:
            raise NotProven(f"the service took no code ({type(error).__name__})") from None
        found = token.get("id_token")
        if not isinstance(found, str):
            raise NotProven("the service sent no proof")
        return found

    def _claims(self, proof: str, flow: Flow, now: datetime) -> dict[str, Any]:
        wanted: dict[str, Any] = {
            **{"iss": {"essential": True, "value": self.client.issuer}, "sub": {"essential": True}},
            **{"aud": {"essential": True, "value": self.client.id}, "exp": {"essential": True}},
            **{"iat": {"essential": True}, "nonce": {"essential": True, "value": flow.nonce}},
        }
        try:
            token = self._decoded(proof)
            JWTClaimsRegistry(int(now.timestamp()), _LEEWAY_S, **wanted).validate(token.claims)
        except (JoseError, ValueError, TypeError) as error:
            raise NotProven(f"the proof is none ({type(error).__name__})") from None
        several = isinstance(token.claims["aud"], list) and len(token.claims["aud"]) > 1
        if token.claims.get("azp", None if several else self.client.id) != self.client.id:
            raise NotProven("the proof is for somebody else")
        return token.claims

    def _decoded(self, proof: str) -> jwt.Token:
        for fresh in (False, True):
            try:
                return jwt.decode(proof, self._key_set(fresh=fresh), algorithms=_SIGNED)
            except (JoseError, ValueError):
                # The service may have changed its keys since.
                if fresh:
                    raise
        raise AssertionError

    def _key_set(self, *, fresh: bool) -> KeySet:
        if self._keys is None or fresh:
            found = self._json(self._endpoint("jwks_uri"))
            self._keys = KeySet.import_key_set(found)  # type: ignore[arg-type]
        return self._keys

    def _endpoint(self, name: str) -> str:
        """Asked for once; whoever comes while a silent service is waited for does not wait as long, too."""
        if not self._lock.acquire(timeout=_TURN_S):
            raise NotProven("the service does not answer yet")
        try:
            self._found = self._found or self._described()
        finally:
            self._lock.release()
        return str(self._found[name])

    def _described(self) -> dict[str, Any]:
        found = self._json(f"{self.client.issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != self.client.issuer:
            raise NotProven("the service calls itself by another name than --oidc-issuer")
        if not all(_confidential(str(found.get(one))) for one in _ENDPOINTS):
            raise NotProven("the service names addresses without https")
        return found

    def _json(self, address: str) -> dict[str, Any]:
        try:
            answer = self._session("").get(address, withhold_token=True, timeout=_WAIT_S, allow_redirects=False)
            answer.raise_for_status()
            found = answer.json()
        except (AuthlibBaseError, OSError, ValueError) as error:
            raise NotProven(f"the service does not answer ({type(error).__name__})") from None
        if not isinstance(found, dict):
            raise NotProven("the service answers with something else")
        return found

    def _session(self, back: str) -> Any:
        client = self.client
        return OAuth2Session(client.id, client.secret, scope=_SCOPE, redirect_uri=back, code_challenge_method="S256")


def _confidential(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK_NAMES)
    except ValueError:
        return False


def _text(claims: dict[str, Any], name: str) -> str:
    found = claims.get(name)
    return found.strip()[:_CHARS] if isinstance(found, str) else ""
