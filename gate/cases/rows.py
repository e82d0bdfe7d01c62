"""Converts rows of other tools' datasets to cases and back."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gate.cases.case import Entry
from gate.cases.losses import Losses
from gate.cases.shapes import answers_in
from gate.cases.turns import OWN, WITHOUT, is_chat, reply_of, turns_of, with_kept
from gate.config.documents import quoted
from gate.config.values import dimension_complaint, value_complaint
from gate.config.yaml_editing import same
from gate.values import JsonValue

Row = Mapping[str, JsonValue]
TAG = "tag:"
RESERVED = frozenset({"input", "id", "slices", "expected"})
_CHATS = ("messages", "input", "chat_history")
_QUESTIONS = ("input", "question", "prompt", "query", "messages")
_REFERENCES = ("reference", "correct_reference", "correct", "answer", "target")
"""Columns of HELM's tables for the correct answer, beside `references`."""
INPUTS = ("input", "question", "prompt", "query", "text", "user_input")
_ASKED = tuple(dict.fromkeys((*_CHATS, *INPUTS)))


@dataclass(frozen=True, slots=True)
class RowPlace:
    """The place of a row, and the losses of its file."""

    line: int
    number: int
    losses: Losses

    def lost(self, what: str, remedy: str = "") -> None:
        """Add a loss of this row."""
        self.losses.add(self.line, what, remedy)


class Draft:
    """Builds a case from a row of another tool.

    Args:
        name: in the other tool; the position is used if it is not a valid id.
    """

    def __init__(self, place: RowPlace, name: JsonValue = None) -> None:
        self.place = place
        text = str(name).strip() if isinstance(name, (str, int)) and not isinstance(name, bool) else ""
        if name is not None and (not text or value_complaint(text)):
            place.lost(f"the id {quoted(str(name))} of row {place.number} cannot be used; the case is named by its row")
            text = ""
        self.case: dict[str, JsonValue] = {"id": text or f"row-{place.number}"}
        self.kept: JsonValue = None

    def ask(self, value: JsonValue, what: str = "input") -> bool:
        """Set the question; False and a loss if it is invalid."""
        question = turns_of(value, f"{what} of row {self.place.number}", self.place.line, self.place.losses)
        self.case |= question or {}
        return question is not None

    def ask_mapping(self, inputs: Row) -> bool:
        """Set the question from a mapping: a question or conversation, and the rest as variables."""
        rest = dict(inputs)
        asks = {key: is_chat(value) or isinstance(value, str) and bool(value.strip()) for key, value in rest.items()}
        names = [key for key in _ASKED if asks.get(key) and (key in INPUTS or is_chat(rest[key]))]
        question = self.choose("input", names if len(rest) > 1 else [key for key in rest if asks[key]])
        if question is None:
            return False
        if question and is_chat(rest[question]):
            if not self.ask(rest.pop(question), question):
                return False
        elif question:
            self.case["input"] = rest.pop(question)
        self.variables(rest)
        if len(self.case) == 1:
            self.place.lost(f"row {self.place.number} has no input; it is left out")
        return len(self.case) > 1

    def choose(self, field: str, names: Sequence[str]) -> str | None:
        """The only name of a field in a row, or the field's own; empty for none. None and a loss for several."""
        if field in names or len(names) < 2:
            return field if field in names else next(iter(names), "")
        said = f"row {self.place.number} has several values for {field}: {', '.join(names)}; it is left out"
        self.place.lost(said, f"name the one that counts {field!r}")
        return None

    def expect(self, value: JsonValue) -> None:
        """Set the reference answer; of a turn, its text."""
        if value is not None and value != "":
            self.case["expected"] = value if (said := reply_of(value)) is None else said

    def expect_mapping(self, outputs: Row) -> None:
        """Set the reference answer from a mapping: its only value, or the only one with a well-known key."""
        if len(outputs) == 1:
            self.expect(next(iter(outputs.values())))
        elif outputs:
            self.expect(dict(outputs))

    def variables(self, values: Row) -> None:
        """Add variables."""
        good: dict[str, JsonValue] = {}
        for key, value in values.items():
            if key in RESERVED:
                self.place.lost(f"the value {quoted(key)} of row {self.place.number} is left out: the name is reserved")
            else:
                good[key] = value
        if good:
            known = self.case.get("vars")
            self.case["vars"] = {**(known if isinstance(known, dict) else {}), **good}

    def metadata(self, value: JsonValue) -> None:
        """Add metadata: short values become slices; restores what the gate stored there."""
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                self.place.lost(f"metadata of row {self.place.number} is not a mapping and is left out")
                return
        if value and not isinstance(value, dict):
            self.place.lost(f"metadata of row {self.place.number} is not a mapping and is left out")
        for key, item in value.items() if isinstance(value, dict) else ():
            if key == OWN and isinstance(item, dict):
                self.kept = item
            else:
                self.slice(key, item)

    def describe(self, value: JsonValue) -> None:
        """Set the description."""
        if isinstance(value, str) and value.strip():
            self.case["description"] = value

    def slice(self, key: str, value: JsonValue) -> None:
        """Add a slice, if the value is short."""
        text = json.dumps(value) if isinstance(value, (bool, int, float)) else value
        if value is None or text == "":
            return
        if not isinstance(text, str) or dimension_complaint(key) or value_complaint(text):
            said = f"metadata {quoted(key)} of row {self.place.number} is not a short text and is left out"
            self.place.lost(said, "if the prompt needs the value, make it a variable")
            return
        known = self.case.get("slices")
        self.case["slices"] = {**(known if isinstance(known, dict) else {}), key: text}

    def tags(self, value: JsonValue) -> None:
        """Add tags, each as a slice `tag:NAME` with the value `yes`."""
        for tag in value if isinstance(value, list) else [value] if isinstance(value, str) and value else []:
            self.slice(f"{TAG}{tag}", "yes")

    def done(self) -> dict[str, JsonValue]:
        """The case, with the parts that the gate stored in metadata."""
        return with_kept(self.case, self.kept)


