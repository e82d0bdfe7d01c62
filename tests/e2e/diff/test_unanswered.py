"""What nothing was measured of is INCONCLUSIVE, however few cases there are and whatever the policy says."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate
from tests.support.example import cases
from tests.support.findings import texts
from tests.support.model_server import Behaviour, ModelServer
from tests.support.model_wire import Asked
from tests.support.repository import make, write

CONFIG = """\
version: 1
defaults: {{model: "own:m", samples: {samples}}}
policy: {{{policy}}}
suites:
  - {{name: support, prompt: support.md, cases: support.jsonl, slices: [tier], scorers: [{scorers}]{suite}}}
  - {{name: faq, prompt: faq.md, cases: support.jsonl, scorers: [contains]}}
providers: {{own: {{api: openai, base_url: "{url}/v1"}}}}
"""
JUDGE = "contains, judge: {criteria: Is right., model: 'own:judge'}"

REFUSALS: dict[str, Callable[[Asked], bool]] = {
    "everything": lambda asked: True,
    "baseline": lambda asked: "Support" in asked.system and "new" not in asked.system,
    "candidate": lambda asked: "Support new" in asked.system,
    "suite": lambda asked: "Support" in asked.system,
    "slice": lambda asked: "Support" in asked.system and "slice=gold" in asked.user,
    "judges": lambda asked: asked.schema is not None,
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def files(server: ModelServer, count: int, **settings: object) -> dict[str, str]:
    chosen = {"samples": 1, "policy": "", "scorers": "contains", "suite": "", **settings}
    return {
        "gate.yaml": CONFIG.format(url=server.url, **chosen),
        "support.md": "Support. quality=1.0\n",
        "faq.md": "Answer. quality=1.0\n",
        "support.jsonl": cases(count),
    }


def compare(repo: Path) -> Outcome:
    write(repo, {"support.md": "Support new. quality=1.0\n", "faq.md": "Answer new. quality=1.0\n"})
    return gate("diff", "--base", "main", "--json", cwd=repo, env={"GATE_CONCURRENCY": "8"})


def assert_unmeasured(outcome: Outcome, named: str) -> None:
    record = outcome.record
    assert (outcome.code, record.verdict) == (3, Verdict.INCONCLUSIVE), texts(record)
    assert any(named in reason for reason in texts(record)), texts(record)


@pytest.mark.parametrize("count", [1, 2, 6, 8, 12])
@pytest.mark.parametrize("refused", REFUSALS)
def test_nothing_measured_is_inconclusive(tmp_path: Path, server: ModelServer, refused: str, count: int) -> None:
    if refused == "slice" and count == 1:
        count = 3
    repo = make(tmp_path, files(server, count, scorers=JUDGE if refused == "judges" else "contains"))
    server.behaviour = Behaviour(refuses=REFUSALS[refused])
    outcome = compare(repo)
    assert outcome.code == 3, texts(outcome.record)
    if outcome.record.unfinished is None:
        assert_unmeasured(outcome, "support/tier=gold" if refused == "slice" else "support")


@pytest.mark.parametrize(
    "settings",
    [
        {"policy": "fail_on: hold"},
        {"samples": 3},
        {"samples": 3, "policy": "early_stop: false"},
        {"policy": "method: percentile"},
        {"policy": "method: percentile"},
        {"suite": ", policy: {advisory: [tier=free]}"},
        {"suite": ", policy: {advisory: [tier=gold, tier=free]}"},
    ],
    ids=str,
)
@pytest.mark.parametrize("count", [4, 12])
def test_no_setting_makes_it_green(
    tmp_path: Path, server: ModelServer, settings: dict[str, object], count: int
) -> None:
    repo = make(tmp_path, files(server, count, **settings))
    server.behaviour = Behaviour(refuses=REFUSALS["candidate"])
    outcome = compare(repo)
    assert (outcome.code, outcome.record.verdict) == (3, Verdict.INCONCLUSIVE), texts(outcome.record)


def test_one_unanswered_case_of_an_advisory_slice_decides_nothing(tmp_path: Path, server: ModelServer) -> None:
    repo = make(tmp_path, files(server, 40, suite=", policy: {advisory: [tier=gold], margin: 0.9}"))
    server.behaviour = Behaviour(refuses=lambda asked: REFUSALS["slice"](asked) and asked.user.endswith("word1"))
    assert compare(repo).code == 0


@pytest.mark.parametrize("policy", ["min_pass_rate: 0.1", "advisory: [tier=free]", ""])
@pytest.mark.parametrize(("refused", "named"), [("candidate", "new"), ("slice", "new/tier=gold")])
@pytest.mark.parametrize("count", [2, 8, 16])
def test_a_new_prompt_without_answers(
    tmp_path: Path, server: ModelServer, refused: str, named: str, policy: str, count: int
) -> None:
    start = files(server, count)
    repo = make(tmp_path, start)
    suite = "  - {name: new, prompt: new.md, cases: support.jsonl, slices: [tier], scorers: [contains], policy: {"
    config = start["gate.yaml"].replace("providers:", f"{suite}{policy}}}}}\nproviders:")
    write(repo, {"gate.yaml": config, "new.md": "Support new. quality=1.0\n"})
    server.behaviour = Behaviour(refuses=REFUSALS[refused])
    outcome = gate("diff", "--base", "main", "--json", cwd=repo)
    assert_unmeasured(outcome, named)


@pytest.mark.parametrize("policy", ["min_pass_rate: 0.1", "advisory: [tier=free]", "required: [tier=gold]", ""])
@pytest.mark.parametrize("refused", ["everything", "suite", "slice", "judges"])
@pytest.mark.parametrize("count", [2, 8, 16])
def test_a_check_without_answers(tmp_path: Path, server: ModelServer, refused: str, policy: str, count: int) -> None:
    scorers = JUDGE if refused == "judges" else "contains"
    repo = make(tmp_path, files(server, count, scorers=scorers, suite=f", policy: {{{policy}}}"))
    server.behaviour = Behaviour(refuses=REFUSALS[refused])
    outcome = gate("check", "--json", cwd=repo)
    assert outcome.code == 3, texts(outcome.record)
