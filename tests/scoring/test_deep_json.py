"""However deep JSON from elsewhere is nested, it is read or refused, and nothing else happens."""

import sys

import pytest

from gate.cases.case import Case
from gate.config.documents import BadJson, parse_json
from gate.messages import ToolCall
from gate.record.transcript import ToolUse, Transcript, Turn, Unscored, recorded
from gate.scoring.interface import Subject
from gate.scoring.validators.tool_calls import tools
from gate.values import DEPTH, JsonValue, too_deep

TREE: JsonValue = {
    "$defs": {"t": {"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}}}},
    "$ref": "#/$defs/t",
}


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("inner", ["1", r'"\u0041"'])
def test_text_of_every_depth_is_read_or_refused(opening: str, closing: str, inner: str) -> None:
    # The parser and the encoder of the library give up at different depths, both near the interpreter's limit.
    for depth in (1, DEPTH, DEPTH + 1, *range(sys.getrecursionlimit() - 60, sys.getrecursionlimit() + 20), 100_000):
        text = opening * depth + inner + closing * depth
        if depth <= DEPTH:
            assert not too_deep(parse_json(text))
            continue
        with pytest.raises(BadJson, match="nested more than 64 levels deep"):
            parse_json(text)


@pytest.mark.parametrize("depth", [DEPTH, DEPTH + 1, 300, 900, 3_000])
def test_arguments_of_every_depth_are_held_against_a_schema(depth: int) -> None:
    arguments = '{"a":' * depth + "{}" + "}" * depth
    assert (ToolCall("", "get", arguments).parsed is None) == (depth > DEPTH)
    said = Transcript("session-1", (Turn(0, "x", "case", "x", (ToolUse("get", arguments, ""),)),))
    found, reason = tools({"arguments": {"get": {"schema": TREE}}}, Subject(Case("c", "x"), "x", transcript=said))
    assert found == (1.0 if depth <= DEPTH else 0.0), reason


@pytest.mark.parametrize("asked", [{"subset": {"path": "a.md"}}, {"schema": {"required": ["path"]}}])
def test_arguments_that_were_cut_are_no_wrong_ones(asked: JsonValue) -> None:
    use = recorded(ToolUse("write", '{"text": "' + "x" * 30_000 + '", "path": "a.md"}', ""))
    said = Transcript("session-1", (Turn(0, "x", "case", "x", (use,)),))
    found, _ = tools({"arguments": {"write": asked}}, Subject(Case("c", "x"), "x", transcript=said))
    assert found == Unscored("arguments of write are too long, and were cut, so they cannot be checked")
