"""Code of a change that writes into the repository: what the merge target is judged by stays what it was."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.domain.verdict import Verdict
from tests.integration.builders.repository import CONFIG, FILES, GOOD, MODULE, commit, make
from tests.integration.scorers import repository as scored
from tests.support.command import gate, git
from tests.support.model_server import ModelServer
from tests.support.privileged import keys

SUITES = CONFIG + scored.CONFIG.partition("suites:\n")[2]
"""A prompt that is code, and after it one that is a file, scored by code."""

TOOLS = """\
import hashlib, os, pathlib, shutil, subprocess, zlib

REPO = pathlib.Path({repo!r})
FORGED = {forged!r}

def git(*words, given=None):
    return subprocess.run(["git", "-C", str(REPO), *words], input=given, capture_output=True, check=True).stdout

def loose(folder, oid, kind, data):
    path = folder / oid[:2] / oid[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(b"%s %d\\0" % (kind, len(data)) + data))

def forge(folder):
    for path, text in FORGED.items():
        loose(folder, git("rev-parse", "main:" + path).decode().strip(), b"blob", text.encode())

def pack():
    # Of loose objects that are not what their names say.
    names = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    git("pack-objects", "-q", str(REPO / ".git" / "objects" / "pack" / "pack"), given=names)
    for folder in (REPO / ".git" / "objects").glob("??"):
        shutil.rmtree(folder)

def other_tree():
    # What `main` would be with the forged files.
    os.environ["GIT_INDEX_FILE"] = str(REPO / ".git" / "forged")
    git("read-tree", "main")
    for path, text in FORGED.items():
        oid = git("hash-object", "-w", "--stdin", given=text.encode()).decode().strip()
        git("update-index", "--add", "--cacheinfo", "100644," + oid + "," + path)
    return git("write-tree").decode().strip()

"""
ATTACKS = {
    "a loose object": "forge(REPO / '.git/objects')",
    "a pack": "forge(REPO / '.git/objects'); pack()",
    "objects of elsewhere": """
away = REPO / ".git" / "elsewhere"
forge(away)
shutil.copytree(REPO / ".git" / "objects", away / "rest")
for path in FORGED:
    oid = git("rev-parse", "main:" + path).decode().strip()
    (away / "rest" / oid[:2] / oid[2:]).unlink()
shutil.copytree(away / "rest", away, dirs_exist_ok=True)
shutil.rmtree(REPO / ".git" / "objects")
for name in ("info", "pack"):
    (REPO / ".git" / "objects" / name).mkdir(parents=True)
(REPO / ".git" / "objects" / "info" / "alternates").write_text(str(away) + "\\n")
""",
    "a folder's tree": """
for folder in {os.path.dirname(path) for path in FORGED}:
    data = git("cat-file", "tree", other_tree() + ":" + folder)
    loose(REPO / ".git/objects", git("rev-parse", "main:" + folder).decode().strip(), b"tree", data)
""",
    "the root's tree": """
loose(REPO / ".git/objects", git("rev-parse", "main^{tree}").decode().strip(), b"tree", git("cat-file", "tree", other_tree()))
""",
    "the commit": """
data = git("cat-file", "commit", "main").partition(b"\\n")[2]
loose(REPO / ".git/objects", git("rev-parse", "main").decode().strip(), b"commit", b"tree %s\\n" % other_tree().encode() + data)
""",
    "a graph of commits": """
git("commit-graph", "write", "--reachable")
path = REPO / ".git/objects/info/commit-graph"
old, new = (bytes.fromhex(one) for one in (git("rev-parse", "main^{tree}").decode().strip(), other_tree()))
data = path.read_bytes()
assert old in data
path.unlink()
path.write_bytes(data.replace(old, new))
""",
    "refs": """
tree = other_tree()
git("symbolic-ref", "HEAD", "refs/heads/aside")
commit = git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit-tree", tree, "-m", "x").decode().strip()
for ref in git("for-each-ref", "--format=%(refname)").decode().split():
    git("update-ref", ref, commit)
""",
    "replaced objects": """
new = git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit-tree", other_tree(), "-m", "x").decode().strip()
git("replace", git("rev-parse", "main").decode().strip(), new)
for path, text in FORGED.items():
    oid = git("hash-object", "-w", "--stdin", given=text.encode()).decode().strip()
    git("replace", git("rev-parse", "main:" + path).decode().strip(), oid)
""",
    "grafts and a border": """
old = git("rev-parse", "main").decode().strip()
new = git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit-tree", other_tree(), "-m", "x").decode().strip()
(REPO / ".git/info").mkdir(exist_ok=True)
(REPO / ".git/info/grafts").write_text(old + " " + new + "\\n")
(REPO / ".git/shallow").write_text(old + "\\n")
""",
    "another repository": """
shutil.copytree(REPO / ".git", REPO / "copy")
forge(REPO / "copy/objects")
(REPO / ".git").rename(REPO / "away")
(REPO / ".git").write_text("gitdir: " + str(REPO / "copy") + "\\n")
""",
    "settings": """
with open(REPO / ".git/config", "a") as file:
    file.write('[core]\\n worktree = /tmp\\n repositoryformatversion = 0\\n[alias]\\n cat-file = "!echo"\\n ls-tree = "!echo"\\n')
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


@pytest.mark.parametrize("path", FORGED)
@pytest.mark.parametrize("attack", ATTACKS)
def test_code_of_the_change_does_not_have_other_files_read_for_the_merge_target(
    repo: Path, models: ModelServer, attack: str, path: str
) -> None:
    code = TOOLS.format(repo=os.fspath(repo), forged={path: FORGED[path]}) + ATTACKS[attack]
    git(repo, "checkout", "--quiet", "-b", "change")
    commit(repo, {**scored.WORSE, MODULE: code + "\n" + GOOD})
    found = gate("diff", "--base", "main", "--head", "HEAD", "--json", cwd=repo, env=keys(models))
    print(found.code, found.err[-3000:], found.out[:300])
    assert found.code in (1, 3)
    assert found.code == 3 or found.record.verdict is Verdict.BLOCK
