"""Generated tests into the test data of a `.prompt.yml`, all else in the file left as it is."""

from collections.abc import Sequence

from gate.casefiles.places import Draft
from gate.domain.jsonvalue import JsonValue
from gate.domain.promptspec import GeneratedTest
from gate.errors import GateError
from gate.inputs.promptyml import TEST_DATA

_RESERVED = frozenset({"id", "input", "expected"})
_HINT = "write the tests to a case file instead"


def with_test_data(text: str, tests: Sequence[GeneratedTest], file: str = "the prompt file") -> str:
    """The file with tests at the end of its `testData`; comments, quoting, order and its own data stay, to the byte.

    A test is told by its `id`: one that is there already is not added again, even if a person has changed it.

    Args:
        text: the `.prompt.yml`.
        tests: with an input, variables, or both.
        file: for messages.

    Raises:
        InputErrors: the file is no YAML that the gate reads.
        GateError: it cannot be added to, or a test has several turns, which such a file cannot hold.
    """
    draft = Draft(text, file)
    if not isinstance(draft.data, dict) or draft.root is None:
        raise GateError(f"{file} holds no prompt of GitHub Models", _HINT)
    present = draft.data.get(TEST_DATA)
    if not isinstance(present, (list, type(None))):
        raise GateError(f"{TEST_DATA} in {file} is no list", _HINT)
    present = present or []
    known = {str(row["id"]) for row in present if isinstance(row, dict) and "id" in row}
    rows = [_row(test, file) for test in tests if test.id not in known]
    if not rows:
        return text
    draft.extend(TEST_DATA, rows)
    return draft.result({**draft.data, TEST_DATA: [*present, *rows]})


def _row(test: GeneratedTest, file: str) -> dict[str, JsonValue]:
    if test.turns:
        raise GateError(f"{test.id} has several turns, which {file} cannot hold", _HINT)
    row: dict[str, JsonValue] = {"id": test.id}
    if test.input:
        row["input"] = test.input
    # A variable of such a name is no answer that the exam expects, nor another test.
    row |= {name: value for name, value in test.vars.items() if name not in _RESERVED}
    if test.expected is not None:
        row["expected"] = test.expected
    return row
