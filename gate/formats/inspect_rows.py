"""Samples of Inspect.

https://inspect.aisi.org.uk/datasets.html
"""

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.formats.shared import Draft, Place, Row, asked_of, metadata_of, text_or_texts


def case_of(row: Row, place: Place) -> dict[str, JsonValue] | None:
    """The case of a sample; None, and a loss, where it asks nothing."""
    rest = dict(row)
    draft = Draft(place, rest.pop("id", None))
    if not draft.ask(rest.pop("input", None)):
        return None
    draft.expect(rest.pop("target", None))
    draft.metadata(rest.pop("metadata", None))
    if isinstance(description := rest.pop("description", None), str) and description:
        draft.case["description"] = description
    for key in ("files", "setup", "sandbox", "checkpoint"):
        if rest.pop(key, None) is not None:
            place.lost(f"{key!r} of row {place.number} is left out", "an agent's files belong to its target")
    choices = rest.pop("choices", None)
    if choices is not None:
        place.lost(f"choices of row {place.number} are the variable 'choices'", "show them in the prompt")
        draft.variables({"choices": _choices(choices)})
    draft.variables(rest)
    return draft.done()


def _choices(value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        return value
    parts = value.split(",")
    return [text for part in (parts if len(parts) > 1 else value.split()) if (text := part.strip())]


def row_of(entry: Entry) -> dict[str, JsonValue]:
    """The sample of a case."""
    row: dict[str, JsonValue] = {"id": entry["id"], "input": asked_of(entry)}
    if "expected" in entry:
        row["target"] = text_or_texts(entry["expected"])
    if isinstance(entry.get("description"), str):
        row["description"] = entry["description"]
    variables = entry.get("vars")
    if isinstance(variables, dict) and isinstance(variables.get("choices"), list):
        row["choices"] = variables["choices"]
    return {**row, "metadata": metadata_of(entry)}


def cells_of(row: Row) -> tuple[dict[str, JsonValue], tuple[str, ...]]:
    """The row of a table as Inspect reads one: there, `input` and `target` are texts, and commas part the choices.

    Returns:
        The row, and what would be read otherwise.
    """
    cells, told = dict(row), list[str]()
    # An empty cell would not be read at all.
    cells["metadata"] = row.get("metadata", {})
    if not isinstance(row["input"], str):
        told.append("its conversation is read as one text")
    if isinstance(row.get("target"), list):
        told.append("its targets are read as one text")
    choices = row.get("choices")
    if isinstance(choices, list):
        joined = ",".join(map(str, choices))
        if _choices(joined) == choices:
            cells["choices"] = joined
        else:
            told.append("its choices are cut at each comma")
    return cells, tuple(told)
