"""Answers GitHub's questions about commits, trees, blobs and files from the objects of a real git folder."""

import base64
import os
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

BLOB_LIMIT = 1_000_000
"""Bytes up to which the contents API gives a file's text."""
UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


@dataclass(frozen=True, slots=True)
class Line:
    """An entry of a tree; `kind` is `blob`, `tree` or, for a submodule, `commit`."""

    path: str
    mode: str
    kind: str
    sha: str
    size: int


class Missing(Exception):
    """There is no such object, path or ref."""


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects behind one repository.

    Args:
        folder: git directory or working tree.
        api: address of the repository in the API.
        html: its address in the browser.
    """

    folder: Path
    api: str
    html: str

    def resolve(self, ref: str) -> str:
        """The commit that a sha, branch, tag or full ref name stands for."""
        for candidate in (ref, f"refs/{ref}", f"refs/heads/{ref}", f"refs/tags/{ref}"):
            file = self._folder / candidate
            sha = file.read_text().strip() if candidate != ref and file.is_file() else candidate
            with suppress(Missing):
                if self._read(sha)[0] == "commit":
                    return sha
        return self._git("rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}").strip()

    def commit(self, sha: str) -> dict[str, Any]:
        """A `git-commit`."""
        kind, data = self._read(sha)
        if kind != "commit":
            raise Missing(sha)
        head, _, message = data.decode("utf-8", "replace").partition("\n\n")
        fields: dict[str, list[str]] = {}
        for line in head.splitlines():
            key, _, value = line.partition(" ")
            fields.setdefault(key, []).append(value)
        tree = fields["tree"][0]
        return {
            "sha": sha,
            "node_id": f"C_{sha}",
            "url": f"{self.api}/git/commits/{sha}",
            "html_url": f"{self.html}/commit/{sha}",
            "author": _person(fields["author"][0]),
            "committer": _person(fields["committer"][0]),
            "tree": {"sha": tree, "url": f"{self.api}/git/trees/{tree}"},
            "message": message.rstrip("\n"),
            "parents": [
                {"sha": each, "url": f"{self.api}/git/commits/{each}", "html_url": f"{self.html}/commit/{each}"}
                for each in fields.get("parent", [])
            ],
            "verification": UNSIGNED,
        }

    def tree(self, name: str, recursive: bool, limit: int) -> dict[str, Any]:
        """A `git-tree` of at most `limit` entries; `truncated` says that there are more."""
        sha = self._tree_sha(name)
        entries = [self._entry(line) for line in self._listing(sha, recursive)]
        return {
            "sha": sha,
            "url": f"{self.api}/git/trees/{sha}",
            "tree": entries[:limit],
            "truncated": len(entries) > limit,
        }

    def blob(self, sha: str) -> dict[str, Any]:
        """A `blob`."""
        kind, data = self._read(sha)
        if kind != "blob":
            raise Missing(sha)
        return {
            "sha": sha,
            "node_id": f"B_{sha}",
            "size": len(data),
            "url": f"{self.api}/git/blobs/{sha}",
            "content": _base64(data),
            "encoding": "base64",
        }

    def contents(self, path: str, ref: str) -> dict[str, Any] | list[dict[str, Any]]:
        """A file with its text, or the list of a folder."""
        listing = list(self._listing(self._tree_sha(self.resolve(ref)), recursive=True))
        line = next((each for each in listing if each.path == path), None)
        if not path or (line is not None and line.kind == "tree"):
            return [self._content(each, ref) for each in listing if each.path.rpartition("/")[0] == path]
        if line is None:
            raise Missing(path)
        entry = self._content(line, ref)
        if line.mode == "120000":
            return {**entry, "target": self._read(line.sha)[1].decode("utf-8", "replace")}
        if line.kind != "blob":
            return {**entry, "submodule_git_url": None}
        small = line.size <= BLOB_LIMIT
        text = _base64(self._read(line.sha)[1]) if small else ""
        return {**entry, "content": text, "encoding": "base64" if small else "none"}

    def fork_point(self, base: str, head: str) -> str:
        """The last commit that two have in common."""
        return self._git("merge-base", base, head).strip()

    def between(self, base: str, head: str) -> list[str]:
        """The commits of a head that its base does not have."""
        return self._git("rev-list", f"{base}..{head}").split()

    def changes(self, sha: str, start: str = "") -> list[dict[str, Any]]:
        """What a commit changed against another, by default its first parent, as `diff-entry` rows."""
        parents = [{"sha": start}] if start else self.commit(sha)["parents"]
        since = [parents[0]["sha"]] if parents else ["--root"]
        raw = self._git("diff-tree", "--no-commit-id", "-r", "-z", "--raw", "--no-abbrev", *since, sha).split("\0")[:-1]
        counts = self._git("diff-tree", "--no-commit-id", "-r", "-z", "--numstat", *since, sha).split("\0")[:-1]
        lines = {path: (added, removed) for added, removed, path in (row.split("\t", 2) for row in counts)}
        words = {"A": "added", "D": "removed", "M": "modified", "T": "changed"}
        rows = []
        for meta, path in zip(raw[::2], raw[1::2], strict=True):
            _, _, before, after, letter = meta.lstrip(":").split(" ")
            added, removed = (0 if text == "-" else int(text) for text in lines[path])
            row = {
                "sha": before if letter == "D" else after,
                "filename": path,
                "status": words[letter],
                "additions": added,
                "deletions": removed,
                "changes": added + removed,
                "blob_url": f"{self.html}/blob/{sha}/{path}",
                "raw_url": f"{self.html}/raw/{sha}/{path}",
                "contents_url": f"{self.api}/contents/{path}?ref={sha}",
            }
            rows.append(row)
        return rows

    def fetch(self, sha: str, depth: int, git: Path) -> None:
        """Put a commit into another git folder as a fetch of this depth does: the copies take no process."""
        level, borders = [sha], []
        for left in reversed(range(depth)):
            parents = {one: [row["sha"] for row in self.commit(one)["parents"]] for one in level}
            for one in level:
                tree = self._tree_sha(one)
                lines = [line.sha for line in self._listing(tree, recursive=True) if line.kind != "commit"]
                for each in (one, tree, *lines):
                    place = Path("objects", each[:2], each[2:])
                    (git / place).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(self._folder / place, git / place)
            borders += [one for one in level if parents[one] and not left]
            level = list(dict.fromkeys(parent for one in level for parent in parents[one]))
        (git / "shallow").write_text("".join(f"{one}\n" for one in sorted(set(borders))))

    def _content(self, line: Line, ref: str) -> dict[str, Any]:
        url, html = f"{self.api}/contents/{line.path}?ref={ref}", f"{self.html}/blob/{ref}/{line.path}"
        git_url = f"{self.api}/git/{'trees' if line.kind == 'tree' else 'blobs'}/{line.sha}"
        words = {"blob": "symlink" if line.mode == "120000" else "file", "tree": "dir", "commit": "submodule"}
        return {
            "type": words[line.kind],
            "size": line.size,
            "name": line.path.rsplit("/", 1)[-1],
            "path": line.path,
            "sha": line.sha,
            "url": url,
            "git_url": git_url,
            "html_url": html,
            "download_url": f"{self.html}/raw/{ref}/{line.path}" if line.kind == "blob" else None,
            "_links": {"self": url, "git": git_url, "html": html},
        }

    def _entry(self, line: Line) -> dict[str, Any]:
        entry: dict[str, Any] = {"path": line.path, "mode": line.mode, "type": line.kind, "sha": line.sha}
        if line.kind == "blob":
            entry["size"] = line.size
        if line.kind != "commit":
            entry["url"] = f"{self.api}/git/{line.kind}s/{line.sha}"
        return entry

    def _listing(self, tree: str, recursive: bool, folder: str = "") -> Iterator[Line]:
        data, start = self._read(tree)[1], 0
        while start < len(data):
            end = data.index(b"\0", start)
            mode, name = data[start:end].decode("utf-8", "replace").split(" ", 1)
            start = end + 21
            sha, mode, path = data[end + 1 : start].hex(), mode.zfill(6), folder + name
            kind = {"040000": "tree", "160000": "commit"}.get(mode, "blob")
            yield Line(path, mode, kind, sha, len(self._read(sha)[1]) if kind == "blob" else 0)
            if recursive and kind == "tree":
                yield from self._listing(sha, recursive, f"{path}/")

    def _tree_sha(self, name: str) -> str:
        with suppress(Missing):
            kind, data = self._read(name)
            if kind in ("tree", "commit"):
                return name if kind == "tree" else data[5:45].decode()
        return self._tree_sha(self.resolve(name))

    @property
    def _folder(self) -> Path:
        return self.folder / ".git" if (self.folder / ".git").is_dir() else self.folder

    def _read(self, sha: str) -> tuple[str, bytes]:
        """Kind and content of an object; no process is started for one that is in no pack."""
        if not re.fullmatch("[0-9a-f]{40}", sha):
            raise Missing(sha)
        file = self._folder / "objects" / sha[:2] / sha[2:]
        if file.is_file():
            head, _, data = zlib.decompress(file.read_bytes()).partition(b"\0")
            return head.split()[0].decode(), data
        kind = self._git("cat-file", "-t", sha).strip()
        return kind, self._bytes("cat-file", kind, sha)

    def _git(self, *arguments: str) -> str:
        return self._bytes(*arguments).decode("utf-8", "replace")

    def _bytes(self, *arguments: str) -> bytes:
        env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        done = subprocess.run(["git", "-C", str(self.folder), *arguments], env=env, capture_output=True, check=False)
        if done.returncode:
            raise Missing(done.stderr.decode(errors="replace"))
        return done.stdout


def _base64(data: bytes) -> str:
    """Base64 in lines of 60 characters, as GitHub sends it."""
    text = base64.b64encode(data).decode()
    return "".join(text[i : i + 60] + "\n" for i in range(0, len(text), 60))


def _person(line: str) -> dict[str, str]:
    """Name, address and UTC date of an author or committer line."""
    name, _, rest = line.partition(" <")
    email, _, when = rest.partition("> ")
    seconds = datetime.fromtimestamp(int(when.split()[0]), UTC)
    return {"name": name, "email": email, "date": seconds.strftime("%Y-%m-%dT%H:%M:%SZ")}
