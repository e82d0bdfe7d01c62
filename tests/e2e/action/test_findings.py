"""What a run found is in its record and its outputs as codes, whatever its verdict, and the comment links the first."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import jsonschema
import pytest

from gate.record.comparison import Verdict
from gate.record.findings.catalogue import DECIDING, KINDS
from gate.record.run import RunRecord
from tests.e2e.action.example import BROKEN, PROMPT, REWORDED, SMALL, cases
from tests.support.command import gate
from tests.support.findings import codes
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import Behaviour, ModelServer
from tests.support.pull_request import PullRequestWorld

REPO = "acme/support-bot"
ACTION = {"GITHUB_ACTION_REPOSITORY": "acme/prompt-gate", "GITHUB_ACTION_REF": "v1"}
SERVED = 'version: 1\nproviders: {own: {api: openai, base_url: "{url}/v1"}}'


@dataclass(frozen=True, slots=True)
class Case:
    """A pull request, and what its run is expected to say.

    Args:
        code: the code that the verdict rests on.
        verdict: the verdict.
        change: files of the change.
        main: files of the merge target.
        config: replaced texts of gate.yaml.
        label: a label that the pull request has.
    """

    code: str
    verdict: Verdict
    change: Mapping[str, str]
    main: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, str] = field(default_factory=dict)
    label: str = ""


BUDGET = {"version: 1": "version: 1\nbudget: {max_calls: 3}"}
KEY = {"fake:oracle": "openai:gpt-5-mini"}
SERVER = {"fake:oracle": "own:m", "version: 1": SERVED}
CASES = (
    Case("slice-regressed", Verdict.BLOCK, {PROMPT: BROKEN}),
    Case("too-few-cases", Verdict.HOLD, {PROMPT: REWORDED}, main={"evals/support.jsonl": cases(6)}),
    Case("budget-reached", Verdict.INCONCLUSIVE, {PROMPT: REWORDED}, config=BUDGET),
    Case("key-missing", Verdict.INCONCLUSIVE, {PROMPT: REWORDED}, config=KEY),
    Case("samples-missing", Verdict.INCONCLUSIVE, {PROMPT: REWORDED}, config=SERVER),
    Case("nothing-changed", Verdict.SKIPPED, {"README.md": "# Hello\n"}),
    Case("overridden", Verdict.SKIPPED, {PROMPT: BROKEN}, label="skip-prompt-diff"),
    Case("no-regression", Verdict.PASS, {PROMPT: REWORDED}),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_run_names_what_it_found(case: Case, tmp_path: Path, server: GitHubServer) -> None:
    config = SMALL["gate.yaml"]
    for old, new in case.config.items():
        config = config.replace(old, new)
    with ModelServer(Behaviour(refuses=lambda asked: "answer=word1" in asked.user)) as models:
        files = {**SMALL, **case.main, "gate.yaml": config.replace("{url}", models.url)}
        pr = PullRequestWorld.make(tmp_path, server, files).open(case.change)
        if case.label:
            pr.add_label(case.label, by="olivia")
        checkout = pr.checkout("merge", depth=1)
        done = run_action(checkout, pr.environment(checkout, action="opened") | ACTION)
    written = (checkout / done.outputs["result-json"]).read_bytes()
    jsonschema.validate(json.loads(written), json.loads(gate("schema", "run.json", cwd=tmp_path).out))
    run = RunRecord.model_validate_json(written)
    assert (run.verdict, run.findings[0].code) == (case.verdict, case.code), run.model_dump_json(indent=1)
    assert json.loads(done.outputs["findings"]) == list(dict.fromkeys(codes(run)))
    assert all(finding["text"] for finding in json.loads(written)["findings"])
    if case.verdict in DECIDING:
        assert run.findings[0].severity == DECIDING[case.verdict]
        assert (
            f"acme/prompt-gate/blob/v1/docs/reference/findings.md#{case.code})"
            in server.comments(REPO, pr.number)[0].body
        )


def test_every_code_is_explained(tmp_path: Path) -> None:
    for code in KINDS:
        done = gate("explain", code, cwd=tmp_path)
        assert (done.code, code in done.out) == (0, True), done
    unknown = gate("explain", "slice-regresed", cwd=tmp_path)
    assert unknown.code == 2
    assert "slice-regressed" in unknown.err
