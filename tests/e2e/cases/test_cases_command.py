"""`gate cases`: its effects, its errors, and that no input is lost."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from gate.record.transcript import ArmName
from gate.store.run_folder import dump_run
from tests.support import forked
from tests.support.command import Outcome, environment, gate, git
from tests.support.run_records import finished
from tests.support.runs import suite

MAIN = Path(__file__).parents[3] / "gate" / "__main__.py"
YAML = """\
# ours
- {id: a, input: 'Where?', expected: x}   # first
- id: b
  input: How?
  slices: {tier: free}
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "c.yaml").write_text(YAML, encoding="utf-8")
    return tmp_path


def cases(here: Path, *words: str, code: int = 0) -> Outcome:
    done = gate("cases", *words, cwd=here)
    assert done.code == code, done
    return done


def in_terminal(here: Path, editor: str, *words: str) -> tuple[int, str]:
    """With an editor, which is a shell script that gets the file as `$1`."""
    script = here / "editor.sh"
    script.write_text(f"#!/bin/sh\nset -e\n{editor}\n", encoding="utf-8")
    script.chmod(0o755)
    ours, theirs = pty.openpty()
    command = [str(forked.python(here)), str(MAIN), "cases", *words]
    env = environment(here, {"VISUAL": str(script), "TERM": "dumb"})
    done = subprocess.Popen(command, cwd=here, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # nobody is at the other end any more
            break
        said += part
        if not part:
            break
    os.close(ours)
    return done.wait(60), said.decode()


def test_a_suite_from_file_to_store_and_back(here: Path) -> None:
    assert cases(here, "import", "c.yaml", "store:s").out == "store:s@1: 2 new\n"
    assert cases(here, "import", "c.yaml", "store:s").out == "store:s@1: 2 unchanged\n"
    cases(here, "edit", "store:s", "a", "--set", "threshold=0.8", "--unset", "expected", "--person", "Ann")
    cases(here, "archive", "store:s", "b", "--person", "Bob")
    listed = json.loads(cases(here, "list", "store:s", "--json").out)
    assert listed["source"] == "store:s@3"
    (case,) = listed["cases"]
    assert case["entry"] == {"id": "a", "input": "Where?", "threshold": 0.8}
    assert (case["author"], case["version"]) == ("Ann", 2)
    history = cases(here, "show", "store:s", "a", "--history").out.splitlines()
    assert history[0].startswith("version 2 by Ann, ")
    assert "-expected: x" in history and "+threshold: 0.8" in history
    assert "b  " in cases(here, "list", "store:s", "--archived").out
    cases(here, "export", "store:s", "c.yaml")
    assert (here / "c.yaml").read_text() == "# ours\n- {id: a, input: 'Where?', threshold: 0.8} # first\n"
    cases(here, "export", "store:s@1", "old.jsonl")
    assert [json.loads(line)["id"] for line in (here / "old.jsonl").read_text().splitlines()] == ["a", "b"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "nowhere.yaml"], "there is no file nowhere.yaml"),
        (["list", "store:"], "is not a suite of a store: it must not be blank"),
        (["show", "c.yaml", "z"], "c.yaml has no case 'z'"),
        (["show", "c.yaml", "a", "--history"], "git log -p -- c.yaml"),
        (["add", "c.yaml", "--id", "a", "--input", "x"], "the case 'a' exists already"),
        (["edit", "c.yaml", "a"], "there is nothing to change"),
        (["edit", "c.yaml", "a", "--set", "id=z"], "the id of the case 'a' would become 'z'"),
        (["edit", "c.yaml", "a", "--set", "treshold=1"], "case a: unknown key 'treshold'"),
        (["archive", "c.yaml", "a", "b"], "would have no cases left"),
        (["convert", "c.yaml", "c.yaml"], "c.yaml exists"),
        (["convert", "c.yaml", "p.prompt.yml"], "the case b has slices, which the test data in p.prompt.yml"),
    ],
)
def test_impossible_requests_are_reported_and_change_nothing(here: Path, words: list[str], said: str) -> None:
    done = cases(here, *words, code=2)
    assert said in done.err
    assert (here / "c.yaml").read_text(encoding="utf-8") == YAML
    assert not (here / "p.prompt.yml").exists()


