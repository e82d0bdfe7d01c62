"""Wordings of two reviewers who looked for validators that are wrong: what became of them.

They chose them with a look at the patterns, and the patterns were mended with a look at them: these figures say that
what was found is mended, and nothing of rules that nobody has seen. `FIRST` is what was counted before.
Five of their verdicts are not taken over, since a reader may see them otherwise: a list with dashes as no Markdown, and
as violations JSON within a fence, `A. B.` as one sentence, `OK` as Spanish, and `A.` where `A` was to be chosen.
"""

import json
from functools import cache
from pathlib import Path
from typing import TypedDict

from benchmarks.rule_wordings import Outcome, outcome
from benchmarks.second_author import Count

TITLE = "Wordings of two reviewers who looked for faults (tuned since)"
DATA = Path(__file__).parent / "data" / "attacked_wordings.jsonl"


class Attacked(TypedDict):
    """A wording, and outputs whose verdict the reviewer named."""

    kind: str
    text: str
    keeps: list[str]
    breaks: list[str]


FIRST = Count(99, 89, 27, 0)
"""Before anything was mended. Wordings that no code should check count among the compiled, too."""


@cache
def outcomes() -> list[Outcome]:
    """What becomes of each: the outputs decide whether its scorers are right, where there are any."""
    with DATA.open(encoding="utf-8") as lines:
        rows: list[Attacked] = [json.loads(line) for line in lines]
    return [outcome({**row, "set": "attacker", "expect": []}) for row in rows]
