"""Instances of HELM, with their references.

https://crfm-helm.readthedocs.io (Instance and Reference of its scenarios)
"""

import json

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.formats.shared import Draft, Place, Row, asked_of, metadata_of


def case_of(row: Row, place: Place) -> dict[str, JsonValue] | None:
    """The case of an instance; None, and a loss, where it asks nothing."""
    rest = dict(row)
    name = rest.pop("id", None)
    perturbation = rest.pop("perturbation", None)
    draft = Draft(place, None if perturbation else name)
    if perturbation:
        place.lost(f"the perturbation of row {place.number} is left out; rows of one id are one cluster")
        draft.case["cluster"] = str(name)
    asked = rest.pop("input", rest.pop("input.text", None))
    if isinstance(asked, dict):
        # A conversation stands beside an empty text.
        asked = asked.get("messages") or asked.get("text")
    if not draft.ask(asked):
        return None
    _references(rest, draft)
    for key in ("split", "sub_split"):
        draft.slice(key, rest.pop(key, None))
    draft.metadata(rest.pop("extra_data", None))
    for key in ("contrast_inputs", "contrast_references"):
        if rest.pop(key, None):
            place.lost(f"{key!r} of row {place.number} is left out", "write them as cases of one cluster")
    draft.variables({key: value for key, value in rest.items() if value is not None})
    return draft.done()


def _references(rest: dict[str, JsonValue], draft: Draft) -> None:
    given = rest.pop("references", None)
    for key in ("reference", "correct_reference", "correct", "answer", "target"):
        single = rest.pop(key, None)
        given = single if given is None else given
    items = given if isinstance(given, list) else [given] if given not in (None, "") else []
    texts = [_reference(item) for item in items]
    right = [text for text, correct in texts if correct]
    draft.expect(right[0] if len(right) == 1 else list(right) or None)
    if len(right) < len(texts):
        said = f"wrong references of row {draft.place.number} are in the variable 'choices', with the right ones"
        draft.place.lost(said, "show them in the prompt")
        draft.variables({"choices": [text for text, _ in texts]})


def _reference(item: JsonValue) -> tuple[JsonValue, bool]:
    """Its text, and whether it is right."""
    if not isinstance(item, dict):
        return item, True
    output, tags = item.get("output"), item.get("tags")
    text = output.get("text") if isinstance(output, dict) else output
    return text, isinstance(tags, list) and "correct" in tags


def row_of(entry: Entry) -> dict[str, JsonValue]:
    """The instance of a case."""
    asked = asked_of(entry)
    expected = entry.get("expected")
    texts = expected if isinstance(expected, list) else [] if expected is None else [expected]
    variables = entry.get("vars")
    choices = variables.get("choices") if isinstance(variables, dict) else None
    wrong = [text for text in choices if text not in texts] if isinstance(choices, list) else []
    tags: list[tuple[JsonValue, list[JsonValue]]] = [(text, ["correct"]) for text in texts]
    tags += [(text, []) for text in wrong]
    references: list[JsonValue] = [{"output": {"text": _text(text)}, "tags": tagged} for text, tagged in tags]
    slices = metadata_of(entry)
    given: dict[str, JsonValue] = {"text": asked} if isinstance(asked, str) else {"text": "", "messages": asked}
    row: dict[str, JsonValue] = {"id": entry["id"], "input": given, "references": references}
    row |= {key: slices.pop(key) for key in ("split", "sub_split") if key in slices}
    return {**row, "extra_data": slices}


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
