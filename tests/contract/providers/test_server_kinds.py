"""The same small suite comes to the same verdict, whatever kind of server answers and judges."""

from pathlib import Path

import pytest

from gate.record.run import RunRecord
from tests.support.command import gate
from tests.support.example import BROKEN, PROMPT, REWORDED, SMALL
from tests.support.findings import texts
from tests.support.model_server import ModelServer
from tests.support.repository import make, write
from tests.support.server_kinds import KEY, KINDS, ServerKind

CONFIG = """version: 1
defaults: {{model: '{model}', samples: 1, params: {params}}}
suites:
  - name: support
    prompt: prompts/support.md
    cases: evals/support.jsonl
    slices: [tier]
    scorers: [exact, {{judge: {{model: '{judge}', criteria: Names the word., params: {params}}}}}]
"""
CASES = 20


def compared(tmp_path: Path, server: ModelServer, kind: ServerKind, prompt: str) -> tuple[int, RunRecord]:
    server.behaviour = kind.behaviour
    config = CONFIG.format(model=f"{kind.prefix}:m", judge=f"{kind.prefix}:judge", params=kind.params)
    repo = make(tmp_path, {**SMALL, "gate.yaml": config + kind.providers(server.url)})
    write(repo, {PROMPT: prompt})
    env = {"OWN_KEY": KEY, **kind.env(server.url)}
    outcome = gate("diff", "--base", "main", "--json", cwd=repo, env=env)
    assert outcome.out, outcome.err
    return outcome.code, outcome.record


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("prompt", "verdict", "code"), [(REWORDED, "PASS", 0), (BROKEN, "BLOCK", 1)])
def test_the_verdict_is_the_same(
    tmp_path: Path, server: ModelServer, kind: str, prompt: str, verdict: str, code: int
) -> None:
    exit_code, record = compared(tmp_path, server, KINDS[kind], prompt)
    assert (record.verdict.value, exit_code) == (verdict, code), texts(record)
    (suite,) = record.suites
    assert suite.calls.failed == 0
    assert suite.calls.retried == 0
    baseline = [case.baseline for case in suite.cases]
    assert len(baseline) == CASES
    # A refused request is free; all others are answered once.
    answered = len(server.ledger)
    assert answered == suite.calls.made
