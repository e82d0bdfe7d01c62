"""Reads datasets of DeepEval: goldens and test cases, of one turn or of a conversation.

https://deepeval.com/docs/evaluation-datasets
"""

import re

from gate.cases.dataset_rows import NO_EQUAL, DatasetDraft, is_given, mapping_in, texts_in
from gate.cases.rows import Row, RowPlace
from gate.cases.shapes import snake_case
from gate.values import JsonValue

_RECORDED = (
    "actual_output", "tools_called", "mcp_tools_called", "mcp_resources_called", "mcp_prompts_called", "token_cost",
    "input_token_count", "output_token_count", "completion_time",
)  # fmt: skip
_OF_TURN = ("user_id", "retrieval_context", *_RECORDED, "metadata", "additional_metadata", "audio", "latency_ms")
_OTHERS = ("expected_labels", "mcp_servers", "images_mapping", "chatbot_role")
_NO_LOSS = ("multimodal", "flaky")
_PICTURE = re.compile(r"\[DEEPEVAL:(?:IMAGE|PDF):[^\]]*\]")
_SOURCED = re.compile(r"deepeval_source=(.*?),deepeval_context=(.*)", re.DOTALL)
_DELIMITER = "|"
"""Between the texts of a list in a cell, and in JSON Lines."""


def deepeval_case(row: Row, place: RowPlace) -> dict[str, JsonValue] | None:
    """The case of a golden or a test case; None and a loss without a question."""
    rest = {snake_case(key): value for key, value in row.items()}
    draft = DatasetDraft(place, rest.pop("id", None) or rest.pop("name", None))
    rest.pop("name", None)
    if not (_talk(draft, rest) if is_given(rest.get("scenario")) else _question(draft, rest)):
        return None
    draft.expect(rest.pop("expected_output", None))
    draft.expect_tools(rest.pop("expected_tools", None), "all", "expected_tools")
    _expectations(draft, mapping_in(rest.pop("expectations", None)))
    for key in ("context", "retrieval_context"):
        _context(draft, key, rest.pop(key, None))
    draft.describe(rest.pop("comments", None))
    draft.slice("source_file", rest.pop("source_file", None))
    for key in ("additional_metadata", "metadata"):
        draft.metadata(rest.pop(key, None))
    draft.tags(rest.pop("tags", None))
    draft.variables(mapping_in(rest.pop("custom_column_key_values", None)))
    draft.leave_out_recorded(rest, _RECORDED)
    draft.leave_out(rest, _OTHERS, NO_EQUAL)
    draft.variables({key: value for key, value in rest.items() if is_given(value) and key not in _NO_LOSS})
    return draft.done()


def _question(draft: DatasetDraft, rest: dict[str, JsonValue]) -> bool:
    rest.pop("scenario", None)
    asked = rest.pop("input", None)
    if isinstance(asked, str) and _PICTURE.search(asked):
        draft.place.lost(f"row {draft.place.number} asks about a picture or PDF; it is left out")
        return False
    return draft.ask(asked)


def _talk(draft: DatasetDraft, rest: dict[str, JsonValue]) -> bool:
    """A conversation so far; without turns, a user whom a model plays."""
    scenario, turns = rest.pop("scenario"), rest.pop("turns", None)
    persona = mapping_in(rest.pop("persona", None))
    person = texts_in(persona.pop("characteristics", None)) or texts_in(rest.get("user_description"))
    rest.pop("user_description", None)
    draft.judge_by(texts_in(rest.pop("expected_outcome", None)))
    if is_given(turns):
        draft.describe(scenario)
        _of_turns(draft, turns)
        if person:
            said = f"persona and user_description of row {draft.place.number} are left out, since turns are given"
            draft.place.lost(said)
        return draft.ask_conversation(turns, "turns")
    if not isinstance(scenario, str) or not scenario.strip():
        draft.place.lost(f"the scenario of row {draft.place.number} is not a text, so the row is left out")
        return False
    name = persona.pop("name", None)
    who = [f"{name}: {text}" if isinstance(name, str) and name else text for text in person]
    draft.leave_out(persona, sorted(persona), NO_EQUAL)
    draft.case["user"] = {**({"persona": who[0]} if who else {}), "goal": scenario}
    return True


def _of_turns(draft: DatasetDraft, turns: JsonValue) -> None:
    """Add one loss for all that was recorded beside the texts of the turns."""
    rows = [mapping_in(turn) for turn in turns] if isinstance(turns, list) else []
    named = {key: value for row in rows for key, value in row.items() if is_given(value)}
    draft.leave_out(
        {snake_case(key): value for key, value in named.items()},
        _OF_TURN,
        "because it stands beside the texts of turns",
    )


def _expectations(draft: DatasetDraft, given: dict[str, JsonValue]) -> None:
    wanted = texts_in(given.pop("must", None))
    unwanted = texts_in(given.pop("must_not", given.pop("mustNot", None)))
    draft.judge_by([*(f"The answer must: {text}" for text in wanted),
                    *(f"The answer must not: {text}" for text in unwanted)])  # fmt: skip
    draft.leave_out(given, sorted(given), NO_EQUAL)


def _context(draft: DatasetDraft, key: str, value: JsonValue) -> None:
    """Add a variable with the list of texts; the source of a text is a loss."""
    if not is_given(value):
        return
    items = value.split(_DELIMITER) if isinstance(value, str) else value if isinstance(value, list) else [value]
    found: list[JsonValue] = []
    for item in items:
        sourced = _SOURCED.fullmatch(item) if isinstance(item, str) else None
        if isinstance(item, dict) and isinstance(item.get("context"), str):
            found.append(item["context"])
        else:
            found.append(sourced[2] if sourced else item)
        if sourced or isinstance(item, dict):
            draft.place.lost(f"the source of a text in {key} of row {draft.place.number} is left out")
    draft.variables({key: found})
