"""Recorded outputs of real models as two arms: a weaker model blocks, a model against itself never does."""

from pathlib import Path

import pytest

from gate.domain.verdict import Verdict
from tests.support.command import Outcome, gate

DATA = Path(__file__).parents[2] / "data" / "promptpex"
MODELS = ("gpt-4o-mini", "gemma2-9b", "qwen2.5-3b", "llama3.2-1b")
CONFIG = """\
version: 1
suites:
  - name: text-to-p
    prompt: prompt.md
    cases: cases.jsonl
    model: {model}
    samples: 1
    slices: [kind, length]
    scorers:
      - regex: {{name: three paragraphs, pattern: '(<p\\b[^>]*>[\\s\\S]*?){{3}}'}}
      - regex: {{name: strong, pattern: '<strong>'}}
      - regex: {{name: em, pattern: '<em>'}}
"""


def compare(root: Path, baseline: str, candidate: str) -> Outcome:
    from tests.support.command import git

    git(root, "init", "--quiet", "--initial-branch", "main")
    (root / "prompt.md").write_text((DATA / "text-to-p.prompt.md").read_text())
    (root / "cases.jsonl").write_text((DATA / "text-to-p.cases.jsonl").read_text())
    (root / "gate.yaml").write_text(CONFIG.format(model=f"replay:{DATA}/text-to-p.{baseline}.jsonl"))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "one")
    (root / "gate.yaml").write_text(CONFIG.format(model=f"replay:{DATA}/text-to-p.{candidate}.jsonl"))
    return gate("diff", "--base", "main", "--all", "--json", cwd=root)


def test_a_weaker_model_blocks(tmp_path: Path) -> None:
    outcome = compare(tmp_path, "gpt-4o-mini", "llama3.2-1b")
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    suite = record.suites[0]
    assert suite.quality.overall.n == 78
    assert not suite.cost.applicable
    assert not suite.latency.compared


@pytest.mark.parametrize("model", MODELS)
def test_a_model_against_itself_passes(tmp_path: Path, model: str) -> None:
    outcome = compare(tmp_path, model, model)
    assert (outcome.code, outcome.record.verdict) == (0, Verdict.PASS)
    assert outcome.record.suites[0].quality.overall.mean == 0.0


def test_the_other_way_round_is_no_regression(tmp_path: Path) -> None:
    outcome = compare(tmp_path, "llama3.2-1b", "gpt-4o-mini")
    assert outcome.code == 0
    assert outcome.record.verdict is Verdict.PASS
    assert any("latency could not be compared" in reason for reason in outcome.record.reasons)
