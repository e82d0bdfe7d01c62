"""Forms as browsers send them, strictly in UTF-8."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from gate.web.guards import FILE_BYTES

FIELDS = 20_000
"""Of one form."""
_PART_BYTES = FILE_BYTES


@dataclass(frozen=True, slots=True)
class Sent:
    """What was typed.

    Args:
        fields: each with all its values, in their order; line ends are those of Unix.
        files: content of what was uploaded, with its name.
    """

    fields: Mapping[str, tuple[str, ...]]
    files: Mapping[str, tuple[str, bytes]]

    def one(self, name: str, default: str = "") -> str:
        """The last value of a field."""
        return self.fields.get(name, (default,))[-1]

    def every(self, name: str) -> tuple[str, ...]:
        """All values of a field."""
        return self.fields.get(name, ())

    def number(self, name: str) -> int:
        """A whole number from 0; what is none is 0."""
        typed = self.one(name)
        return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 10 else 0


async def _sent(request: Request) -> Sent:
    """The form of a request."""
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        return await _multipart(request)
    return Sent(_collected(_pairs(await request.body())), {})


Form = Annotated[Sent, Depends(_sent)]


def _pairs(body: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            body.decode("ascii"), keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=FIELDS
        )
    except UnicodeDecodeError:
        raise _not_text() from None
    except ValueError:
        raise HTTPException(413, f"The form has more than {FIELDS:,} fields.") from None


async def _multipart(request: Request) -> Sent:
    form = await request.form(max_fields=FIELDS, max_files=1, max_part_size=_PART_BYTES)
    pairs = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
    files = {
        name: (value.filename or "", await value.read())
        for name, value in form.multi_items()
        if isinstance(value, UploadFile)
    }
    return Sent(_collected(pairs), files)


def _collected(pairs: list[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value.replace("\r\n", "\n").replace("\r", "\n"))
    return {name: tuple(values) for name, values in found.items()}


def _not_text() -> HTTPException:
    return HTTPException(400, "The form is not text in UTF-8. Nothing was saved: go back, and send it again.")
