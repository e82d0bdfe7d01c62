"""The documented transcript and rubric, run in all three ways."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.e2e.pytest_plugin.conftest import Project
from tests.support.command import gate, git
from tests.support.model_server import Behaviour, ModelServer

ROOT = Path(__file__).parents[3]
DOCUMENTED = ROOT / "tests/data/golden/documented.json"
DISPATCHER = ROOT / "evals/dispatcher"

GOOD = "Got it, no cool air. What's your name?"
BAD = "I can handle that: your AC's been blowing warm since yesterday morning. I'll process it. Then we transition."
BUILDER = "def get_system_prompt(session):\n    return f\"{session.state} {session['zip_code']}: {TONE}\"\n"
CONFIG = """\
version: 1
PROVIDERS
suites:
  - name: voice
    prompt: python:prompts:get_system_prompt
    cases: golden.json
    slices: [state]
    samples: 1
    model: one:m
    scorers:
      - rubric: {file: rubric.yaml, template: judge.md.j2, model: two:j}
"""


def answer(system: str, user: str) -> str:
    assert system.startswith("discovery 78745: ")
    assert user == "Yeah my AC's been blowing warm since yesterday morning"
    return GOOD if "plain" in system else BAD


def judgement(system: str, user: str) -> str:
    """Gives a low score to a reply that no dispatcher would give, lowest in one dimension."""
    assert "You took calls for a heating and cooling company" in system
    assert "The call is at this point: discovery." in system
    spoken = user.rpartition("# Answer\n")[2]
    score = 5 if GOOD in spoken else 2
    fields = json.loads(DIMENSIONS)
    return json.dumps({name: {"reason": "Heard.", "score": 1 if score == 2 and name == "brevity" else score}
                       for name in fields})  # fmt: skip


DIMENSIONS = json.dumps(
    ["brevity", "paraphrasing", "forbidden_words", "state_compliance", "persona_fidelity", "tone_matching"]
    + ["spoken_flow"]
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(answer=answer, judgement=judgement)) as running:
        yield running


@pytest.fixture
def root(tmp_path: Path, server: ModelServer) -> Path:
    shutil.copy(DOCUMENTED, tmp_path / "golden.json")
    for name in ("rubric.yaml", "judge.md.j2"):
        shutil.copy(DISPATCHER / name, tmp_path / name)
    (tmp_path / "prompts.py").write_text(f"TONE = 'Be plain.'\n\n\n{BUILDER}")
    servers = f"one: {{api: openai, base_url: '{server.url}/v1'}}, two: {{api: anthropic, base_url: '{server.url}'}}"
    (tmp_path / "gate.yaml").write_text(CONFIG.replace("PROVIDERS", f"providers: {{{servers}}}"))
    return tmp_path


def test_gate_check(root: Path, server: ModelServer) -> None:
    outcome = gate("check", "--json", cwd=root)
    assert outcome.code == 0, outcome.out + outcome.err
    (case,) = outcome.record.new[0].cases
    assert case.id == "discovery_verbose_fail"
    assert case.slices == {"state": "discovery"}
    assert case.check is not None
    assert {one.name: one.value for one in case.check.scorers} == {
        "rubric": 1.0, "max_sentences": 1.0, "must_paraphrase": 1.0, "forbidden_words": 1.0, "should_ask": 1.0,
    }  # fmt: skip
    asked = len(server.ledger)
    assert asked == 2
    again = gate("check", cwd=root)
    assert (again.code, len(server.ledger)) == (0, asked), "what is known was judged again"


def test_gate_check_of_a_bad_reply(root: Path) -> None:
    (root / "prompts.py").write_text(f"TONE = 'Be nice.'\n\n\n{BUILDER}")
    outcome = gate("check", cwd=root)
    assert outcome.code == 1
    told = (root / ".gate/check/report.md").read_text().replace("\\_", "_")
    # 0.20 x 1 + 0.80 x 2 on the scale of 1 to 5.
    for part in (
        "1.8 of 5, needs 3.5",
        "brevity 1.0",
        "paraphrasing 2.0",
        "max_sentences 0.000",
        "forbidden_words 0.000",
    ):
        assert part in told


def test_gate_diff_of_two_builders(root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "plain")
    (root / "prompts.py").write_text(f"TONE = 'Be nice.'\n\n\n{BUILDER}")
    outcome = gate("diff", "--base", "main", "--json", cwd=root)
    # One case is too few to show anything, and the report says so.
    assert (outcome.code, outcome.record.verdict) == (0, Verdict.HOLD), outcome.err
    (suite,) = outcome.record.suites
    (rubric,) = suite.rubrics
    assert [dimension.name for dimension in rubric.dimensions] == json.loads(DIMENSIONS)
    assert [round(dimension.weight, 2) for dimension in rubric.dimensions] == [0.2, 0.15, 0.1, 0.2, 0.1, 0.15, 0.1]
    assert rubric.dimensions[0].mean == pytest.approx(-1.0)


def test_pytest(root: Path, server: ModelServer) -> None:
    project = Project(root, server)
    (root / "pytest.ini").write_text("[pytest]\n")
    ran = project.run("-m", "eval", "-v")
    assert ran.code == 0, ran.out
    assert "gate.yaml::voice::discovery_verbose_fail PASSED" in ran.out
    assert "rubric 5.0 of 5" in ran.out
    assert "tone_matching 5.0" in ran.out
