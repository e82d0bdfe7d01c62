"""How each tool writes down one example: rows to cases, and cases to rows.

OpenAI evals: https://github.com/openai/evals/blob/main/docs/build-eval.md
Inspect: https://inspect.aisi.org.uk/datasets.html
Braintrust: https://www.braintrust.dev/docs/annotate/datasets/create
LangSmith: https://docs.langchain.com/langsmith/manage-datasets-programmatically
HELM: https://crfm-helm.readthedocs.io (Instance and Reference of its scenarios)
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.formats.shared import Draft, Place, Row, asked_of, mapping_of, metadata_of, tags_of
from gate.inputs import openaievals
from gate.inputs.nodes import wrap

_BOOKKEEPING = frozenset(
    "_xact_id _pagination_key _async_scoring_state created dataset_id project_id org_id root_span_id span_id "
    "span_parents is_root origin comments audit_data facets classifications created_at modified_at dataset_name "
    "source_run_id name".split()
)


@dataclass(frozen=True, slots=True)
class Layout:
    """One form of row.

    Args:
        read: the case that a row stands for; None, and a word, where it cannot be asked.
        write: the row for a case.
        metadata: key under which a row has metadata.
        asks: every row needs a question of its own; templates and variables are unknown.
        holder: key of the mapping that holds all of a row; empty where the row itself does.
        spread: mappings whose entries are columns of their own in a table, `inputs` as `input_…`.
    """

    read: Callable[[Row, Place], dict[str, JsonValue] | None]
    write: Callable[[Entry], dict[str, JsonValue]]
    metadata: str = "metadata"
    asks: bool = False
    holder: str = ""
    spread: tuple[str, ...] = ()


def _openai(row: Row, place: Place) -> dict[str, JsonValue] | None:
    rest = dict(row)
    inner = rest.get("item")
    holder = dict(inner) if isinstance(inner, dict) else rest
    draft = Draft(place)
    draft.metadata(holder.pop("metadata", None))
    node = wrap({**rest, "item": holder} if isinstance(inner, dict) else holder, place.line)
    case = openaievals.case_of(node, place.number, place.tell)
    if case is None:
        return None
    draft.case = {**case, **({"slices": draft.case["slices"]} if "slices" in draft.case else {})}
    return draft.done()


def _chat(entry: Entry) -> JsonValue:
    asked = asked_of(entry)
    return [{"role": "user", "content": asked}] if isinstance(asked, str) else asked


def _as_openai(entry: Entry) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {"input": _chat(entry)}
    if "expected" in entry:
        row["ideal"] = entry["expected"]
    return {**_variables(entry, row), **row}


def _as_item(entry: Entry) -> dict[str, JsonValue]:
    item = {key: entry[key] for key in ("input", "messages", "expected") if key in entry}
    return {"item": {**_variables(entry, item), **item}}


def _variables(entry: Entry, row: Row) -> dict[str, JsonValue]:
    variables = entry.get("vars")
    taken = {*row, "item", "sample", "metadata"}
    return {key: value for key, value in (variables.items() if isinstance(variables, dict) else ()) if key not in taken}


def _inspect(row: Row, place: Place) -> dict[str, JsonValue] | None:
    rest = dict(row)
    draft = Draft(place, rest.pop("id", None))
    if not draft.ask(rest.pop("input", None)):
        return None
    draft.expect(rest.pop("target", None))
    draft.metadata(rest.pop("metadata", None))
    for key in ("files", "setup", "sandbox"):
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
    return [part.strip() for part in (parts if len(parts) > 1 else value.split())]


def _as_inspect(entry: Entry) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {"id": entry["id"], "input": asked_of(entry)}
    if "expected" in entry:
        expected = entry["expected"]
        texts = isinstance(expected, list) and all(isinstance(item, str) for item in expected)
        row["target"] = expected if isinstance(expected, str) or texts else json.dumps(expected)
    variables = entry.get("vars")
    if isinstance(variables, dict) and isinstance(variables.get("choices"), list):
        row["choices"] = variables["choices"]
    return {**row, "metadata": metadata_of(entry)}


def _braintrust(row: Row, place: Place) -> dict[str, JsonValue] | None:
    rest = _without_bookkeeping(row, place)
    draft = Draft(place, rest.pop("id", None))
    asked = rest.pop("input", None)
    good = draft.ask_mapping(asked) if isinstance(asked, dict) else draft.ask(asked)
    if not good:
        return None
    draft.expect(rest.pop("expected", None))
    draft.metadata(rest.pop("metadata", None))
    draft.tags(rest.pop("tags", None))
    draft.variables({key: value for key, value in rest.items() if value is not None})
    return draft.done()


def _as_braintrust(entry: Entry) -> dict[str, JsonValue]:
    asked = mapping_of(entry) if "vars" in entry else asked_of(entry)
    row: dict[str, JsonValue] = {"id": entry["id"], "input": asked}
    if "expected" in entry:
        row["expected"] = entry["expected"]
    tags = tags_of(entry)
    return {**row, "metadata": metadata_of(entry, tags=True), **({"tags": tags} if tags else {})}


def _langsmith(row: Row, place: Place) -> dict[str, JsonValue] | None:
    rest = _without_bookkeeping(row, place)
    draft = Draft(place, rest.pop("id", None))
    inputs, outputs = rest.pop("inputs", None), rest.pop("outputs", None)
    if not (draft.ask_mapping(inputs) if isinstance(inputs, dict) else draft.ask(inputs, "inputs")):
        return None
    if isinstance(outputs, dict):
        draft.expect_mapping(outputs)
    else:
        draft.expect(outputs)
    metadata = rest.pop("metadata", None)
    split = metadata.get("dataset_split") if isinstance(metadata, dict) else None
    if isinstance(metadata, dict) and isinstance(split, list) and len(split) == 1:
        metadata = {**metadata, "dataset_split": split[0]}
    draft.metadata(metadata)
    for key in ("split", "dataset_split"):
        draft.slice(key, rest.pop(key, None))
    if rest.pop("attachments", None):
        place.lost(f"attachments of row {place.number} are left out", "the gate asks in words")
    draft.variables({key: value for key, value in rest.items() if value is not None})
    return draft.done()


def _as_langsmith(entry: Entry) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {"id": entry["id"], "inputs": mapping_of(entry)}
    row["outputs"] = {"output": entry["expected"]} if "expected" in entry else {}
    return {**row, "metadata": metadata_of(entry)}


def _without_bookkeeping(row: Row, place: Place) -> dict[str, JsonValue]:
    own = sorted(row.keys() & _BOOKKEEPING)
    if own:
        place.lost(f"{', '.join(own)} are the other tool's own, and are left out")
    return {key: value for key, value in row.items() if key not in _BOOKKEEPING}


def _helm(row: Row, place: Place) -> dict[str, JsonValue] | None:
    rest = dict(row)
    name = rest.pop("id", None)
    perturbation = rest.pop("perturbation", None)
    draft = Draft(place, None if perturbation else name)
    if perturbation:
        place.lost(f"the perturbation of row {place.number} is left out; rows of one id are one cluster")
        draft.case["cluster"] = str(name)
    asked = rest.pop("input", rest.pop("input.text", None))
    if not draft.ask(asked.get("text") if isinstance(asked, dict) else asked):
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


def _as_helm(entry: Entry) -> dict[str, JsonValue]:
    asked = asked_of(entry)
    expected = entry.get("expected")
    texts = expected if isinstance(expected, list) else [] if expected is None else [expected]
    variables = entry.get("vars")
    choices = variables.get("choices") if isinstance(variables, dict) else None
    wrong = [text for text in choices if text not in texts] if isinstance(choices, list) else []
    tags: list[tuple[JsonValue, list[JsonValue]]] = [(text, ["correct"]) for text in texts]
    tags += [(text, []) for text in wrong]
    references: list[JsonValue] = [{"output": {"text": _text(text)}, "tags": given} for text, given in tags]
    slices = metadata_of(entry)
    row: dict[str, JsonValue] = {"id": entry["id"], "input": {"text": _text(asked)}, "references": references}
    row |= {key: slices.pop(key) for key in ("split", "sub_split") if key in slices}
    return {**row, "extra_data": slices}


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


LAYOUTS: Mapping[str, Layout] = {
    "openai-evals": Layout(_openai, _as_openai, asks=True),
    "openai-items": Layout(_openai, _as_item, holder="item"),
    "inspect": Layout(_inspect, _as_inspect, asks=True),
    "braintrust": Layout(_braintrust, _as_braintrust),
    "langsmith": Layout(_langsmith, _as_langsmith, spread=("inputs", "outputs")),
    "helm": Layout(_helm, _as_helm, metadata="extra_data", asks=True),
}
