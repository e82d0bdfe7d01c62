"""A whole `gate diff` while attempts go wrong: the verdict and every count are those of the calm run."""

import json
from collections import Counter
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.support.chaos import Chaos
from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.model_server import Behaviour, ModelServer

BASELINE = "You help customers. quality=0.9"
BROKEN = "Help. quality=0.9 quality[enterprise]=0.3"
CASES = [
    {
        "id": f"c{i}",
        "input": f"Question {i} slice={('smb', 'enterprise')[i % 2]} answer=word{i}",
        "expected": f"word{i}",
        "slices": {"tier": ("smb", "enterprise")[i % 2]},
    }
    for i in range(40)
]


def compare(root: Path, server: ModelServer, *more: str) -> Outcome:
    (root / "a.md").write_text(BASELINE)
    (root / "b.md").write_text(BROKEN)
    write_jsonl(root / "cases.jsonl", CASES)
    env = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-loopback-openai"}
    named = ("a.md", "b.md", "--cases", "cases.jsonl", "--model", "openai:gpt-4o-mini")
    return gate("diff", *named, "--json", "--out", "out", "--no-early-stop", *more, cwd=root, env=env)


@pytest.mark.parametrize("share", [0.2])
def test_exactly_k_samples_of_each_case_and_arm_and_the_same_verdict(tmp_path: Path, share: float) -> None:
    with ModelServer(Behaviour(chaos=Chaos(share, seed=5))) as server:
        outcome = compare(tmp_path, server)
        ledger, requests = server.ledger, server.requests
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    assert (record.calls.made, record.calls.failed) == (len(ledger), 0)
    assert record.calls.retried == requests - len(ledger) > 0
    rows = [json.loads(line) for line in (tmp_path / "out/samples.jsonl").read_text().splitlines()]
    counted = Counter((row["case"], row["arm"], row["index"]) for row in rows)
    assert len(counted) == len(rows) == 2 * 3 * len(CASES) == len(ledger)
    assert {(case, arm) for case, arm, _ in counted} == {(c["id"], a) for c in CASES for a in ("baseline", "candidate")}


def test_a_service_that_hangs_ends_with_the_budget_of_minutes(tmp_path: Path) -> None:
    with ModelServer(Behaviour(faults=("hang",) * 9)) as server:
        (tmp_path / "gate.yaml").write_text(
            f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
            "budget: {max_minutes: 0.03}\nsuites:\n  - name: s\n    prompt: p.md\n    cases: cases.jsonl\n"
            "    model: own:m\n    scorers: [contains]\n"
        )
        git(tmp_path, "init", "--quiet", "--initial-branch", "main")
        (tmp_path / "p.md").write_text("Answer. quality=1.0")
        write_jsonl(tmp_path / "cases.jsonl", CASES)
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "--message", "one")
        (tmp_path / "p.md").write_text("Answer well. quality=1.0")
        outcome = gate("diff", "--base", "main", "--json", cwd=tmp_path, timeout_s=60)
    assert (outcome.code, outcome.record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert "the budget of 0.03 minutes is used up" in outcome.record.reasons[0]
