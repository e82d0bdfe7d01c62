"""Recorded outputs of real models as two arms: a weaker model blocks."""

from pathlib import Path

from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate

DATA = Path(__file__).parents[2] / "data" / "promptpex"


def compare(root: Path, baseline: str, candidate: str) -> Outcome:
    prompt = str(DATA / "text-to-p.prompt.md")
    named = (prompt, prompt, "--cases", str(DATA / "text-to-p.cases.jsonl"))
    models = [f"replay:{DATA}/text-to-p.{name}.jsonl" for name in (baseline, candidate)]
    arms = ("--models", *models)
    return gate("diff", *named, *arms, "--scorer", "regex", "--samples", "1", "--json", cwd=root)


def test_a_weaker_model_blocks(tmp_path: Path) -> None:
    outcome = compare(tmp_path, "gpt-4o-mini", "llama3.2-1b")
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    suite = record.suites[0]
    assert suite.quality.overall.n == 78
    assert not suite.cost.applicable
    assert not suite.latency.compared
