"""The eight suites of evals/promptpex: specifications, cases for each rule, and validators that work."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from gate.cases import reading as cases
from gate.cases.case import Case, render
from gate.config import gatefile
from gate.config import specification_file as specfile
from gate.config.gatefile import SuiteConfig
from gate.config.specification import RULES_PER_COMPONENT, Specification
from gate.prompts import reading
from gate.scoring.interface import Subject
from gate.scoring.panel import validate
from gate.testgen.prompt_under_test import subject_of

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "evals/promptpex"
SUITES = {suite.name: suite for suite in gatefile.load((FOLDER / "gate.yaml").read_text("utf-8"), "gate.yaml").suites}
LEAST = 5
"""Cases of each rule and of each inverse: together ten, because a smaller slice cannot block."""
NAMES = (
    "speech_tag",
    "text_to_html",
    "archaic_style",
    "sentence_rewrite",
    "name_extraction",
    "entity_elements",
    "news_classification",
    "image_prompt",
)
every = pytest.mark.parametrize("name", NAMES)


@cache
def exam(name: str) -> dict[str, Case]:
    path = SUITES[name].cases
    parsed = list(cases.parse((ROOT / path).read_text("utf-8"), path))
    assert len({case.id for case in parsed}) == len(parsed)
    return {case.id: case for case in parsed}


@cache
def spec(name: str) -> Specification:
    path = FOLDER / name / "spec.yaml"
    return specfile.parse_specification(path.read_text("utf-8"), str(path))


@cache
def subject(name: str) -> Any:
    path = SUITES[name].prompt
    return subject_of(reading.parse((ROOT / path).read_text("utf-8"), path))


def rules_of(scorers: Iterable[str]) -> set[str]:
    """The rule ids in names of scorers."""
    return {rule for scorer in scorers for rule in re.findall(r"\bR\d\b", scorer)}


def broken(suite: SuiteConfig, case: Case, answer: str) -> set[str]:
    """The rules that are broken according to the suite's validators."""
    scores = [validate(each, Subject(case, answer)) for each in suite.scorers if not each.judged]
    return rules_of(score.scorer for score in scores if score.value != 1.0)


def test_there_are_eight_suites_each_in_its_folder() -> None:
    assert set(SUITES) == set(NAMES) == {path.parent.name for path in FOLDER.glob("*/spec.yaml")}
    for name, suite in SUITES.items():
        assert Path(suite.prompt).parent == Path(suite.cases).parent == Path("evals/promptpex") / name
        assert suite.slices == ("rule", "kind")
    assert Counter(Path(suite.prompt).suffix for suite in SUITES.values()) == {".md": 6, ".j2": 1, ".yaml": 1}
    assert subject("speech_tag").variables == ("sentence", "word")


@every
def test_the_specification_is_that_of_the_prompt(name: str) -> None:
    found, text = spec(name), subject(name).text
    assert found.prompt == subject(name).digest
    assert found.intent
    assert 5 <= len(found.rules) <= 8
    assert [rule.id for rule in found.rules] == [f"R{i}" for i in range(1, len(found.rules) + 1)]
    for rule in found.rules:
        assert rule.grounding == "verbatim"
        assert rule.evidence and rule.evidence in text
        assert rule.inverse and rule.inverse != rule.text
    for component in found.components:
        assert 1 <= len(component.rules) <= RULES_PER_COMPONENT
        assert all(rule.evidence in text for rule in component.rules)


@every
def test_each_rule_and_each_inverse_has_cases(name: str) -> None:
    counts = Counter((case.slices["rule"], case.slices["kind"]) for case in exam(name).values())
    assert set(counts) == {(rule.id, kind) for rule in spec(name).rules for kind in ("rule", "inverse")}
    assert min(counts.values()) >= LEAST
    for case in exam(name).values():
        rule, kind, number = case.id.split("-")
        assert (rule, kind) == (case.slices["rule"], case.slices["kind"])
        assert 1 <= int(number) <= counts[rule, kind]
    scenarios = Counter(case.slices["scenario"] for case in exam(name).values())
    assert set(scenarios) == {"boundary", "typical", "edge"}


@every
def test_every_case_renders_the_prompt(name: str) -> None:
    path = SUITES[name].prompt
    prompt = reading.parse((ROOT / path).read_text("utf-8"), path)
    for case in exam(name).values():
        messages = render(prompt, case, path)
        assert messages[-1].role == "user" and messages[-1].content.strip()
        assert all(str(value) in messages[0].content for value in case.vars.values() if name == "speech_tag")


@every
def test_validators_check_at_least_two_rules_and_each_rule_has_a_scorer(name: str) -> None:
    code = rules_of(each.name for each in SUITES[name].scorers if not each.judged)
    judged = rules_of(each.name for each in SUITES[name].scorers if each.judged)
    assert len(code) >= 2
    assert code | judged == {rule.id for rule in spec(name).rules}


@every
def test_validators_tell_good_answers_from_bad_ones(name: str) -> None:
    answers = YAML(typ="safe").load((FOLDER / name / "answers.yaml").read_text("utf-8"))
    for each in answers:
        assert broken(SUITES[name], exam(name)[each["case"]], each["output"]) == set(each["breaks"]), each
    assert sum(not each["breaks"] for each in answers) >= 2
    code = rules_of(each.name for each in SUITES[name].scorers if not each.judged)
    assert {rule for each in answers for rule in each["breaks"]} == code


@every
def test_the_page_lists_the_suites(name: str) -> None:
    (row,) = re.findall(rf"^\| `{name}` \|(.*)\|$", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE)
    rules, count, code, judged = (cell.strip() for cell in row.split("|")[1:])
    assert (int(rules), int(count)) == (len(spec(name).rules), len(exam(name)))
    scorers = SUITES[name].scorers
    assert set(code.split()) == rules_of(each.name for each in scorers if not each.judged)
    assert set(judged.split()) == rules_of(each.name for each in scorers if each.judged)
