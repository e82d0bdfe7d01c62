"""Orders as prompts word them, such as `Answer the customer's question in at most two sentences`.

They follow the wordings of public prompts, reworded for this project. More than a third must not compile: they are
about the input, about a part, under a condition, or about something that only a judge can see.
"""

import json
from functools import cache
from pathlib import Path

from benchmarks.rule_wordings import Outcome, Wording, outcome

TITLE = "Orders of prompts"
DATA = Path(__file__).parent / "data" / "prompt_orders.jsonl"


def orders() -> tuple[Wording, ...]:
    """All orders, in file order."""
    with DATA.open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@cache
def outcomes() -> list[Outcome]:
    """Compile each order. The outputs decide whether its scorers are right."""
    return [outcome(one) for one in orders()]
