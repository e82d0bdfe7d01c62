"""The mutants of the benchmark are correct, and code without a model reports nothing wrong."""

import asyncio
from dataclasses import replace

import pytest

from benchmarks.paths import RESULTS
from benchmarks.rules.prompt_mutants import KINDS, Mutant, Subject, subjects
from benchmarks.rules.spec_mutants import HARMLESS, Outcome, drawn, outcome, outcomes, rows
from gate.testgen.specdiff.places import quoted_spans
from tests.support.scripted_models import ScriptedModel, asker, rules_of

RESULTS_PAGE = RESULTS / "spec_mutants.md"


@pytest.fixture(scope="module")
def found() -> list[Outcome]:
    return asyncio.run(outcomes(drawn(9)))


@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: subject.name)
def test_the_evidence_of_every_rule_is_in_its_prompt(subject: Subject) -> None:
    for rule in subject.version.specification.rules:
        assert len(quoted_spans(rule.evidence, subject.version.text)) == 1, rule.id


def test_all_kinds_occur_and_code_without_a_model_makes_no_error(found: list[Outcome]) -> None:
    assert {one.mutant.kind for one in found} == set(KINDS)
    assert [one for one in found if one.wrong or one.alarm] == []


def test_an_outcome_is_right_wrong_or_not_known(found: list[Outcome]) -> None:
    dropped = next(one.mutant for one in found if one.mutant.kind == "sentence dropped")
    (name, *_) = sorted(dropped.rules)
    dropped = replace(dropped, rules=frozenset({name}))
    verdicts = {state: _verdict(dropped, {name: state}) for state in ("removed", "unknown", "tightened")}
    assert verdicts == {"removed": (True, False), "unknown": (False, False), "tightened": (False, True)}
    assert _verdict(dropped, {}) == (False, True)
    assert Outcome(dropped, {name: "removed", "R99": "added"}).alarm
    still = next(one.mutant for one in found if one.mutant.kind in HARMLESS)
    assert _verdict(still, {}) == (True, False)
    assert _verdict(still, {"R1": "unknown"}) == (False, False)
    assert _verdict(still, {"R1": "removed"}) == (False, True)


def test_a_model_reads_the_changed_sentences() -> None:
    """A rule that the model overlooks is not taken from the person's list."""
    added = next(one for one in drawn(9) if one.kind == "added")
    (own,) = added.reads
    for told, right in ([(own.evidence, own.text)], True), ([("", "The answer rhymes.")], False):
        model = ScriptedModel({"rules": rules_of(*told)})
        found = asyncio.run(outcome(added, asker(model), read=True))
        assert (found.right, model.counts["rules"]) == (right, 1)


def test_the_results_hold_the_figures(found: list[Outcome]) -> None:
    text = RESULTS_PAGE.read_text(encoding="utf-8")
    for row in rows(found):
        assert f"| {' | '.join(row)} |" in text


def _verdict(mutant: Mutant, states: dict[str, str]) -> tuple[bool, bool]:
    one = Outcome(mutant, states)
    return one.right, one.wrong
