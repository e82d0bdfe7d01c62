"""A prompt that is gone, in a run with shards, is reported by the merge."""

from pathlib import Path

from gate.record.findings.unfinished import PromptDeleted
from gate.record.run import RunRecord
from tests.e2e.shards.runs import merge, shards
from tests.support.command import git
from tests.support.example import CONFIG, FILES, PROMPT

FAQ_ONLY = CONFIG[: CONFIG.index("  - name: support")] + CONFIG[CONFIG.index("  - name: faq") :]


def test_a_prompt_that_is_gone_leaves_the_verdict_of_the_merge_open(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    for files in (FILES, {"gate.yaml": FAQ_ONLY, "prompts/faq.md": "Answer. Be kind. quality=1.0\n"}):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        if files is not FILES:
            (tmp_path / PROMPT).unlink()
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "--message", "change")
    shards(tmp_path, 2)
    outcome = merge(tmp_path, "--quiet")
    assert (outcome.code, "INCONCLUSIVE" in outcome.out) == (3, True), outcome
    run = RunRecord.model_validate_json((tmp_path / "merged/run.json").read_bytes())
    assert [finding.prompt for finding in run.findings if isinstance(finding, PromptDeleted)] == [PROMPT]
    assert [suite.name for suite in run.suites] == ["faq"]
