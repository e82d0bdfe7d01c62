"""Runs with the real SDKs against a server that records its answers: the report must agree with its ledger."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest
from genai_prices import Usage as PricedUsage
from genai_prices import calc_price

from gate.record.comparison import State, Verdict
from gate.record.run import RunRecord
from gate.record.transcript import Usage
from tests.support.chaos import Chaos
from tests.support.command import Outcome, gate, git, write_jsonl
from tests.support.findings import texts
from tests.support.model_server import Behaviour, ModelServer
from tests.support.model_wire import Entry

MODELS = ["openai:gpt-4o-mini", "anthropic:claude-haiku-4-5"]
BASELINE = "You help customers. quality=0.9"
BROKEN = "Help. quality=0.9 quality[enterprise]=0.45"
REWORDED = "You are here to help customers. quality=0.9"
TIERS = ("smb", "enterprise")
CASES = [
    {
        "id": f"c{i}",
        "input": f"Question {i} slice={TIERS[i % 2]} answer=word{i}",
        "expected": f"word{i}",
        "slices": {"tier": TIERS[i % 2]},
    }
    for i in range(28)
]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def compare(
    root: Path,
    server: ModelServer,
    model: str,
    candidate: str,
    *more: str,
    env: dict[str, str] | None = None,
    cases: int = len(CASES),
) -> Outcome:
    (root / "a.md").write_text(BASELINE)
    (root / "b.md").write_text(candidate)
    write_jsonl(root / "cases.jsonl", CASES[:cases])
    keys = {
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "ANTHROPIC_BASE_URL": server.url,
        "OPENAI_API_KEY": "sk-loopback-openai",
        "ANTHROPIC_API_KEY": "sk-loopback-anthropic",
    }
    named = ("a.md", "b.md", "--cases", "cases.jsonl", "--model", model)
    return gate("diff", *named, "--json", "--no-early-stop", *more, cwd=root, env=keys | (env or {}))


def of_arm(server: ModelServer, system: str) -> list[Entry]:
    return [entry for entry in server.ledger if entry.system == system]


def right(entries: list[Entry], tier: str | None = None) -> float:
    """Mean over cases of the share of right answers."""
    cases: dict[str, list[bool]] = {}
    for entry in entries:
        if tier is None or f"slice={tier} " in entry.user:
            cases.setdefault(entry.user, []).append(bool(entry.right))
    return fmean(fmean(answers) for answers in cases.values())


def assert_equal_to_ledger(record: RunRecord, server: ModelServer, candidate: str) -> None:
    suite = record.suites[0]
    rows = {None: suite.quality.overall} | {row.slice.removeprefix("tier="): row for row in suite.quality.slices}
    for tier in (None, *TIERS):
        row = rows[tier]
        before, after = right(of_arm(server, BASELINE), tier), right(of_arm(server, candidate), tier)
        assert (row.baseline, row.candidate) == (pytest.approx(before, abs=1e-12), pytest.approx(after, abs=1e-12))
        assert row.mean == pytest.approx(after - before, abs=1e-12)
    for system, arm in ((BASELINE, suite.cost.baseline), (candidate, suite.cost.candidate)):
        assert arm.usage == summed(of_arm(server, system))
    assert record.calls.made == len(server.ledger)
    assert record.calls.retried == server.requests - len(server.ledger)
    assert record.calls.failed == 0


def summed(entries: list[Entry]) -> Usage:
    return Usage(
        input_tokens=sum(entry.input_tokens for entry in entries),
        cache_read_tokens=sum(entry.cache_read_tokens for entry in entries),
        cache_write_tokens=sum(entry.cache_write_tokens for entry in entries),
        output_tokens=sum(entry.output_tokens for entry in entries),
    )


@pytest.mark.parametrize(("model", "chaos"), [(MODELS[0], None), (MODELS[1], Chaos(0.2, seed=5))])
def test_a_slice_that_drops_to_045_blocks_and_every_number_matches_the_ledger(
    tmp_path: Path, server: ModelServer, model: str, chaos: Chaos | None
) -> None:
    """Faults, which are retried, change no number."""
    server.behaviour = Behaviour(cache_min_tokens=1, chaos=chaos)
    outcome = compare(tmp_path, server, model, BROKEN, "--out", "out")
    record = outcome.record
    assert (outcome.code, record.verdict) == (1, Verdict.BLOCK)
    states = {row.slice: row.state for row in record.suites[0].quality.slices}
    assert states["tier=enterprise"] is State.REGRESSION
    assert states["tier=smb"] is State.NOISE
    assert_equal_to_ledger(record, server, BROKEN)
    assert (record.calls.retried > 0) == (chaos is not None)
    rows = [json.loads(line) for line in (tmp_path / "out/samples.jsonl").read_text().splitlines()]
    counted = Counter((row["case"], row["arm"], row["index"]) for row in rows)
    assert len(counted) == len(rows) == len(server.ledger) == 2 * 3 * len(CASES)
    assert record.spent_usd == pytest.approx(dollars(server, model), rel=1e-9)
    assert record.suites[0].cost.compared
    assert record.suites[0].baseline.returned_models == [model.partition(":")[2]]
    written = [path.read_text() for path in (tmp_path / "out").iterdir()]
    assert len(written) == 5
    assert all("sk-loopback" not in text for text in (*written, outcome.out, outcome.err)), "a key was written down"


def test_a_judge_uses_structured_output(tmp_path: Path, server: ModelServer) -> None:
    judge = ("--scorer", "judge", "--criteria", "Says the word")
    record = compare(
        tmp_path, server, MODELS[0], BROKEN.replace("0.45", "0.1"), *judge, "--samples", "1", cases=20
    ).record
    judged = [entry for entry in server.ledger if entry.right is None]
    # Two equal answers of one case get one judgement.
    assert len(judged) + record.calls.cached == 40
    assert record.calls.made == len(server.ledger) == 40 + len(judged)
    assert record.verdict is Verdict.BLOCK


def test_an_unknown_price_is_never_zero_and_does_not_end_the_run(tmp_path: Path, server: ModelServer) -> None:
    write_jsonl(tmp_path / "cases.jsonl", CASES[:20])
    (tmp_path / "p.md").write_text(REWORDED)
    suite = "{name: s, prompt: p.md, cases: cases.jsonl, scorers: [contains], samples: 1}"
    limits = "budget: {max_usd: 5, max_calls: 100}"
    config = f"version: 1\n{limits}\ndefaults: {{model: openai:our-own}}\nsuites: [{suite}]\n"
    (tmp_path / "gate.yaml").write_text(config)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    (tmp_path / "p.md").write_text(BASELINE)
    env = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-loopback-openai"}
    outcome = gate("diff", "--base", "main", "--json", cwd=tmp_path, env=env)
    record = outcome.record
    assert record.calls.made == len(server.ledger) == 40
    assert record.spent_usd is None and not record.suites[0].cost.compared
    said = "The price of openai:our-own is unknown, so budget.max_usd does not count its calls. budget.max_calls still"
    assert any(note.startswith(said) for note in texts(record))
    shown = gate("report", ".gate/last/run.json", cwd=tmp_path).out
    assert "$0" not in shown and "unknown" in shown


def dollars(server: ModelServer, model: str) -> float:
    """The ledger's tokens at their prices."""
    provider, name = model.split(":")
    return sum(
        float(
            calc_price(
                PricedUsage(
                    input_tokens=e.input_tokens + e.cache_read_tokens + e.cache_write_tokens,
                    cache_read_tokens=e.cache_read_tokens,
                    cache_write_tokens=e.cache_write_tokens,
                    output_tokens=e.output_tokens,
                ),
                name,
                provider_id=provider,
            ).total_price
        )
        for e in server.ledger
    )
