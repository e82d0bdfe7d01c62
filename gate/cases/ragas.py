"""Reads datasets of ragas, of version 0.2 and later, and of those before.

https://docs.ragas.io/en/stable/concepts/components/eval_dataset/
"""

import ast
import json
import re
from collections.abc import Sequence

from gate.cases.dataset_rows import NO_EQUAL, DatasetDraft, is_given, mapping_in
from gate.cases.rows import Row, RowPlace
from gate.cases.shapes import is_ragas
from gate.cases.turns import is_chat
from gate.config.documents import BadJson, parse_json
from gate.values import JsonValue

_RECORDED = ("response", "multi_responses", "answer", "episode_done")
_LISTS = frozenset(
    "retrieved_contexts reference_contexts retrieved_context_ids reference_context_ids contexts ground_truths rubrics "
    "multi_responses reference_tool_calls reference_topics".split()
)
_SLICES = ("persona_name", "query_style", "query_length", "synthesizer_name", "evolution_type")
_TURNS = "[{"
_TEXT = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_TEXTS = re.compile(rf"\[\s*+(?:{_TEXT}[\s,]*+)*+\]", re.DOTALL)
"""A list of texts as Python prints it, or numpy, which writes no commas."""
_DATA = re.compile(rf"(?:{_TEXT}(?!\s*+['\"])|None|True|False|-?[0-9]++(?:\.[0-9]++)?|[\[\]{{}},:\s])*+", re.DOTALL)
"""Lists and mappings as Python prints them."""


def samples_in(columns: Row) -> list[Row] | None:
    """The rows of a dataset that is written by columns; None for any other mapping."""
    lists = [value for value in columns.values() if isinstance(value, list)]
    asked = columns.get("user_input", columns.get("question"))
    if not is_ragas(columns) or len(lists) < len(columns) or not isinstance(asked, list) or is_messages(asked):
        return None
    if len({len(values) for values in lists}) > 1:
        return None
    return [dict(zip(columns, values, strict=True)) for values in zip(*lists, strict=True)]


def is_messages(value: Sequence[JsonValue]) -> bool:
    """Is a list one conversation, not a column of conversations?"""
    return bool(value) and isinstance(value[0], dict) and is_chat(list(value))


def ragas_case(row: Row, place: RowPlace) -> dict[str, JsonValue] | None:
    """The case of a sample; None and a loss without a question."""
    rest = {key: _value(key, value, place) for key, value in row.items()}
    draft = DatasetDraft(place, rest.pop("id", None))
    key = "user_input" if "user_input" in rest else "question"
    asked = rest.pop(key, None)
    if isinstance(asked, str) and asked.startswith(_TURNS):
        place.lost(f"{key} of row {place.number} is a list that cannot be read, so the row is left out")
        return None
    if not draft.ask_conversation(asked, key):
        return None
    _reference(draft, rest)
    _rubrics(draft, rest.pop("rubrics", None))
    draft.expect_tools(rest.pop("reference_tool_calls", None), "in_order", "reference_tool_calls")
    for name in _SLICES:
        draft.slice(name, rest.pop(name, None))
    draft.metadata(rest.pop("metadata", None))
    draft.leave_out_recorded(rest, _RECORDED)
    draft.leave_out(rest, ("reference_topics",), NO_EQUAL, "write criteria for a judge")
    draft.variables({name: value for name, value in rest.items() if is_given(value)})
    return draft.done()


def _reference(draft: DatasetDraft, rest: dict[str, JsonValue]) -> None:
    given = [value for key in ("reference", "ground_truth", "ground_truths") if is_given(value := rest.pop(key, None))]
    first = given[0] if given else None
    draft.expect(first[0] if isinstance(first, list) and len(first) == 1 else first)


def _rubrics(draft: DatasetDraft, value: JsonValue) -> None:
    scores = mapping_in(value)
    if is_given(value) and not scores:
        draft.place.lost(f"rubrics of row {draft.place.number} are not a mapping and are left out")
    draft.judge_by(f"{name.replace('_description', '')}: {text}" for name, text in scores.items() if is_given(text))
    if scores:
        draft.place.lost(
            f"rubrics of row {draft.place.number} are criteria of the suite's judge, whose score goes from 0 to 1",
            "check its scores once",
        )


def _value(key: str, value: JsonValue, place: RowPlace) -> JsonValue:
    """The value; of a cell with a list or mapping as Python prints it, that list or mapping."""
    turns = isinstance(value, str) and key == "user_input" and value.startswith(_TURNS)
    if not isinstance(value, str) or not (turns or key in _LISTS and value[:1] in ("[", "{")):
        return value
    try:
        if _TEXTS.fullmatch(value):
            return [ast.literal_eval(text) for text in re.findall(_TEXT, value, re.DOTALL)]
        if _DATA.fullmatch(value):
            return parse_json(json.dumps(ast.literal_eval(value)))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, BadJson):
        pass
    if not turns:
        place.lost(f"{key} of row {place.number} is a list that cannot be read; it stays a text", "export JSON Lines")
    return value
