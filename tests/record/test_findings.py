"""The catalogue of findings: each code once, with a meaning, and with settings that exist."""

from typing import get_args

import pytest

from gate.record.findings.catalogue import KINDS, AnyFinding, meaning, severities
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
