"""HTTP for the API: tokens, bodies, entity tags, links, and problems (RFC 9457)."""

import hashlib
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.params import Security as SecurityDependency
from fastapi.security import HTTPBearer, SecurityScopes
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, computed_field
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from gate.config.documents import BadJson, parse_json, printable
from gate.errors import CannotEvaluate, GateError, InputErrors
from gate.store.access import Person, Scope
from gate.store.sql.access import Tokens
from gate.values import JsonValue
from gate.web.requests import MULTIPART, WholeForm, media_type
from gate.web.site import Refused, RequiredRole, Role, from_another_site, person_of, site_of

API = "/api/v1"
MEDIA_TYPE = "application/problem+json"
Said: TypeAlias = Annotated[str, AfterValidator(printable)]


class ErrorDetail(BaseModel):
    """One error; `where` is a parameter or a place in the body."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    where: str
    message: Said
    hint: str = ""


class Problem(BaseModel):
    """A problem (RFC 9457); `errors` lists each error of the request."""

    model_config = ConfigDict(frozen=True)

    type: Literal["about:blank"] = "about:blank"
    status: int
    detail: Said
    hint: str = ""
    errors: list[ErrorDetail] = []
    request_id: str = Field(default="", description="As in the header x-request-id; the server's log has it too.")

    @computed_field
    @property
    def title(self) -> str:
        """The status in words."""
        return HTTPStatus(self.status).phrase


class ApiError(Exception):
    """The answer to a request is a problem."""

    def __init__(
        self,
        status: int,
        detail: str,
        hint: str = "",
        headers: Mapping[str, str] | None = None,
        errors: Sequence[ErrorDetail] = (),
    ) -> None:
        super().__init__(detail)
        self.problem = Problem(status=status, detail=detail, hint=hint, errors=list(errors))
        self.headers = dict(headers or {})

    def answer(self, request_id: str) -> Response:
        """The response."""
        body = self.problem.model_copy(update={"request_id": request_id}).model_dump()
        return Response(json.dumps(body), self.problem.status, self.headers, MEDIA_TYPE)


def api_error_of(error: Exception) -> ApiError:
    """An expected error as an API error."""
    match error:
        case ApiError():
            return error
        case Refused():
            return ApiError(error.status, error.message)
        case RequestValidationError():
            found = [ErrorDetail(where=".".join(map(str, one["loc"])), message=one["msg"]) for one in error.errors()]
            return ApiError(422, "The request has invalid parameters.", errors=found)
        case HTTPException(status_code=404):
            return ApiError(404, "There is no such operation.", "see /api/openapi.json")
        case HTTPException():
            return ApiError(error.status_code, error.detail, headers=error.headers or {})
        case CannotEvaluate():
            return ApiError(503, error.message, error.hint, headers={"retry-after": "10"})
        case InputErrors():
            found = [ErrorDetail.model_validate(one) for one in error.problems]
            return ApiError(422, "The request has errors. Nothing was changed.", errors=found)
        case GateError():
            return ApiError(422, as_sentence(error.message), error.hint)
    raise error


def as_sentence(said: str) -> str:
    """Starts with a capital letter, unless it starts with a name."""
    first = said.partition(" ")[0]
    return f"{said[:1].upper() if first.isalpha() else said[:1]}{said[1:]}."


BEARER = "send it as: Authorization: Bearer pgate_…"
ASKS = {"www-authenticate": 'Bearer realm="Prompt Gate"'}
_SCHEME = HTTPBearer(scheme_name="token", bearerFormat="pgate_…", auto_error=False)


def _authorized(request: Request, needed: SecurityScopes, _: Annotated[object, Depends(_SCHEME)]) -> None:
    authorize(request, Scope(needed.scopes[0]) if needed.scopes else None)


def allows(*scope: Scope) -> SecurityDependency:
    """Dependency that requires a scope; without one, any token is accepted."""
    found: SecurityDependency = Security(_authorized, scopes=list(scope))
    return found


def authorize(request: Request, scope: Scope | None) -> None:
    """Identify the caller; a token takes precedence over a session.

    Raises:
        ApiError: 401 if the caller is unknown, 403 if not allowed.
    """
    site, given = site_of(request), request.headers.get("authorization")
    if given is None:
        _without_token(request, scope)
        request.state.scopes = frozenset(Scope)
        return
    kind, _, secret = given.partition(" ")
    token = Tokens(site.database).find(secret.strip(), site.now()) if kind.lower() == "bearer" else None
    if token is None:
        hint = "list tokens with: gate tokens list; create one with: gate tokens create"
        raise ApiError(401, "The token is unknown, revoked or expired.", hint, ASKS)
    if scope is not None and scope not in token.scopes:
        hint = f"create a token with --scope {scope}"
        raise ApiError(403, f"This needs the scope {scope}. The token has: {' '.join(sorted(token.scopes))}.", hint)
    role = max(map(_role_for, token.scopes))
    request.state.person, request.state.scopes = Person(token.author, role), token.scopes


def _without_token(request: Request, scope: Scope | None) -> None:
    """A logged-in person may use the API with their role, but not through another site."""
    if from_another_site(request):
        raise ApiError(403, "Another site sent this request.")
    if person_of(request).role is Role.NOBODY:
        raise ApiError(401, "This needs a token.", BEARER, ASKS)
    RequiredRole(_role_for(scope))(request)


def _role_for(scope: Scope | None) -> Role:
    """The role that a scope corresponds to."""
    return Role.EDITOR if scope is not None and scope.writes else Role.VIEWER


RECORD_BYTES = 32 * 2**20
"""Limit of `run.json`, which is read into memory."""
_ORIGIN_BYTES = 16 * 2**10
RUN, SAMPLES, ORIGIN = "run", "samples", "origin"
"""The parts of a pushed run."""


async def _json(request: Request) -> Mapping[str, JsonValue]:
    """The JSON object of a request, read as strictly as a case file; otherwise 415, 400 or 422."""
    if media_type(request) != "application/json":
        raise ApiError(415, "This operation accepts JSON only.", "send the header content-type: application/json")
    try:
        found = parse_json((await request.body()).decode("utf-8"))
    except UnicodeDecodeError:
        raise ApiError(400, "The body is not UTF-8.") from None
    except BadJson as bad:
        raise ApiError(400, f"The body is not JSON: {bad.message}.") from None
    except ClientDisconnect:
        raise _cut_off() from None
    if not isinstance(found, dict):
        raise ApiError(422, "The body is not a JSON object.", "send an object in braces")
    return found


JsonBody = Annotated[Mapping[str, JsonValue], Depends(_json)]


@dataclass(frozen=True, slots=True)
class UploadedRun:
    """An uploaded run: `run.json`, `samples.jsonl` if there is one, and its origin in JSON."""

    run: UploadFile
    samples: UploadFile | None
    origin: str


async def _parcel(request: Request) -> AsyncIterator[UploadedRun]:
    if media_type(request) != MULTIPART:
        raise ApiError(415, "A run must be sent as multipart/form-data.", f"with the parts {RUN} and {SAMPLES}")
    parser = WholeForm(request.headers, request.stream(), max_files=2, max_fields=1, max_part_size=_ORIGIN_BYTES)
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


PushedRun = Annotated[UploadedRun, Depends(_parcel)]


def _sorted(parts: Mapping[str, UploadFile | str], count: int) -> UploadedRun:
    hint = f"send the files {RUN} and {SAMPLES}, and the field {ORIGIN}, each at most once"
    run, samples, origin = parts.get(RUN), parts.get(SAMPLES), parts.get(ORIGIN, "{}")
    odd = count != len(parts) or parts.keys() - {RUN, SAMPLES, ORIGIN} or not isinstance(origin, str)
    if odd or not isinstance(run, UploadFile) or isinstance(samples, str):
        raise ApiError(422, f"The form has no file named {RUN}.", hint)
    if (run.size or 0) > RECORD_BYTES:
        raise ApiError(413, f"The record is larger than {RECORD_BYTES // 2**20} MiB.")
    return UploadedRun(run, samples, str(origin))


def _cut_off() -> ApiError:
    return ApiError(400, "The request was cut off. Nothing was saved.", "send it again")


_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e]*")')
KEPT = {"cache-control": "private, no-cache"}
"""Clients may cache the answer and must revalidate it."""


def json_answer(
    request: Request, said: BaseModel, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON response; 304 if the client has it already.

    Args:
        headers: further headers; `etag` replaces the tag of the body.
    """
    # ASCII only: a model's output may hold half a surrogate pair, which is not UTF-8.
    body = json.dumps(said.model_dump(mode="json", by_alias=True), separators=(",", ":")).encode()
    told = {"etag": f'"{hashlib.sha256(body).hexdigest()[:32]}"', **KEPT, **(headers or {})}
    if client_has(request, told["etag"]):
        return Response(None, 304, told)
    return Response(body, status, told, "application/json")


