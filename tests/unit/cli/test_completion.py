"""A real bash completes commands, options and names, and is not kept waiting by what it does not need."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click import Command, Context
from hypothesis import given
from hypothesis import strategies as st

from gate.cli import completing
from tests.support.command import environment
from tests.support.example import FILES
from tests.support.repository import make

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")

TRY = """\
eval "$(gate completion bash)"
complete -p gate
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"
  case "$line" in *" ") COMP_WORDS+=("");; esac
  COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )); COMPREPLY=()
  _gate_completion gate
  echo "$line=${COMPREPLY[*]}"
done
"""


def test_bash(tmp_path: Path) -> None:
    repo = make(tmp_path / "repo", FILES)
    programs = tmp_path / "bin"
    programs.mkdir()
    gate = programs / "gate"
    gate.write_text(f"#!{sys.executable}\nimport sys\nfrom gate.__main__ import main\nmain()\n")
    gate.chmod(0o755)
    (repo / ".gate/last").mkdir(parents=True)
    cases = [{"id": "gold-1"}, {"id": "gold-2"}, {"id": "two words"}, {"id": 7}]
    (repo / ".gate/last/run.json").write_text(json.dumps({"suites": [{"cases": cases}], "new": None}))
    env = environment(tmp_path)
    env["PATH"] = f"{programs}:{env['PATH']}"
    asked = "gate expl\ngate diff --wat\ngate diff --suite \ngate diff --base m\ngate explain .gate/last gold\n"
    # As bash cuts `--base=m`, `--base=` and what comes after one.
    asked += "gate diff --base = m\ngate diff --base =\ngate diff --config = gate.yaml --suite s\n"
    done = subprocess.run(
        ["bash", "--norc", "-c", TRY], cwd=repo, env=env, input=asked, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "complete -o nosort -F _gate_completion gate",
        "gate expl=explain",
        "gate diff --wat=--watch",
        "gate diff --suite =support faq",
        "gate diff --base m=main",
        "gate explain .gate/last gold=gold-1 gold-2",
        "gate diff --base = m=main",
        "gate diff --base ==main",
        "gate diff --config = gate.yaml --suite s=support",
    ], done.stderr


@pytest.mark.parametrize(
    ("shell", "position", "answer"),
    [
        ("bash", "2", "plain,--base=main\n"),
        ("zsh", "2", "plain\n--base=main\n_\n"),
        ("fish", "--base=m", "plain,--base=main\n"),
    ],
)
def test_a_shell_that_replaces_the_whole_word_gets_it_whole(
    tmp_path: Path, shell: str, position: str, answer: str
) -> None:
    repo = make(tmp_path / "repo", FILES)
    asked = {"_GATE_COMPLETE": f"{shell}_complete", "COMP_WORDS": "gate diff --base=m", "COMP_CWORD": position}
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'gate'; from gate.__main__ import main; main()"]
    done = subprocess.run(
        command, cwd=repo, env=environment(tmp_path, asked), capture_output=True, text=True, check=True
    )
    assert done.stdout == answer, done.stderr


def names(text: str, folder: Path, begun: str = "") -> list[str]:
    (folder / "gate.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    command = Command("x")
    context = Context(command)
    context.params["config"] = str(folder / "gate.yaml")
    found = completing.SUITE.shell_complete(context, None, begun)  # type: ignore[arg-type]
    return [item.value for item in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("suites:\n  - name: a\n    prompt: p\n  - prompt: q\n    name: 'b c'\n", ["a"]),
        ('suites:\n- name: "x"  # one\n- {name: y, prompt: p}\nbudget: {}\nname: z\n', ["x", "y"]),
        ("defaults:\n  name: n\nsuites: []\n", []),
        ("", []),
        ("suites:\n  - name: a\n  - name: a\n", ["a"]),
        (
            "suites:\n- name: $(x)\n- name: '`x`'\n- name: a;x\n- name: /*\n- name: --out=x\n- name: ü/b_1@v=2\n",
            ["ü/b_1@v=2"],
        ),
    ],
)
def test_suites_of_a_configuration(tmp_path: Path, text: str, found: list[str]) -> None:
    assert names(text, tmp_path) == found


def test_the_configuration_is_that_of_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "prompts/deep"
    below.mkdir(parents=True)
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")  # as in a worktree
    (tmp_path / "gate.yaml").write_text("suites:\n  - name: support\n")
    monkeypatch.chdir(below)
    context = Context(Command("x"))
    context.params["config"] = "gate.yaml"
    found = completing.SUITE.shell_complete(context, None, "s")  # type: ignore[arg-type]
    assert [item.value for item in found] == ["support"]


def test_the_last_run_is_that_of_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "prompts"
    for folder in (below, tmp_path / ".git", tmp_path / ".gate/last"):
        folder.mkdir(parents=True)
    (tmp_path / ".gate/last/run.json").write_text('{"suites": [{"cases": [{"id": "gold-1"}]}]}')
    monkeypatch.chdir(below)
    found = completing.CASE.shell_complete(Context(Command("x")), None, "")  # type: ignore[arg-type]
    assert [item.value for item in found] == ["gold-1"]


def test_what_cannot_be_read_is_nothing(tmp_path: Path) -> None:
    context = Context(Command("x"))
    for run in (tmp_path, tmp_path / "none.json"):
        context.params["run"] = run
        (tmp_path / "run.json").write_text('{"suites": [{"cases": "no"}, 3], "new": {}}')
        assert completing.CASE.shell_complete(context, None, "") == []  # type: ignore[arg-type]


@pytest.mark.skipif(not Path("/proc/self/pagemap").exists(), reason="no such file")
def test_a_link_to_what_never_ends_is_not_read_while_somebody_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says that it is a plain file of no bytes, and has thousands of millions."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "gate.yaml").symlink_to("/proc/self/pagemap")
    monkeypatch.chdir(tmp_path)
    assert completing.SUITE.shell_complete(Context(Command("x")), None, "") == []  # type: ignore[arg-type]


@given(st.text(alphabet="suites:-name'\"{} \n#,ab"))
def test_no_configuration_makes_it_fail(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    for name in names(text, folder):
        assert name.isprintable() and " " not in name
