"""Code of a change that writes into the repository: what the merge target is judged by stays what it was."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from tests.e2e.prompt_functions.repository import CONFIG, FILES, GOOD, MODULE
from tests.e2e.scorer_functions import repository as scored
from tests.support.command import gate, git
from tests.support.model_server import ModelServer
from tests.support.privileged import keys
from tests.support.repository import commit, make

SUITES = CONFIG + scored.CONFIG.partition("suites:\n")[2]
"""A prompt that is code, and after it one that is a file, scored by code."""

TOOLS = """\
import os, pathlib, shutil, subprocess, zlib

REPO = pathlib.Path({repo!r})
OBJECTS = REPO / ".git" / "objects"
FORGED = {forged!r}

def git(*words, given=None):
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    return subprocess.run(["git", "-C", str(REPO), *who, *words], input=given, capture_output=True, check=True).stdout

def named(what):
    return git("rev-parse", what).decode().strip()

def loose(folder, oid, kind, data):
    path = folder / oid[:2] / oid[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(b"%s %d\\0" % (kind, len(data)) + data))

def forge(folder):
    for path, text in FORGED.items():
        loose(folder, named("main:" + path), b"blob", text.encode())

def other_tree():
    # What `main` would be with the forged files.
    os.environ["GIT_INDEX_FILE"] = str(REPO / ".git" / "forged")
    git("read-tree", "main")
    for path, text in FORGED.items():
        oid = git("hash-object", "-w", "--stdin", given=text.encode()).decode().strip()
        git("update-index", "--add", "--cacheinfo", "100644," + oid + "," + path)
    return git("write-tree").decode().strip()

def other_commit():
    return git("commit-tree", other_tree(), "-m", "x").decode().strip()

"""
ATTACKS = {
    "a loose object": "forge(OBJECTS)",
    "a pack": """
forge(OBJECTS)
names = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
git("pack-objects", "-q", str(OBJECTS / "pack" / "pack"), given=names)
for folder in OBJECTS.glob("??"):
    shutil.rmtree(folder)
""",
    "objects of elsewhere": """
away = REPO / ".git" / "elsewhere"
shutil.copytree(OBJECTS, away)
forge(away)
for folder in OBJECTS.glob("??"):
    shutil.rmtree(folder)
(OBJECTS / "info" / "alternates").write_text(str(away) + "\\n")
""",
    "the commit": """
rest = git("cat-file", "commit", "main").partition(b"\\n")[2]
loose(OBJECTS, named("main"), b"commit", b"tree %s\\n" % other_tree().encode() + rest)
""",
    "a graph of commits": """
git("commit-graph", "write", "--reachable")
path = OBJECTS / "info" / "commit-graph"
old, new = (bytes.fromhex(one) for one in (named("main^{tree}"), other_tree()))
data = path.read_bytes()
assert old in data
path.unlink()
path.write_bytes(data.replace(old, new))
""",
    "refs": """
commit = other_commit()
for ref in git("for-each-ref", "--format=%(refname)").decode().split():
    git("update-ref", ref, commit)
""",
    "replaced objects, grafts and a border": """
OLD = named("main")
git("replace", OLD, other_commit())
for path, text in FORGED.items():
    git("replace", named("main:" + path), git("hash-object", "-w", "--stdin", given=text.encode()).decode().strip())
(REPO / ".git/info").mkdir(exist_ok=True)
(REPO / ".git/info/grafts").write_text(OLD + " " + other_commit() + "\\n")
(REPO / ".git/shallow").write_text(OLD + "\\n")
""",
    "another repository": """
shutil.copytree(REPO / ".git", REPO / "copy")
forge(REPO / "copy/objects")
(REPO / ".git").rename(REPO / "away")
(REPO / ".git").write_text("gitdir: " + str(REPO / "copy") + "\\n")
""",
    "settings": """
with open(REPO / ".git/config", "a") as file:
    file.write('[core]\\n worktree = /tmp\\n[alias]\\n cat-file = "!echo"\\n ls-tree = "!echo"\\n')
""",
}
FORGED = {
    "prompts/support.md": scored.WORSE["prompts/support.md"],
    scored.MODULE: scored.LENIENT,
}


@pytest.fixture
def models() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    return make(folder, {**FILES, **scored.FILES, "gate.yaml": SUITES})


@pytest.mark.threat("git-objects")
@pytest.mark.parametrize("attack", ATTACKS)
def test_code_of_the_change_does_not_have_other_files_read_for_the_merge_target(
    repo: Path, models: ModelServer, attack: str
) -> None:
    code = TOOLS.format(repo=os.fspath(repo), forged=FORGED) + ATTACKS[attack]
    git(repo, "checkout", "--quiet", "-b", "change")
    commit(repo, {**scored.WORSE, MODULE: code + "\n" + GOOD})
    found = gate("diff", "--base", "main", "--head", "HEAD", "--json", cwd=repo, env=keys(models))
    # A mistake would be code 2, and a verdict that holds with the files as they were is BLOCK.
    assert found.code in (1, 3), found
    assert found.code == 3 or found.record.verdict is Verdict.BLOCK
