"""Samples of OpenAI evals: `{"input": […], "ideal": …}` of the open framework, `{"item": {…}}` of the hosted service.

https://github.com/openai/evals/blob/main/docs/build-eval.md
"""

from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.inputs.messages import Tell, turns_of

KNOWN = ("input", "ideal", "item")
_EXPECTED = ("ideal", "expected", "expected_output", "correct_label", "label", "ground_truth", "reference", "answer")
_INPUT = ("input", "question", "prompt", "query", "messages")


def is_sample(entries: Mapping[str, JsonValue]) -> bool:
    """Is a row such a sample, and no case of the gate's own?"""
    if entries.keys() in ({"item"}, {"item", "sample"}):
        return isinstance(entries["item"], Mapping)
    return "id" not in entries and "input" in entries and ("ideal" in entries or _is_chat(entries["input"]))


def case_of(sample: Mapping[str, JsonValue], number: int, line: int, tell: Tell) -> dict[str, JsonValue] | None:
    """The case that a sample stands for; None, and a word about it, where it cannot be asked.

    Args:
        sample: as it stands in the file.
        number: its place, from 1; it is called `sample-1` after it.
        line: where it stands; 0 where nobody knows.
        tell: hears of what is not brought along.
    """
    row = dict(sample)
    if isinstance(row.get("item"), dict):
        if "sample" in row:
            tell.add(line, f"the recorded answer of sample {number} is left out")
        return _item(row["item"], number, line, tell)
    case: dict[str, JsonValue] = {"id": f"sample-{number}"}
    asked = turns_of(row.pop("input", None), f"input of sample {number}", line, tell)
    if asked is None:
        return None
    case |= asked
    if "ideal" in row:
        case["expected"] = row.pop("ideal")
    variables = {key: value for key, value in row.items() if key not in _RESERVED}
    for key in sorted(row.keys() & set(_RESERVED)):
        tell.add(line, f"{key!r} of sample {number} is left out: it is a word of the gate's own")
    return {**case, **({"vars": variables} if variables else {})}


_RESERVED = ("id", "slices", "expected", "input")


def _item(value: JsonValue, number: int, line: int, tell: Tell) -> dict[str, JsonValue] | None:
    item = dict(value) if isinstance(value, dict) else {}
    case: dict[str, JsonValue] = {"id": f"sample-{number}"}
    if (question := next((key for key in _INPUT if key in item), None)) is not None:
        asked = turns_of(item.pop(question), f"{question} of sample {number}", line, tell)
        if asked is None:
            return None
        case |= asked
    if (answer := next((key for key in _EXPECTED if key in item), None)) is not None:
        case["expected"] = item.pop(answer)
    for key in [key for key in item if key in _RESERVED]:
        tell.add(line, f"{key!r} of sample {number} is left out: it is a word of the gate's own")
        del item[key]
    if not item and len(case) == 1:
        tell.add(line, f"sample {number} holds nothing to ask, and is left out")
        return None
    return {**case, **({"vars": item} if item else {})}


def _is_chat(value: JsonValue) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and "role" in one for one in value)
