"""The forms of case files, told by the endings of their names, as `gate.inputs.cases` tells them."""

from enum import Enum

from gate.inputs.caseforms import is_table
from gate.inputs.caserows import LIST_ENDING, YAML_ENDINGS
from gate.inputs.promptyml import is_prompt_yml

LINES_ENDINGS = (".jsonl", ".ndjson")
"""What JSON Lines should be called; a file of any other name is read as such, too."""


class Form(Enum):
    """How cases stand in a file."""

    LINES = "JSON Lines"
    LIST = "JSON"
    YAML = "YAML"
    TEST_DATA = "test data of a prompt"
    TABLE = "a table"


def form_of(file: str) -> Form:
    """The form of a file by its name."""
    if is_prompt_yml(file):
        return Form.TEST_DATA
    if is_table(file):
        return Form.TABLE
    if file.lower().endswith(YAML_ENDINGS):
        return Form.YAML
    return Form.LIST if file.lower().endswith(LIST_ENDING) else Form.LINES
