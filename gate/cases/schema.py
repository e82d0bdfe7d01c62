"""The JSON Schemas of cases, made from their models."""

from typing import Any

from pydantic import TypeAdapter

from gate.cases.forms import CaseForm
from gate.cases.labels import LabelRow
from gate.config.rubrics import RubricFile
from gate.inputs.limits import CASES

ID = "https://prompt-gate.dev/schemas/cases/1"
RUBRIC_ID = "https://prompt-gate.dev/schemas/rubric/1"
"""Names, not addresses that are fetched."""
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def case_schema() -> dict[str, Any]:
    """One case, of any of the three forms: a line of a `.jsonl` file."""
    return {"$schema": _DRAFT, "$id": f"{ID}/case", "title": "a case", **_case()}


def cases_schema() -> dict[str, Any]:
    """A list of cases, or a single one, in JSON or YAML."""
    found = _case()
    definitions = {**found.pop("$defs", {}), "case": found}
    one = {"$ref": "#/$defs/case"}
    listed = {"type": "array", "minItems": 1, "maxItems": CASES, "items": one}
    return {"$schema": _DRAFT, "$id": ID, "title": "cases", "anyOf": [listed, one], "$defs": definitions}


def _case() -> dict[str, Any]:
    found: dict[str, Any] = TypeAdapter(CaseForm).json_schema()
    return found


def labels_schema() -> dict[str, Any]:
    """A line of a file of labels."""
    return {"$schema": _DRAFT, **LabelRow.model_json_schema(), "title": "label"}


def rubric_schema() -> dict[str, Any]:
    """The file of a rubric."""
    return {"$schema": _DRAFT, "$id": RUBRIC_ID, **RubricFile.model_json_schema(), "title": "rubric"}