def client_has(request: Request, tag: str) -> bool:
    """Does the client have the version with this tag?"""
    if request.method != "GET" or (given := request.headers.get("if-none-match")) is None:
        return False
    return given.strip() == "*" or tag in {strong for _, strong in _TAG.findall(given)}


def tag_matches(given: str, tag: str) -> bool:
    """Does the header `If-Match` match? Weak tags never do."""
    return given.strip() == "*" or ("", tag) in _TAG.findall(given)


def next_page(request: Request, last: int | None) -> dict[str, str]:
    """The Link header of the next page, after the `last` entry; empty if there is none."""
    if last is None:
        return {}
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "after"]
    return {"link": f'<{path_of(request)}?{urlencode([*kept, ("after", str(last))])}>; rel="next"'}


def path_of(request: Request, *parts: str | int) -> str:
    """The path of a request, and of what lies below it, as a header can hold it."""
    return "/".join((quote(request.scope["path"]), *(quote(str(part), safe="") for part in parts)))


_TOLD: Mapping[int, str] = {
    304: "Not changed: the client has the version that If-None-Match names.",
    400: "The body cannot be read.",
    401: "The token is missing, unknown, revoked or expired.",
    403: "The token does not have the scope, or another site sent the request.",
    404: "Not found.",
    413: "The body is too large.",
    415: "The body has the wrong content type.",
    422: "The request has errors; all are listed.",
    503: "The store is not available. Nothing was saved.",
}
SENT = (400, 413, 415)
"""Statuses for an invalid body."""


def answers(*usual: int, own: Mapping[int, str] | None = None) -> dict[int | str, dict[str, Any]]:
    """Descriptions of an operation's answers, by status."""
    problem = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    told = {status: _TOLD[status] for status in usual} | dict(own or {})
    return {
        status: {"description": said} | ({"content": problem} if status >= 400 else {}) for status, said in told.items()
    }


def api_router(tag: str) -> APIRouter:
    """A router below `/api/v1`."""
    return APIRouter(prefix=API, tags=[tag], responses=answers(401, 403, 422, 503))
