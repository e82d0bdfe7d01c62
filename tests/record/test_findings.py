"""The catalogue of findings: each code once, with a meaning, and with settings that exist."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.findings.catalogue import KINDS, AnyFinding, by_severity, meaning, severities
from gate.record.findings.rates import PolicySliceEmpty
from tests.support.warm import ROOT


def test_a_code_has_one_meaning() -> None:
    kinds = get_args(get_args(AnyFinding)[0])
    assert set(KINDS.values()) == set(kinds)
    meanings = [meaning(kind) for kind in kinds]
    assert len(set(meanings)) == len(kinds)
    assert all(meanings)


@pytest.mark.parametrize("code", KINDS)
def test_the_settings_of_a_finding_exist(code: str) -> None:
    keys = (ROOT / "docs/reference/gate-yaml.md").read_text() + (ROOT / "docs/inputs.md").read_text()
    assert [key for key in KINDS[code].settings if f"`{key}`" not in keys] == []


@pytest.mark.parametrize("code", KINDS)
def test_what_decides_a_verdict_says_what_to_do(code: str) -> None:
    kind = KINDS[code]
    assert kind.remedy or severities(kind) == ("note",)


@given(st.permutations([("a", "note"), ("b", "hold"), ("c", "undecided"), ("d", "block"), ("e", "hold")]))
def test_the_most_severe_findings_are_first_and_others_keep_their_order(parts: list[tuple[str, Any]]) -> None:
    given_order = [
        PolicySliceEmpty.model_construct(suite=suite, severity=severity, slices=[]) for suite, severity in parts
    ]
    ordered = by_severity(given_order)
    assert [finding.severity for finding in ordered] == ["block", "undecided", "hold", "hold", "note"]
    holds = [suite for suite, severity in parts if severity == "hold"]
    assert [finding.suite for finding in ordered if finding.severity == "hold"] == holds
