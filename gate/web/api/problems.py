"""What goes wrong, in the one shape that programs are told it in (RFC 9457)."""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, computed_field
from starlette.responses import Response

from gate.errors import GateError, InputErrors
from gate.inputs.problems import printable

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


def mistake(error: GateError) -> ApiError:
    """What was sent is wrong: nothing was done."""
    if isinstance(error, InputErrors):
        found = [Wrong.model_validate(one) for one in error.problems]
        return ApiError(422, "The request was understood, and it holds mistakes: nothing was done.", errors=found)
    return ApiError(422, sentence(error.message), error.hint)


def sentence(said: str) -> str:
    """With a large letter in front, unless a name stands there."""
    first = said.partition(" ")[0]
    return f"{said[:1].upper() if first.isalpha() else said[:1]}{said[1:]}."
