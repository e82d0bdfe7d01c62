"""Which format a file has, told by its name and by what its rows hold; where that is not safe, nothing is guessed."""

import posixpath
from collections.abc import Collection, Sequence

from gate.errors import GateError
from gate.formats.containers import Found
from gate.formats.layouts import LAYOUTS
from gate.inputs.promptfoo.sheet import is_sheet
from gate.inputs.promptfoo.tests import KEYS as TEST_KEYS
from gate.inputs.prompty import is_prompty
from gate.inputs.promptyml import is_prompt_yml

GATE, CSV, PROMPTFOO, PROMPT_YML, PROMPTY = "gate", "csv", "promptfoo", "prompt-yml", "prompty"
FORMATS = (GATE, CSV, PROMPTFOO, *LAYOUTS, PROMPT_YML, PROMPTY)
_LOOKED_AT = 100
_CONFIGS = (".yaml", ".yml", ".json")
_PROMPTFOO = tuple(f".promptfoo{ending}" for ending in _CONFIGS)
_ASKS = frozenset({"input", "messages", "conversation", "rounds", "prompt", "vars"})
_BRAINTRUST = frozenset({"_xact_id", "root_span_id", "span_id", "dataset_id", "project_id", "tags"})


def by_name(file: str) -> str:
    """The format that a name alone tells; empty where the rows have to be looked at."""
    if is_prompt_yml(file):
        return PROMPT_YML
    return PROMPTFOO if is_promptfoo(file) else PROMPTY if is_prompty(file) else ""


def is_promptfoo(file: str) -> bool:
    """Is this what promptfoo calls its configurations?"""
    name = posixpath.basename(file).lower()
    return (name.startswith("promptfooconfig") and name.endswith(_CONFIGS)) or name.endswith(_PROMPTFOO)


def detected(found: Found, file: str) -> str:
    """The format of the rows of a file.

    Raises:
        GateError: it may be several, or none.
    """
    keys = [frozenset(row) for _, row in found.rows[:_LOOKED_AT]]
    if found.headings:
        return _of_table(found.headings, keys)
    first = found.rows[0][1]
    if all("inputs" in one for one in keys):
        return "langsmith"
    if all(one <= {"item", "sample"} and "item" in one for one in keys):
        return "openai-items"
    if all("references" in one and "input" in one for one in keys) and isinstance(first.get("input"), dict):
        return "helm"
    if all("id" not in one and one <= TEST_KEYS and one & {"vars", "assert"} for one in keys):
        return PROMPTFOO
    if any(one & _BRAINTRUST for one in keys) or _is_braintrust(found):
        return "braintrust"
    if all("input" in one and "target" in one for one in keys):
        return "inspect"
    if all("id" not in one and "input" in one for one in keys) and any(
        "ideal" in one or isinstance(row.get("input"), list) for one, (_, row) in zip(keys, found.rows, strict=False)
    ):
        return "openai-evals"
    if all(one & {"id", "name"} and one & _ASKS for one in keys):
        # Its reader names every mistake.
        return GATE
    raise unknown(file)


def _is_braintrust(found: Found) -> bool:
    """Rows with `metadata` or a question in a mapping, which no other of these forms has beside `expected`."""
    rows = [row for _, row in found.rows[:_LOOKED_AT]]
    plain = all("input" in row and row.keys() <= {"id", "input", "expected", "metadata"} for row in rows)
    return plain and any("metadata" in row or isinstance(row["input"], dict) for row in rows)


def _of_table(headings: Sequence[str], keys: Sequence[Collection[str]]) -> str:
    known = set(headings)
    if is_sheet(headings):
        return PROMPTFOO
    if (
        known >= {"inputs", "outputs"}
        or any(one.startswith("input_") for one in known)
        and any(one.startswith("output_") for one in known)
    ):
        return "langsmith"
    if "references" in known or ("input.text" in known):
        return "helm"
    if known & _BRAINTRUST or ("input" in known and "expected" in known and "metadata" in known):
        return "braintrust"
    if known >= {"input", "target"}:
        return "inspect"
    return CSV


def unknown(file: str) -> GateError:
    """Nobody can tell what this is."""
    return GateError(f"cannot tell the format of {file}", f"say it with --from: {', '.join(FORMATS)}")