def test_a_case_gets_another_id_in_the_store_with_its_history_and_in_a_file_in_its_place(here: Path) -> None:
    cases(here, "import", "c.yaml", "store:s")
    done = cases(here, "edit", "store:s", "a", "--rename", "z", "--set", "threshold=0.8")
    assert done.out == "renamed a to z in store:s@2\n"
    history = cases(here, "show", "store:s", "z", "--history").out
    assert ("version 2 by " in history, "-id: a" in history, "+id: z" in history) == (True, True, True)
    assert "the case 'b' exists already" in cases(here, "edit", "store:s", "z", "--rename", "b", code=2).err
    assert "the case 'a' exists already" in cases(here, "edit", "c.yaml", "b", "--rename", "a", code=2).err
    assert cases(here, "edit", "c.yaml", "a", "--rename", "z").out == "renamed a to z in c.yaml\n"
    assert (here / "c.yaml").read_text() == YAML.replace("id: a", "id: z")


def test_errors_of_a_file_are_listed_with_lines(here: Path) -> None:
    (here / "c.jsonl").write_text('{"id": "a"}\n{"input": "x", "slice": 3, "x": 1}\n', encoding="utf-8")
    said = cases(here, "lint", "c.jsonl", code=2).err
    assert all(part in said for part in ("c.jsonl:1: 'input' is missing", "c.jsonl:2: 'id' is missing", "'x'"))


EMPTY_ROWS = {
    "a.yaml": "- {id: a, input: x}\n- {id: b, input: }\n",
    "b.yaml": "- {id: a, input: x}\n- {id: b, vars: {city: }}\n",
    "d.yaml": "- {id: a, input: x}\n-\n",
    "f.jsonl": '{"id": "a", "input": "x"}\n{"id": "b", "input": null}\n',
    "g.jsonl": '{"id": "a", "input": "x"}\n{"id": "b", "vars": {"city": null}}\n',
    "h.jsonl": '{"id": "a", "input": "x"}\n{"id": "b", "input": " "}\n',
    "i.jsonl": '{"id": "a", "input": "x"}\nnull\n',
    "j.json": '[{"id": "a", "input": "x"}, {"id": "b", "input": null}]',
    "k.json": '[{"id": "a", "input": "x"}, null]',
    "l.csv": "id,input\na,x\nb,\n",
    "m.csv": "id,input,city\na,x,y\nb,,\n",
    "n.prompt.yml": "messages: [{role: user, content: x}]\ntestData:\n- {input: x}\n- {input: }\n",
    "o.prompt.yml": "messages: [{role: user, content: x}]\ntestData:\n- {input: x}\n- {city: }\n",
    "p.prompt.yml": "messages: [{role: user, content: x}]\ntestData:\n- {input: x}\n-\n",
    "q.yaml": "- {name: a, prompt: x}\n- {name: b, prompt: }\n",
    "r.yaml": "- {name: a, prompt: x}\n- {name: b, rounds: }\n",
    "s.yaml": "- {input: [{role: user, content: x}], ideal: y}\n- {input: , ideal: y}\n",
    "t.jsonl": '{"item": {"question": "x"}}\n{"item": {"question": null}}\n',
}
"""A case, and a row that asks nothing."""


@pytest.mark.parametrize("file", EMPTY_ROWS)
def test_a_row_without_a_question_is_an_error_and_never_dropped(here: Path, file: str) -> None:
    (here / file).write_text(EMPTY_ROWS[file], encoding="utf-8")
    refused = cases(here, "lint", file, code=2)
    place = {".json": "[1]", ".yml": f"{file}:4"}.get(Path(file).suffix, f"{file}:{3 if file.endswith('.csv') else 2}")
    assert place in refused.err
    if not file.endswith((".prompt.yml", "s.yaml", "t.jsonl")):
        assert cases(here, "convert", file, "made.yaml", code=2).err == refused.err
        assert not (here / "made.yaml").exists()


