"""A change whose agent edits the files that the merge target's agent runs in: no verdict rests on what came of it."""

import json
import sys
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.support.command import Outcome, gate
from tests.support.repository import commit, make

AGENT = """\
import json, sys
QUALITY = 1.0
SABOTAGE
for line in sys.stdin:
    asked = json.loads(line)
    word = asked.get("text", "").rpartition("=")[2]
    good = QUALITY > 0.5
    if asked["type"] == "send":
        with open("log.txt", "a") as log:
            log.write(word + "\\n")
        print(json.dumps({"type": "answer", "text": word if good else "nothing"}), flush=True)
    else:
        print(json.dumps({"type": "ok"}), flush=True)
"""
WORSE = AGENT.replace("QUALITY = 1.0", "QUALITY = 0.1")
OTHERS = """\
import pathlib
for other in pathlib.Path.cwd().parent.parent.glob("prompt-gate-*/files"):
    if other != pathlib.Path.cwd():
"""
SUITE = {
    "name": "s",
    "prompt": "prompt.md",
    "cases": "cases.json",
    "model": "openai:m",
    "scorers": [{"contains": {"value": "{{ expected }}"}}],
    "target": {"command": {"run": [sys.executable, "-S", "agent.py"], "timeout_s": 20}},
}
WORDS = [f"x{number}" for number in range(10, 20)]
FILES = {
    "gate.yaml": json.dumps({"version": 1, "defaults": {"samples": 1}, "suites": [SUITE]}),
    "prompt.md": "Answer.\n",
    "cases.json": json.dumps([{"name": f"c{word}", "prompt": f"answer={word}", "expected": word} for word in WORDS]),
    "agent.py": AGENT.replace("SABOTAGE\n", ""),
}


def judged(folder: Path, agent: str, **files: str) -> Outcome:
    (folder / "tmp").mkdir()
    repo = make(folder / "repo", FILES | files)
    commit(repo, {"agent.py": agent, "prompt.md": "Answer well.\n"})
    arguments = ("diff", "--base", "HEAD~1", "--head", "HEAD", "--json", "--out", "out")
    return gate(*arguments, cwd=repo, env={"TMPDIR": str(folder / "tmp")})


@pytest.mark.threat("may-run-agent-code")
def test_an_agent_that_only_writes_notes_is_judged_by_what_it_says(tmp_path: Path) -> None:
    found = judged(tmp_path, WORSE.replace("SABOTAGE\n", ""))
    assert found.record.verdict is Verdict.BLOCK, found


@pytest.mark.threat("agent-files", "agent-scorer-files")
def test_an_agent_cannot_edit_the_files_of_the_other_arm_and_of_the_scorer_unseen(tmp_path: Path) -> None:
    suite = {**SUITE, "scorers": [{"python": "marks:right"}]}
    config = json.dumps({"version": 1, "defaults": {"samples": 1}, "suites": [suite]})
    marks = "def right(answer, case):\n    import words\n    return words.same(answer, case.expected)\n"
    words = "def same(answer, word):\n    return answer == word\n"
    lenient = OTHERS + '        (other / "words.py").write_text("def same(answer, word):\\n    return 1.0\\n")\n'
    files = {"gate.yaml": config, "marks.py": marks, "words.py": words}
    found = judged(tmp_path, WORSE.replace("SABOTAGE\n", lenient), **files)
    assert found.record.verdict is Verdict.INCONCLUSIVE, found
    samples = (tmp_path / "repo/out/samples.jsonl").read_text()
    assert '"reason":"files of HEAD~1 changed while it ran' in samples
    assert "marks:right gave no score: files of HEAD~1 changed while it ran: 'words.py'" in samples
