"""Validates requests and replies of the test GitHub with GitHub's own description of its REST API."""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import best_match
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

DESCRIPTION = Path(__file__).parent.parent / "data" / "github" / "openapi.json.gz"
_BASE = "urn:github"
_FORMATS = FormatChecker(())
_OWN_SHAPE = {"labeled": "labeled-issue-event", "unlabeled": "unlabeled-issue-event"}
_OWN_SHAPE |= {"committed": "timeline-committed-event", "commented": "timeline-comment-event"}
"""A list of events accepts many loose shapes; these kinds are validated with their own shape."""


@_FORMATS.checks("date-time")
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)", value))


@_FORMATS.checks("uri")
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(re.match(r"[a-z][a-z0-9+.-]*:[^\s]+$", value))


def request_fault(method: str, template: str, body: Any) -> str | None:
    """What is wrong with a request's body, or None.

    Args:
        template: the operation's path as the description writes it.
        body: the JSON value; None for no body.
    """
    asked = _operation(method, template).get("requestBody")
    if asked is None:
        return None if body is None else "takes no body"
    if body is None:
        return "needs a body" if asked.get("required") else None
    return _fault(_pointer(method, template) + "/requestBody/content/application~1json/schema", body)


def reply_fault(method: str, template: str, status: int, body: Any) -> str | None:
    """What is wrong with a reply, or None.

    Statuses that the description leaves out (it lists few errors) need the shape of an error all the same.
    """
    responses = _operation(method, template)["responses"]
    response = responses.get(str(status))
    if response is None:
        return (
            _fault("#/components/schemas/basic-error", body) if status >= 400 else f"status {status} is not described"
        )
    where = f"{_pointer(method, template)}/responses/{status}"
    if "$ref" in response:
        where = response["$ref"]
        response = _description()["components"]["responses"][where.rsplit("/", 1)[1]]
    if "content" not in response:
        return None if body is None else f"status {status} has no body"
    fault = _fault(f"{where}/content/application~1json/schema", body)
    if fault is None and template.endswith(("/timeline", "/events")) and status == 200:
        checked = ((_OWN_SHAPE.get(entry["event"]), entry) for entry in body)
        found = (_fault(f"#/components/schemas/{name}", entry) for name, entry in checked if name)
        fault = next((each for each in found if each), None)
    return fault


def _fault(pointer: str, value: Any) -> str | None:
    error = best_match(_validator(pointer).iter_errors(value))
    return f"{error.json_path}: {error.message[:300]}" if error else None


@cache
def _validator(pointer: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": _BASE + pointer}, registry=_registry(), format_checker=_FORMATS)


@cache
def _registry() -> Registry[Any]:
    resource = Resource.from_contents(_with_null(_description()), default_specification=DRAFT202012)
    registry: Registry[Any] = Registry().with_resource(_BASE, resource)
    return registry


@cache
def _description() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(gzip.decompress(DESCRIPTION.read_bytes()))
    return value


def _operation(method: str, template: str) -> dict[str, Any]:
    value: dict[str, Any] = _description()["paths"][template][method.lower()]
    return value


def _pointer(method: str, template: str) -> str:
    return "#/paths/" + template.replace("/", "~1").replace("{", "%7B").replace("}", "%7D") + f"/{method.lower()}"


def _with_null(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` in the words of JSON Schema."""
    if isinstance(node, list):
        return [_with_null(each) for each in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _with_null(value) for key, value in node.items() if key != "nullable" or value is not True}
    return {"anyOf": [plain, {"type": "null"}]} if node.get("nullable") is True else plain
