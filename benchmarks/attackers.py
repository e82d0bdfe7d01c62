"""Wordings of two reviewers who searched for rules that a compiler misreads.

Five of their verdicts are left out because readers may disagree: a list with dashes as no Markdown, and as violations
JSON within a fence, `A. B.` as one sentence, `OK` as Spanish, and `A.` where `A` was to be chosen.
"""

import json
from functools import cache
from pathlib import Path
from typing import TypedDict

from benchmarks.rule_wordings import Outcome, outcome

TITLE = "Wordings of two reviewers who looked for faults"
DATA = Path(__file__).parent / "data" / "attacked_wordings.jsonl"


class Attacked(TypedDict):
    """A wording, and outputs with the reviewer's verdict."""

    kind: str
    text: str
    keeps: list[str]
    breaks: list[str]


@cache
def outcomes() -> list[Outcome]:
    """Compile each wording. The outputs decide whether its scorers are right."""
    with DATA.open(encoding="utf-8") as lines:
        rows: list[Attacked] = [json.loads(line) for line in lines]
    return [outcome({**row, "set": "attacker", "expect": []}) for row in rows]
