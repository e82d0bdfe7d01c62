"""A local OpenID Connect provider with real HTTP and RSA keys, which can send false claims."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

CLIENT, SECRET = "prompt-gate", "s3cret"


@cache
def keys() -> list[RSAKey]:
    """Two of them."""
    return [RSAKey.generate_key(2048, {"kid": kid}) for kid in ("first", "second")]


@dataclass
class Provider:
    """Whom it names, and how.

    Args:
        issuer: its address.
        person: claims of whoever logs in.
        lie: changes all claims before they are signed.
        key: that it signs with.
        published: keys that it tells of.
        signed: makes a proof in another way; None for the right one.
        scopes: that it says it knows.
        metadata: more that it says of itself.
        asked: paths of all requests.
    """

    issuer: str = ""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "u-1"})
    lie: Callable[[dict[str, Any]], dict[str, Any]] = lambda claims: claims
    key: RSAKey = field(default_factory=lambda: keys()[0])
    published: list[RSAKey | ECKey] = field(default_factory=lambda: [*keys()[:1]])
    signed: Callable[[dict[str, Any]], str] | None = None
    scopes: list[str] = field(default_factory=lambda: ["openid", "email", "profile"])
    metadata: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def authorize(self, query: dict[str, str]) -> str:
        """Where the browser goes next, once somebody has logged in here."""
        wanted = {"response_type": "code", "client_id": CLIENT, "code_challenge_method": "S256"}
        assert query.items() >= wanted.items() and set(query["scope"].split()) == set(self.scopes), query
        code = hashlib.sha256(repr((query, len(self._codes))).encode()).hexdigest()
        self._codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state'], 'iss': self.issuer})}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """The answer to whoever has a code and can show that it is theirs."""
        asked = self._codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        mine = authorization == "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if asked is None or not mine or form.get("redirect_uri") != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        if challenge.decode().rstrip("=") != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self._proof({**claims, **self.person})}

    def _proof(self, claims: dict[str, Any]) -> str:
        told = self.lie(claims)
        if self.signed is not None:
            return self.signed(told)
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, told, self.key)

    def answer(self, path: str) -> dict[str, Any]:
        """What anybody may know."""
        if path == "/keys":
            return {"keys": [key.as_dict(private=False) for key in self.published]}
        names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return {
            "issuer": self.issuer,
            "scopes_supported": self.scopes,
            **{name: f"{self.issuer}/{at}" for name, at in names.items()},
            **self.metadata,
        }


@contextmanager
def running() -> Iterator[Provider]:
    """A provider that answers."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            provider.asked.append(parts.path)
            if parts.path == "/authorize":
                self.send_response(302)
                self.send_header("location", provider.authorize({k: v[0] for k, v in parse_qs(parts.query).items()}))
                self.end_headers()
            else:
                self._say(200, provider.answer(parts.path))

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._say(*provider.token(form, self.headers.get("authorization", "")))

        def _say(self, status: int, answer: dict[str, Any]) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: object, **__: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
