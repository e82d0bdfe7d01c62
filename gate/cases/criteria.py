"""Criteria of judges for scorers of other tools."""

import json
from functools import lru_cache
from importlib import resources


def judge_criteria(name: str, value: str = "") -> str:
    """The criteria of that name, with a value filled in."""
    return _texts()[name].replace("<value>", value)


@lru_cache
def _texts() -> dict[str, str]:
    text = resources.files("gate.cases").joinpath("judge_criteria.json").read_text(encoding="utf-8")
    texts: dict[str, str] = json.loads(text)
    return texts
