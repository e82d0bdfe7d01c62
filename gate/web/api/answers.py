"""Answers to programs: JSON that any reader takes, entity tags, and links to the next page."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e]*")')
_JSON = "application/json"
KEPT = {"cache-control": "private, no-cache"}
"""A program may keep the answer, and asks each time whether it still holds."""


@dataclass(frozen=True, slots=True)
class More:
    """What an answer has beside its body.

    Args:
        status: of HTTP.
        tag: names what is answered, with its quotes; empty for the digest of the body.
        headers: further ones.
    """

    status: int = 200
    tag: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


def answered(request: Request, said: BaseModel, more: More | None = None) -> Response:
    """An answer; without a body where the program has it already.

    Args:
        request: that is answered.
        said: the body.
        more: what else it has.
    """
    # ASCII alone: half a surrogate pair, which a model may have said, is no UTF-8.
    body = json.dumps(said.model_dump(mode="json", by_alias=True), separators=(",", ":")).encode()
    more = more or More()
    tag = more.tag or f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"etag": tag, **KEPT, **more.headers}
    if has_it(request, tag):
        return Response(None, 304, headers)
    return Response(body, more.status, headers, _JSON)


def has_it(request: Request, tag: str) -> bool:
    """Does the program say that it has what this tag names?"""
    if request.method != "GET" or (given := request.headers.get("if-none-match")) is None:
        return False
    return given.strip() == "*" or tag in {strong for _, strong in _TAG.findall(given)}


def meant(given: str, tag: str) -> bool:
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
