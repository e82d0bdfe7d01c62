"""Which program asks, and what its token allows: a token wins over cookies, and needs no form of ours."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from gate.domain.api_token import Scope
from gate.domain.people import Person
from gate.store.sql.tokens import Tokens
from gate.web.access import Role, check, from_elsewhere, person_of, site_of
from gate.web.api.problems import ApiError

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
BEARER = "send it as: Authorization: Bearer pgate_…"
ASKS = {"www-authenticate": 'Bearer realm="Prompt Gate"'}
_READERS = frozenset({Scope.RUNS_READ, Scope.CASES_READ, Scope.METRICS_READ})


def allows(scope: Scope | None) -> Callable[[Endpoint], Endpoint]:
    """Marks an operation with the scope that a token needs for it; None takes any token."""

    def marked(endpoint: Endpoint) -> Endpoint:
        endpoint.scope = scope  # type: ignore[attr-defined]
        return endpoint

    return marked


def role_for(scope: Scope | None) -> Role:
    """The role that somebody without a token needs for the same."""
    return Role.VIEWER if scope is None or scope in _READERS else Role.EDITOR


def admits(scope: Scope | None) -> Callable[[Request], None]:
    """The dependency that lets only those pass who may do what a scope allows; it finds out who asks.

    Args:
        scope: that is needed.

    Raises:
        ApiError: 401 where nobody is known to ask, 403 where somebody may not.
    """

    def admitted(request: Request) -> None:
        # A token wins: whoever asks later who this is gets the same answer.
        request.state.person, request.state.scopes = _caller(request, scope)

    return admitted


def _caller(request: Request, scope: Scope | None) -> tuple[Person, frozenset[Scope]]:
    site, given = site_of(request), request.headers.get("authorization")
    if given is None:
        return _without_token(request, scope), frozenset(Scope)
    kind, _, secret = given.partition(" ")
    token = Tokens(site.database).find(secret.strip(), site.now()) if kind.lower() == "bearer" else None
    if token is None:
        hint = "see gate tokens list, or the page of tokens; gate tokens create makes another one"
        raise ApiError(401, "The token is not known here, was revoked, or has expired.", hint, ASKS)
    if scope is not None and scope not in token.scopes:
        hint = f"make a token with --scope {scope}"
        raise ApiError(403, f"This needs the scope {scope}, and the token has {' '.join(sorted(token.scopes))}.", hint)
    role = max(role_for(one) for one in token.scopes)
    return Person(token.author, role), token.scopes


def _without_token(request: Request, scope: Scope | None) -> Person:
    """Whoever a page would know; another page cannot ask in their name."""
    if from_elsewhere(request):
        raise ApiError(403, "Another site sent this request.")
    person = person_of(request)
    if person.role is Role.NOBODY:
        raise ApiError(401, "This needs a token.", BEARER, ASKS)
    check(role_for(scope))(request)
    return person


def caller_of(request: Request) -> Person:
    """Who asks; known once the request was admitted."""
    person = request.state.person
    assert isinstance(person, Person)  # noqa: S101
    return person


def scopes_of(request: Request) -> frozenset[Scope]:
    """What the caller's token allows; everything for somebody without one."""
    found: frozenset[Scope] = request.state.scopes
    return found


Caller = Annotated[Person, Depends(caller_of)]
