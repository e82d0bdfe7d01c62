"""What programs send: JSON without a second meaning, and runs that come in whole or not at all."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from gate.domain.jsonbytes import complaint
from gate.domain.jsonvalue import JsonValue
from gate.errors import GateError
from gate.inputs.jsontext import BadJson, parse_json
from gate.web.api.problems import ApiError

Sent = TypeVar("Sent", bound=BaseModel)

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


def read(model: type[Sent], values: Mapping[str, JsonValue]) -> Sent:
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


Pushed = Annotated[Parcel, Depends(_parcel)]


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
