"""HTTP for programs: tokens, bodies, answers with entity tags and links, and problems (RFC 9457)."""

import hashlib
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Any, Literal, TypeAlias, TypeVar
from urllib.parse import urlencode

from fastapi import Depends, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, computed_field
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from gate.config.documents import BadJson, parse_json, printable
from gate.errors import GateError, InputErrors
from gate.store.access import Person, Scope
from gate.store.sql.access import Tokens
from gate.values import JsonValue, complaint
from gate.web.site import Role, from_another_site, person_of, require_role, site_of

MEDIA_TYPE = "application/problem+json"
Said: TypeAlias = Annotated[str, AfterValidator(printable)]


class Wrong(BaseModel):
    """One mistake of several; `where` is a parameter, or a place in what was sent."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    where: str
    message: Said
    hint: str = ""


class Problem(BaseModel):
    """What went wrong (RFC 9457); `errors` has each mistake of what was sent."""

    model_config = ConfigDict(frozen=True)

    type: Literal["about:blank"] = "about:blank"
    status: int
    detail: Said
    hint: str = ""
    errors: list[Wrong] = []
    request_id: str = Field(default="", description="As in the header x-request-id; the server's log knows it by that.")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def title(self) -> str:
        """The status in words."""
        return HTTPStatus(self.status).phrase


class ApiError(Exception):
    """A request that is not answered as it was meant.

    Args:
        status: of HTTP.
        detail: a sentence.
        hint: what to do about it.
        headers: of the answer.
        errors: each mistake, where there are several.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
        errors: Sequence[Wrong] = (),
    ) -> None:
        super().__init__(detail)
        self.problem = Problem(status=status, detail=detail, hint=hint, errors=list(errors))
        self.headers = dict(headers or {})

    def answer(self, request_id: str) -> Response:
        """As bytes.

        Args:
            request_id: by which the log of the server knows the request.
        """
        body = self.problem.model_copy(update={"request_id": request_id}).model_dump()
        return Response(json.dumps(body), self.problem.status, self.headers, MEDIA_TYPE)


def invalid_input(error: GateError) -> ApiError:
    """What was sent is wrong: nothing was done."""
    if isinstance(error, InputErrors):
        found = [Wrong.model_validate(one) for one in error.problems]
        return ApiError(422, "The request was understood, and it holds mistakes: nothing was done.", errors=found)
    return ApiError(422, as_sentence(error.message), error.hint)


def as_sentence(said: str) -> str:
    """With a large letter in front, unless a name stands there."""
    first = said.partition(" ")[0]
    return f"{said[:1].upper() if first.isalpha() else said[:1]}{said[1:]}."


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
    if from_another_site(request):
        raise ApiError(403, "Another site sent this request.")
    person = person_of(request)
    if person.role is Role.NOBODY:
        raise ApiError(401, "This needs a token.", BEARER, ASKS)
    require_role(role_for(scope))(request)
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


BodyModel = TypeVar("BodyModel", bound=BaseModel)

RECORD_BYTES = 32 * 2**20
"""Of `run.json`, which is read whole."""
_ORIGIN_BYTES = 16 * 2**10
RUN, SAMPLES, ORIGIN = "run", "samples", "origin"
"""The parts of a pushed run."""


async def _json(request: Request) -> Mapping[str, JsonValue]:
    """The JSON object that a request sends.

    Raises:
        ApiError: 415 where it does not say that it is JSON, 400 where it is none, 422 where it is no object.
    """
    if _media_type(request) != "application/json":
        raise ApiError(415, "This takes JSON alone.", "send the header content-type: application/json")
    try:
        found = parse_json((await request.body()).decode("utf-8"))
    except UnicodeDecodeError:
        raise ApiError(400, "The body is not UTF-8.") from None
    except BadJson as bad:
        raise ApiError(400, f"The body is not JSON: {bad.message}.") from None
    except ClientDisconnect:
        raise _cut_off() from None
    if not isinstance(found, dict):
        raise ApiError(422, "The body is no JSON object.", "send one in braces")
    return found


JsonBody = Annotated[Mapping[str, JsonValue], Depends(_json)]


def read_body(model: type[BodyModel], values: Mapping[str, JsonValue]) -> BodyModel:
    """What was sent, as a model.

    Raises:
        GateError: it is none.
    """
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise GateError(complaint(error)) from None


