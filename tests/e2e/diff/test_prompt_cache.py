"""Prompt caching: a variable before static text costs on every call, a reorder costs once, and the report shows it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.comparison import CacheComparison, Verdict
from gate.record.run import RunRecord
from tests.support.command import gate, write_jsonl
from tests.support.findings import texts
from tests.support.model_server import Behaviour, ModelServer

RULES = "".join(f"Rule {number}: answer question {number} with the word that it names.\n" for number in range(130))
DATED = "Today is {{ date }}.\n"
CASES = [
    {
        "id": f"c{number}",
        "input": f"slice=smb answer=word{number}",
        "expected": f"word{number}",
        "vars": {"date": f"{10 + number} November"},
    }
    for number in range(32)
]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(fresh_token_s=0.00001)) as running:
        yield running


def compare(root: Path, server: ModelServer, baseline: str, candidate: str) -> tuple[RunRecord, str]:
    (root / "a.j2").write_text(baseline)
    (root / "b.j2").write_text(candidate)
    write_jsonl(root / "cases.jsonl", CASES)
    env = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-loopback"}
    env["GATE_CONCURRENCY"] = "4"
    files = ("a.j2", "b.j2", "--cases", "cases.jsonl")
    options = ("--model", "openai:gpt-4.1-mini", "--samples", "1", "--json", "--out", "out")
    record = gate("diff", *files, *options, cwd=root, env=env).record
    return record, (root / "out/report.md").read_text()


def cache(record: RunRecord) -> CacheComparison:
    found = record.suites[0].cache
    assert found is not None
    return found


def test_a_date_moved_to_line_1_is_a_hold_and_is_named(tmp_path: Path, server: ModelServer) -> None:
    record, report = compare(tmp_path, server, RULES + DATED, DATED + RULES)
    assert record.verdict is Verdict.HOLD
    assert "rose by" in texts(record)[0]
    found = cache(record)
    assert found.shrank
    sent = sum(entry.input_tokens + entry.cache_read_tokens for entry in server.ledger) / len(server.ledger)
    assert found.baseline.request_tokens == pytest.approx(sent, rel=0.02)
    assert found.baseline.tokens == pytest.approx(len(RULES) / 4, rel=0.02)
    assert found.candidate.tokens < 10
    assert found.candidate.minimum == 1024
    assert found.candidate.obstacle == "too short"
    line = next(line for line in report.splitlines() if "cacheable prefix shrinks" in line)
    assert line.startswith("- `{{ date }}` moved to line 1: the cacheable prefix shrinks from about 1,900 to ")
    assert "; measured cost +" in line
    assert ", p95 " in line

    # The cached tokens are those that the server tells.
    _warmup, *own = [entry for entry in server.ledger if entry.system.startswith("Rule")]
    read = sum(entry.cache_read_tokens for entry in own)
    assert found.baseline_share is not None
    assert found.baseline_share.value == pytest.approx(read / sum(e.input_tokens + e.cache_read_tokens for e in own))
    assert found.candidate_share is not None
    assert found.candidate_share.value == 0.0
    assert found.share_change is not None
    assert found.share_change.upper is not None
    assert found.share_change.upper < -0.5


def test_a_reorder_of_static_text_costs_only_once(tmp_path: Path, server: ModelServer) -> None:
    half = len(RULES) // 2
    record, report = compare(tmp_path, server, RULES + DATED, RULES[half:] + RULES[:half] + DATED)
    found = cache(record)
    assert not found.shrank
    assert found.fresh_tokens == found.candidate.tokens
    assert found.fresh_usd == pytest.approx(found.fresh_tokens * 0.4e-6)
    assert "cacheable prefix shrinks" not in report
    assert "once for each deployment" in report
