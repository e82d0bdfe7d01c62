"""A judge whose verdict does not depend on the answers shows nothing: a suite that rests on it is not green."""

import json
from pathlib import Path

import pytest

from tests.support.command import gate, git
from tests.support.model_server import Behaviour, ModelServer
from tests.support.repository import commit, make

RUBRIC = "rubric: {name: tone, dimensions: [{name: brevity, weight: 1, description: Short.}], model: own:j}"
JUDGE = "judge: {name: tone, criteria: Says the word, model: own:j}"
PAIR = "pairwise: {name: tone, criteria: Says the word, model: own:j}"
CONFIG = """\
version: 1
providers: {{own: {{api: openai, base_url: '{url}/v1'}}}}
suites:
  - name: bot
    prompt: prompt.md
    cases: cases.jsonl
    samples: 1
    model: own:m
    scorers: [{scorers}]
"""
CASES = [{"id": f"c{n}", "input": f"slice=any answer=word{n}", "expected": f"word{n}"} for n in range(24)]
REASON = "It was read."
CONSTANT = {"reason": REASON, "score": 0.75}
BLIND = {
    "always the first": (PAIR, {"reason": REASON, "better": "first"}, "turned with the places in 100 % of 24 pairs"),
    "always the second": (PAIR, {"reason": REASON, "better": "second"}, "turned with the places in 100 % of 24 pairs"),
    "one score": (JUDGE, CONSTANT, "gave all 48 answers the score 0.75"),
    "one grade": (RUBRIC, {"brevity": {"reason": REASON, "score": 3}}, "gave all 48 answers the score 0.5"),
}
LOOKS = {
    "all are perfect": (JUDGE, {"reason": REASON, "score": 1.0}),
    "all are equally good": (PAIR, {"reason": REASON, "better": "tie"}),
}


def diff(folder: Path, scorers: str, judgement: dict[str, object]) -> tuple[int, str]:
    with ModelServer(Behaviour(judgement=lambda system, user: json.dumps(judgement))) as server:
        config = CONFIG.format(url=server.url, scorers=scorers)
        cases = "".join(f"{json.dumps(case)}\n" for case in CASES)
        repo = make(folder / "repo", {"gate.yaml": config, "prompt.md": "Answer. quality=1.0", "cases.jsonl": cases})
        git(repo, "switch", "--quiet", "--create", "change")
        commit(repo, {"prompt.md": "Reply. quality=0.0"})
        outcome = gate("diff", "--base", "main", cwd=repo)
    return outcome.code, " ".join(outcome.out.split())


@pytest.mark.parametrize("kind", BLIND)
def test_a_suite_that_rests_on_a_judge_that_does_not_look_is_inconclusive(tmp_path: Path, kind: str) -> None:
    scorers, judgement, said = BLIND[kind]
    code, out = diff(tmp_path, f"{{{scorers}}}", judgement)
    assert (code, said in out) == (3, True), out


CHECKED = {"one score": (JUDGE, CONSTANT), "one grade": (RUBRIC, {"brevity": {"reason": REASON, "score": 4}})}


@pytest.mark.parametrize("kind", CHECKED)
def test_a_check_that_rests_on_it_is_inconclusive_too(tmp_path: Path, kind: str) -> None:
    scorers, judgement = CHECKED[kind]
    with ModelServer(Behaviour(judgement=lambda system, user: json.dumps(judgement))) as server:
        cases = "".join(f"{json.dumps(case)}\n" for case in CASES)
        config = CONFIG.format(url=server.url, scorers=f"{{{scorers}}}")
        repo = make(tmp_path / "repo", {"gate.yaml": config, "prompt.md": "Answer.", "cases.jsonl": cases})
        outcome = gate("check", cwd=repo)
    said = " ".join(outcome.out.split())
    assert (outcome.code, "gave all 24 answers the score 0.75" in said) == (3, True), said


def test_beside_other_scorers_it_is_named(tmp_path: Path) -> None:
    code, out = diff(tmp_path, f"{{characters: {{max: 5000}}}}, {{{JUDGE}}}", CONSTANT)
    assert (code, "HOLD the judge tone gave all 48 answers the score 0.75" in out, "criteria of tone" in out) == (
        0,
        True,
        True,
    ), out


@pytest.mark.parametrize("kind", LOOKS)
def test_a_verdict_that_answers_may_well_have_in_common_counts(tmp_path: Path, kind: str) -> None:
    code, out = diff(tmp_path, f"{{{LOOKS[kind][0]}}}", LOOKS[kind][1])
    assert (code, "INCONCLUSIVE" in out) == (0, False), out
