"""A statistical method through the command line: results, texts and refused settings."""

from pathlib import Path

import pytest

from gate.record.comparison import State, Verdict
from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.findings import texts

CASES = 40


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two prompts; the second is worse in one of two tiers."""
    (tmp_path / "old.md").write_text("quality=0.9")
    (tmp_path / "new.md").write_text("quality=0.9 quality[gold]=0.2")
    (tmp_path / "same.md").write_text("You answer. quality=0.9")
    rows = [
        {
            "id": f"c{i}",
            "input": f"question {i} answer=word{i} slice={'gold' if i % 2 else 'free'}",
            "expected": f"word{i}",
            "slices": {"tier": "gold" if i % 2 else "free"},
        }
        for i in range(CASES)
    ]
    write_jsonl(tmp_path / "cases.jsonl", rows)
    return tmp_path


def diff(root: Path, candidate: str, policy: str = "{}", *, samples: int = 3, margin: float = 0.0) -> Outcome:
    """Compare the candidate in the working tree with the policy of the base."""
    git(root, "init", "-q", "-b", "main")
    (root / "gate.yaml").write_text(
        f"version: 1\npolicy: {policy}\nsuites:\n  - {{name: s, prompt: old.md, cases: cases.jsonl, "
        f"model: fake:oracle, samples: {samples}, scorers: [contains], slices: [tier], policy: {{margin: {margin}}}}}\n"
    )
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "base")
    (root / "old.md").write_text((root / candidate).read_text())
    return gate("diff", "--base", "main", "--json", cwd=root)


def test_a_broken_tier_blocks_by_the_method_of_the_policy(root: Path) -> None:
    """The frozen figures show the same of the default."""
    outcome = diff(root, "new.md", "{method: percentile}")
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    assert record.method.name == "percentile"
    (gold,) = [row for row in record.suites[0].quality.slices if row.slice == "tier=gold"]
    assert gold.state is State.REGRESSION
    assert gold.upper is not None and gold.upper < 0
    assert gold.p is not None and gold.p <= 0.025
    (free,) = [row for row in record.suites[0].quality.slices if row.slice == "tier=free"]
    assert free.state is not State.REGRESSION


def test_a_wide_margin_accepts_the_drop(root: Path) -> None:
    outcome = diff(root, "new.md", margin=0.95, samples=1)
    assert (outcome.code, outcome.record.suites[0].quality.overall.margin) == (0, 0.95)


@pytest.mark.parametrize(
    ("policy", "samples", "margin", "said"),
    [
        ("{method: mcnemar}", 3, 0.0, "policy.method must be maxt or percentile, not 'mcnemar'"),
        ("{method: t}", 3, 0.0, "policy.method must be maxt or percentile, not 't'"),
        ("{breakage: true}", 1, 0.0, "it needs 2 to 5 samples"),
        ("{breakage: true}", 3, 0.1, "a margin is not possible"),
        ("{method: percentile, correction: holm}", 3, 0.0, "unknown key 'correction' in policy"),
        ("{method: percentile, breakage: true}", 3, 0.0, "breakage needs the method maxt"),
    ],
)
def test_invalid_policies_are_refused_before_anything_is_written(
    root: Path, policy: str, samples: int, margin: float, said: str
) -> None:
    outcome = diff(root, "new.md", policy, samples=samples, margin=margin)
    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    assert not (root / ".gate").exists()


def test_a_strict_level_uses_more_flips_and_an_unreachable_one_is_refused(root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    config = (
        "version: 1\npolicy: {confidence: 0.999}\nsuites:\n"
        "  - {name: s, prompt: old.md, cases: cases.jsonl, model: 'fake:oracle', scorers: [contains], slices: [tier],\n"
        "     policy: {margin: 0.01, slices: {tier=silver: {margin: 0}}, advisory: [tier=iron]}}\n"
    )
    (root / "gate.yaml").write_text(config)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "base")
    (root / "old.md").write_text("quality=0.2")
    outcome = gate("diff", "--base", "main", "--json", cwd=root)
    assert (outcome.code, outcome.record.verdict) == (1, Verdict.BLOCK)
    assert (outcome.record.method.flips or 0) >= 40_000
    assert "The policy of s includes tier=silver, tier=iron, and no case is in them." in texts(outcome.record)
    (root / "gate.yaml").write_text(config.replace("0.999", "0.9999"))
    git(root, "commit", "-qam", "stricter")
    refused = gate("diff", "--base", "main", "--head", "HEAD", cwd=root)
    assert refused.code == 2
    assert "policy.confidence must be less than or equal to 0.999, not 0.9999" in refused.err