@dataclass(frozen=True, slots=True)
class Parcel:
    """A run as it was sent.

    Args:
        run: `run.json`.
        samples: `samples.jsonl`; None without them.
        origin: where it comes from, in JSON.
    """

    run: UploadFile
    samples: UploadFile | None
    origin: str


class _Whole(MultiPartParser):
    """Notes whether the last boundary came: a form that is cut off between two parts is not a smaller form."""

    ended = False

    def on_end(self) -> None:
        self.ended = True


async def _parcel(request: Request) -> AsyncIterator[Parcel]:
    if _media_type(request) != "multipart/form-data":
        raise ApiError(415, "A run is sent as multipart/form-data.", f"with the parts {RUN} and {SAMPLES}")
    parser = _Whole(request.headers, request.stream(), max_files=2, max_fields=1, max_part_size=_ORIGIN_BYTES)
    try:
        form = await parser.parse()
    except MultiPartException as bad:
        raise ApiError(400, f"The form cannot be read: {bad.message}") from None
    except ClientDisconnect:
        raise _cut_off() from None
    try:
        if not parser.ended:
            raise _cut_off()
        yield _sorted(dict(form.multi_items()), len(form.multi_items()))
    finally:
        await form.close()


PushedRun = Annotated[Parcel, Depends(_parcel)]


def _sorted(parts: Mapping[str, UploadFile | str], count: int) -> Parcel:
    hint = f"send the files {RUN} and {SAMPLES}, and the field {ORIGIN}, each at most once"
    run, samples, origin = parts.get(RUN), parts.get(SAMPLES), parts.get(ORIGIN, "{}")
    odd = count != len(parts) or parts.keys() - {RUN, SAMPLES, ORIGIN} or not isinstance(origin, str)
    if odd or not isinstance(run, UploadFile) or isinstance(samples, str):
        raise ApiError(422, f"The form is no run: it has to have a file named {RUN}.", hint)
    if (run.size or 0) > RECORD_BYTES:
        raise ApiError(413, f"The record is larger than {RECORD_BYTES // 2**20} MiB.")
    return Parcel(run, samples, str(origin))


def _cut_off() -> ApiError:
    return ApiError(400, "The request is cut off. Nothing was kept.", "send it again")


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e]*")')
_JSON = "application/json"
KEPT = {"cache-control": "private, no-cache"}
"""A program may keep the answer, and asks each time whether it still holds."""


@dataclass(frozen=True, slots=True)
class AnswerHeaders:
    """What an answer has beside its body.

    Args:
        status: of HTTP.
        tag: names what is answered, with its quotes; empty for the digest of the body.
        headers: further ones.
    """

    status: int = 200
    tag: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(request: Request, said: BaseModel, more: AnswerHeaders | None = None) -> Response:
    """An answer; without a body where the program has it already.

    Args:
        request: that is answered.
        said: the body.
        more: what else it has.
    """
    # ASCII alone: half a surrogate pair, which a model may have said, is no UTF-8.
    body = json.dumps(said.model_dump(mode="json", by_alias=True), separators=(",", ":")).encode()
    more = more or AnswerHeaders()
    tag = more.tag or f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"etag": tag, **KEPT, **more.headers}
    if client_has(request, tag):
        return Response(None, 304, headers)
    return Response(body, more.status, headers, _JSON)


def client_has(request: Request, tag: str) -> bool:
    """Does the program say that it has what this tag names?"""
    if request.method != "GET" or (given := request.headers.get("if-none-match")) is None:
        return False
    return given.strip() == "*" or tag in {strong for _, strong in _TAG.findall(given)}


def tag_matches(given: str, tag: str) -> bool:
    """Does `If-Match` name what is there? Weak tags name nothing in particular.

    Args:
        given: the header.
        tag: of what is there.
    """
    return given.strip() == "*" or ("", tag) in _TAG.findall(given)


def next_page(request: Request, last: int | None) -> dict[str, str]:
    """The header with the next page's address.

    Args:
        request: for this page.
        last: place of the last entry on it; None where nothing follows.
    """
    if last is None:
        return {}
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "after"]
    return {"link": f'<{request.url.path}?{urlencode([*kept, ("after", str(last))])}>; rel="next"'}
