"""How each tool writes down one example: rows to cases, and cases to rows.

OpenAI evals: https://github.com/openai/evals/blob/main/docs/build-eval.md
Braintrust: https://www.braintrust.dev/docs/annotate/datasets/create
LangSmith: https://docs.langchain.com/langsmith/manage-datasets-programmatically
Inspect and HELM are beside this.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gate.cases import openai_evals
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.formats import helm_rows, inspect_rows
from gate.formats.shared import Draft, Place, Row, asked_of, mapping_of, metadata_of, tags_of, text_or_texts

_BOOKKEEPING = frozenset(
    "_xact_id _pagination_key _async_scoring_state created dataset_id project_id org_id root_span_id span_id "
    "span_parents is_root origin comments audit_data facets classifications created_at modified_at dataset_name "
    "source_run_id name".split()
)
_RECORDED = ("context", "error", "experiment_id", "metrics", "scores", "span_attributes")
"""Of Braintrust's experiments, which are exported like its datasets."""


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
        tabular: the row as cells can hold it, and what the other tool then reads otherwise.
    """

    read: Callable[[Row, Place], dict[str, JsonValue] | None]
    write: Callable[[Entry], dict[str, JsonValue]]
    metadata: str = "metadata"
    asks: bool = False
    holder: str = ""
    spread: tuple[str, ...] = ()
    tabular: Callable[[Row], tuple[dict[str, JsonValue], tuple[str, ...]]] = lambda row: (dict(row), ())


def _openai(row: Row, place: Place) -> dict[str, JsonValue] | None:
    rest = dict(row)
    inner = rest.get("item")
    holder = dict(inner) if isinstance(inner, dict) else rest
    draft = Draft(place)
    draft.metadata(holder.pop("metadata", None))
    sample = {**rest, "item": holder} if isinstance(inner, dict) else holder
    case = openai_evals.case_of(sample, place.number, place.line, place.tell)
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
        row["ideal"] = text_or_texts(entry["expected"])
    return {**_variables(entry, row), **row}


def _as_item(entry: Entry) -> dict[str, JsonValue]:
    item = {key: entry[key] for key in ("input", "messages", "expected") if key in entry}
    return {"item": {**_variables(entry, item), **item}}


def _variables(entry: Entry, row: Row) -> dict[str, JsonValue]:
    variables = entry.get("vars")
    taken = {*row, "item", "sample", "metadata"}
    return {key: value for key, value in (variables.items() if isinstance(variables, dict) else ()) if key not in taken}


def _braintrust(row: Row, place: Place) -> dict[str, JsonValue] | None:
    rest = _without_bookkeeping(row, place)
    draft = Draft(place, rest.pop("id", None))
    asked = rest.pop("input", None)
    good = draft.ask_mapping(asked) if isinstance(asked, dict) else draft.ask(asked)
    if not good:
        return None
    # Datasets of former days call it `output`, as its own library knows; in an experiment that is the recorded answer.
    expected, output = rest.pop("expected", None), rest.pop("output", None)
    recorded = sorted(key for key in _RECORDED if rest.pop(key, None) is not None)
    if output is not None and (expected is not None or recorded):
        recorded, output = ["output", *recorded], None
    if recorded:
        place.lost(f"what an experiment recorded is left out: {', '.join(recorded)}", "the gate asks anew")
    draft.expect(output if expected is None else expected)
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


LAYOUTS: Mapping[str, Layout] = {
    "openai-evals": Layout(_openai, _as_openai, asks=True),
    "openai-items": Layout(_openai, _as_item, holder="item"),
    "inspect": Layout(inspect_rows.case_of, inspect_rows.row_of, asks=True, tabular=inspect_rows.cells_of),
    "braintrust": Layout(_braintrust, _as_braintrust),
    "langsmith": Layout(_langsmith, _as_langsmith, spread=("inputs", "outputs")),
    "helm": Layout(helm_rows.case_of, helm_rows.row_of, metadata="extra_data", asks=True),
}