def test_a_case_comes_from_a_file_or_from_standard_input(here: Path) -> None:
    (here / "one.yaml").write_text("id: new\ninput: |\n  Two\n  lines\n", encoding="utf-8")
    cases(here, "add", "c.yaml", "--entry", "one.yaml", "--slice", "tier=paid")
    assert (here / "c.yaml").read_text() == YAML + "- id: new\n  input: |\n    Two\n    lines\n  slices: {tier: paid}\n"


def test_cases_that_the_suite_never_had_stay_in_the_file(here: Path) -> None:
    cases(here, "import", "c.yaml", "store:s")
    cases(here, "add", "c.yaml", "--id", "own", "--input", "x")
    before = (here / "c.yaml").read_text()
    assert "c.yaml has cases that store:s@1 never had: own" in cases(here, "export", "store:s", "c.yaml", code=2).err
    assert (here / "c.yaml").read_text() == before
    cases(here, "export", "store:s", "c.yaml", "--force")
    assert "own" not in (here / "c.yaml").read_text()


def test_the_editor_changes_a_case(here: Path) -> None:
    code, said = in_terminal(here, "sed -i 's/How?/Why?/' $1", "edit", "c.yaml", "b")
    assert (code, said.strip()) == (0, "edited b in c.yaml")
    assert (here / "c.yaml").read_text() == YAML.replace("How?", '"Why?"')


def test_an_invalid_edit_is_saved(here: Path) -> None:
    code, said = in_terminal(here, "sed -i 's/^input/inptu/' $1; echo '# mine' >> $1", "edit", "c.yaml", "b")
    assert code == 2
    assert "'inptu'" in said
    (kept,) = (here / ".gate/edits").iterdir()
    assert kept.name in said
    assert kept.read_text().endswith("# mine\n")
    kept.write_text(kept.read_text().replace("inptu", "input").replace("How", "Why"))
    cases(here, "edit", "c.yaml", "b", "--entry", f".gate/edits/{kept.name}")
    assert "Why?" in (here / "c.yaml").read_text()


def test_a_conflict_names_the_first_editor_and_loses_no_edit(here: Path) -> None:
    source = "store:s"
    cases(here, "import", "c.yaml", "store:s")
    quicker = f"{forked.python(here)} {MAIN} cases edit {source} b --set input=Hers --person Ann"
    code, said = in_terminal(here, f"{quicker}; sed -i 's/How?/Mine?/' $1", "edit", source, "b", "--person", "Bob")
    assert code == 2
    assert "b was changed by Ann on " in said
    assert "input: Hers" in cases(here, "show", source, "b").out
    (kept,) = (here / ".gate/edits").iterdir()
    cases(here, "edit", source, "b", "--entry", f".gate/edits/{kept.name}", "--person", "Bob")
    assert "Mine?" in cases(here, "show", source, "b").out


def test_a_case_of_a_run_is_stored(here: Path) -> None:
    record = finished([suite([{"tier": "free"}] * 4)], lambda case, arm, index: float(arm is ArmName.BASELINE))
    first = record.suites[0]
    asked = [first.cases[0].model_copy(update={"where": "c.yaml:3"}), *first.cases[1:]]
    held = [one.model_copy(update={"input": f"Is it {one.id}?", "expected": "yes"}) for one in asked]
    renamed = [held[0].model_copy(update={"id": "b"}), held[1].model_copy(update={"where": "/etc/c.yaml:1"}), *held[2:]]
    suites = [first.model_copy(update={"cases": renamed})]
    (here / "run.json").write_text(dump_run(record.model_copy(update={"suites": suites})), encoding="utf-8")
    cases(here, "add", "new.jsonl", "--from", "run.json", "b", "--expected", "That way.")
    cases(here, "add", "new.jsonl", "--from", "run.json", "c001", "--id", "found-1", "--slice", "source=run")
    kept = [json.loads(line) for line in (here / "new.jsonl").read_text(encoding="utf-8").splitlines()]
    assert kept == [
        {"id": "b", "input": "How?", "slices": {"tier": "free"}, "expected": "That way."},
        {"id": "found-1", "input": "Is it c001?", "expected": "yes", "slices": {"tier": "free", "source": "run"}},
    ]
    assert "the run has no case 'c9'" in cases(here, "add", "new.jsonl", "--from", "run.json", "c9", code=2).err