def text_or_texts(value: JsonValue) -> JsonValue:
    """A reference answer as a text or a list of texts; anything else as JSON."""
    texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return value if isinstance(value, str) or texts else json.dumps(value, ensure_ascii=False)


def metadata_of(entry: Entry) -> dict[str, JsonValue]:
    """Slices of a case as metadata."""
    slices = entry.get("slices")
    return {
        key: value
        for key, value in (slices.items() if isinstance(slices, dict) else ())
        if isinstance(value, str) and key != OWN
    }


def difference(entry: Entry, back: Entry) -> dict[str, JsonValue]:
    """What metadata must store so that a case is read back unchanged.

    Args:
        back: the case that is read from its row.
    """
    kept = {key: value for key, value in entry.items() if key not in back or not same(value, back[key])}
    removed: list[JsonValue] = [key for key in back if key not in entry]
    return {**kept, **({WITHOUT: removed} if removed else {})}


def case_of_helm(row: Row, place: RowPlace) -> dict[str, JsonValue] | None:
    """The case of a HELM instance; None and a loss without a question."""
    rest = dict(row)
    name = rest.pop("id", None)
    perturbation = rest.pop("perturbation", None)
    draft = Draft(place, None if perturbation else name)
    if perturbation:
        place.lost(f"the perturbation of row {place.number} is left out; rows of one id are one cluster")
        draft.case["cluster"] = str(name)
    question = rest.pop("input", rest.pop("input.text", None))
    if isinstance(question, dict):
        # A conversation comes with an empty text.
        question = question.get("messages") or question.get("text")
    if not draft.ask(question):
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
    singles = {key: value for key in _REFERENCES if (value := rest.pop(key, None)) is not None}
    if given is None and len(singles) > 1:
        said = f"row {draft.place.number} has several values for references: {', '.join(singles)}; they are left out"
        draft.place.lost(said, "name the one that counts 'references'")
    elif given is None:
        given = next(iter(singles.values()), None)
    items = given if isinstance(given, list) else [given] if given not in (None, "") else []
    texts = [_reference(item) for item in items]
    right = [text for text, correct in texts if correct]
    draft.expect(right[0] if len(right) == 1 else list(right) or None)
    if len(right) < len(texts):
        said = f"wrong references of row {draft.place.number} are in the variable 'choices', with the right ones"
        draft.place.lost(said, "use it in the prompt")
        draft.variables({"choices": [text for text, _ in texts]})


def _reference(item: JsonValue) -> tuple[JsonValue, bool]:
    """Its text, and whether it is the correct answer."""
    if not isinstance(item, dict):
        return item, True
    output, tags = item.get("output"), item.get("tags")
    text = output.get("text") if isinstance(output, dict) else output
    return text, isinstance(tags, list) and "correct" in tags


def case_of_inspect(row: Row, place: RowPlace) -> dict[str, JsonValue] | None:
    """The case of an Inspect sample; None and a loss without a question."""
    rest = dict(row)
    draft = Draft(place, rest.pop("id", None))
    if not draft.ask(rest.pop("input", None)):
        return None
    draft.expect(rest.pop("target", None))
    draft.metadata(rest.pop("metadata", None))
    draft.describe(rest.pop("description", None))
    for key in ("files", "setup", "sandbox", "checkpoint"):
        if rest.pop(key, None) is not None:
            place.lost(f"{key!r} of row {place.number} is left out", "an agent's files belong to its target")
    choices = rest.pop("choices", None)
    if choices is not None:
        place.lost(f"choices of row {place.number} are the variable 'choices'", "use it in the prompt")
        draft.variables({"choices": _choices(choices)})
    draft.variables(rest)
    return draft.done()


