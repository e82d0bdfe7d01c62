"""What goes wrong, in the one shape that programs are told it in (RFC 9457)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from starlette.responses import Response

from gate.errors import GateError, InputErrors
from gate.inputs.problems import printable

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Wrong:
    """One of several mistakes.

    Args:
        where: a parameter, or a place in what was sent.
        message: what is wrong with it.
        hint: the remedy.
    """

    where: str
    message: str
    hint: str = ""


class ApiError(Exception):
    """A request that is not answered as it was meant.

    Args:
        status: of HTTP.
        detail: a sentence.
        hint: what to do about it.
        headers: of the answer.
    """

    def __init__(self, status: int, detail: str, hint: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.hint, self.headers = status, detail, hint, dict(headers or {})


@dataclass(frozen=True, slots=True)
class Told:
    """A problem on its way out.

    Args:
        status: of HTTP.
        detail: a sentence.
        hint: what to do about it.
        errors: each mistake, where there are several.
        headers: of the answer.
    """

    status: int
    detail: str
    hint: str = ""
    errors: Sequence[Wrong] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def answer(self, request_id: str) -> Response:
        """As bytes.

        Args:
            request_id: by which the log of the server knows the request.
        """
        errors = [{"where": one.where, "message": printable(one.message), "hint": one.hint} for one in self.errors]
        body = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": printable(self.detail),
            "hint": self.hint,
            "errors": errors,
            "request_id": request_id,
        }
        return Response(json.dumps(body), self.status, dict(self.headers), MEDIA_TYPE)


def mistake(error: GateError) -> Told:
    """What was sent is wrong: nothing was done."""
    if isinstance(error, InputErrors):
        found = [Wrong(one.where, one.message, one.hint) for one in error.problems]
        return Told(422, "The request was understood, and it holds mistakes: nothing was done.", "", found)
    return Told(422, sentence(error.message), error.hint)


def sentence(said: str) -> str:
    """With a large letter in front, unless a name stands there."""
    first = said.partition(" ")[0]
    return f"{said[:1].upper() if first.isalpha() else said[:1]}{said[1:]}."
