"""Tests and prompts of promptfoo, as the gate reads them."""

import json
from collections.abc import Mapping
from typing import Any

from gate.cases.case import Entry, render
from gate.cases.convert import import_cases
from gate.cases.losses import BundleSuite
from gate.cases.reading import case_of
from gate.prompts.reading import read_named
from gate.prompts.version import PlaceholderRules, Prompt
from tests.resolve.files import Files


def imported_tests(*tests: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """The cases of tests, one a line, and what is lost."""
    imported = import_cases("".join(json.dumps(test) + "\n" for test in tests), "tests.jsonl", "promptfoo")
    return [dict(case) for case in imported.cases], [loss.what for loss in imported.losses]


def imported_scorers(*assertions: Any) -> tuple[list[Any], list[str]]:
    """The scorers of the assertions of one test, and what is lost."""
    (case,), losses = imported_tests({"vars": {"x": "y"}, "assert": [*assertions]})
    return case.get("scorers", []), losses


def parsed_prompt(suite: BundleSuite, files: Mapping[str, str]) -> Prompt:
    """The prompt of an imported suite, as a run reads it."""
    source = Files(files)
    rules = PlaceholderRules(template=True if suite.template else None, nunjucks=suite.template == "nunjucks")
    prompt = read_named(source, suite.prompt, str, rules, None)
    assert prompt is not None
    return prompt


def sent_messages(suite: BundleSuite, case: Entry, files: Mapping[str, str]) -> list[tuple[str, str]]:
    """Role and content of each message that a run sends for a case."""
    return [(message.role, message.content) for message in render(parsed_prompt(suite, files), case_of(case))]