def _choices(value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        return value
    parts = value.split(",")
    return [text for part in (parts if len(parts) > 1 else value.split()) if (text := part.strip())]


_BOOKKEEPING = frozenset(
    "_xact_id _pagination_key _async_scoring_state created dataset_id project_id org_id root_span_id span_id "
    "span_parents is_root origin comments audit_data facets classifications created_at modified_at dataset_name "
    "source_run_id name".split()
)
_RECORDED = ("context", "error", "experiment_id", "metrics", "scores", "span_attributes")
"""Of Braintrust's experiments, which are exported like its datasets."""


def openai_case(row: Row, place: RowPlace) -> dict[str, JsonValue] | None:
    """The case of an OpenAI evals sample; None and a loss without a question."""
    draft = Draft(place, f"sample-{place.number}")
    return draft.done() if _asks_openai(draft, row) else None


def _openai(row: Row, place: RowPlace) -> dict[str, JsonValue] | None:
    inner = row.get("item")
    holder = dict(inner) if isinstance(inner, dict) else dict(row)
    draft = Draft(place, f"sample-{place.number}")
    draft.metadata(holder.pop("metadata", None))
    sample: Row = {**row, "item": holder} if isinstance(inner, dict) else holder
    return draft.done() if _asks_openai(draft, sample) else None


def _asks_openai(draft: Draft, row: Row) -> bool:
    item = row.get("item")
    rest = dict(item) if isinstance(item, dict) else dict(row)
    question: str | None = "input"
    answer: str | None = "ideal" if "ideal" in rest else ""
    if isinstance(item, dict):
        if "sample" in row:
            draft.place.lost(f"the recorded answer of row {draft.place.number} is left out")
        question = draft.choose("input", [name for name in _QUESTIONS if name in rest])
        answer = draft.choose("expected", [name for name in answers_in(rest) if name in rest])
    if question is None or answer is None or question and not draft.ask(rest.pop(question, None), question):
        return False
    if answer:
        draft.case["expected"] = rest.pop(answer)
    draft.variables(rest)
    if not draft.case.keys() & {"input", "messages", "vars"}:
        draft.place.lost(f"row {draft.place.number} has no input; it is left out")
        return False
    return True


def _braintrust(row: Row, place: RowPlace) -> dict[str, JsonValue] | None:
    rest = _without_bookkeeping(row, place)
    draft = Draft(place, rest.pop("id", None))
    question = rest.pop("input", None)
    good = draft.ask_mapping(question) if isinstance(question, dict) else draft.ask(question)
    if not good:
        return None
    # Old datasets call it `output`, which Braintrust's library supports; in an experiment it is the recorded answer.
    expected, output = rest.pop("expected", None), rest.pop("output", None)
    recorded = sorted(key for key in _RECORDED if rest.pop(key, None) is not None)
    if output is not None and (expected is not None or recorded):
        recorded, output = ["output", *recorded], None
    if recorded:
        place.lost(f"what an experiment recorded is left out: {', '.join(recorded)}", "the gate calls the model again")
    draft.expect(output if expected is None else expected)
    draft.metadata(rest.pop("metadata", None))
    draft.tags(rest.pop("tags", None))
    draft.variables({key: value for key, value in rest.items() if value is not None})
    return draft.done()


def _langsmith(row: Row, place: RowPlace) -> dict[str, JsonValue] | None:
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
        place.lost(f"attachments of row {place.number} are left out", "the gate sends only text")
    draft.variables({key: value for key, value in rest.items() if value is not None})
    return draft.done()


def _without_bookkeeping(row: Row, place: RowPlace) -> dict[str, JsonValue]:
    own = sorted(row.keys() & _BOOKKEEPING)
    if own:
        place.lost(f"{', '.join(own)} are the other tool's own; they are left out")
    return {key: value for key, value in row.items() if key not in _BOOKKEEPING}


READERS: Mapping[str, Callable[[Row, RowPlace], dict[str, JsonValue] | None]] = {
    "openai-evals": _openai,
    "openai-items": _openai,
    "inspect": case_of_inspect,
    "braintrust": _braintrust,
    "langsmith": _langsmith,
    "helm": case_of_helm,
}
"""Reads a row of each format; None and a loss for a row without a question."""


def openai_sample(entry: Entry) -> dict[str, JsonValue]:
    """The sample of OpenAI evals for a case that has a question."""
    question = entry.get("input", entry.get("messages"))
    sample: dict[str, JsonValue] = {"input": question}
    if isinstance(question, str):
        sample["input"] = [{"role": "user", "content": question}]
    if "expected" in entry:
        sample["ideal"] = text_or_texts(entry["expected"])
    return {**_other_variables(entry, sample), **sample}


def openai_item(entry: Entry) -> dict[str, JsonValue]:
    """The item of a case for the hosted service of OpenAI."""
    item = {key: entry[key] for key in ("input", "messages", "expected") if key in entry}
    return {**_other_variables(entry, item), **item}


def _other_variables(entry: Entry, row: Row) -> dict[str, JsonValue]:
    variables = entry.get("vars")
    taken = {*row, "item", "sample", "metadata"}
    return {key: value for key, value in (variables.items() if isinstance(variables, dict) else ()) if key not in taken}
