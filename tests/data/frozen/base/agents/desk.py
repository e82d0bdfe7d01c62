"""Answers tickets with what was recorded for the prompt."""

import json
from pathlib import Path
from typing import Any

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())


def answer(text: str, context: Any) -> Any:
    """The recorded answer; one ticket fails."""
    found = RECORDED["length" if "length" in context.prompt.text else "plain"][text]
    if found is None:
        raise RuntimeError("the desk is closed")
    return found
