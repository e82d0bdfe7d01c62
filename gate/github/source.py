"""Files of one commit, read from GitHub where the checkout does not have them.

It reads trees and blobs, not `/contents`, which follows symbolic links silently, ends at 1 MB, and lists at most 1,000
entries of a folder.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field

from github.GitTreeElement import GitTreeElement

from gate.errors import CannotEvaluate
from gate.files import literal_folder
from gate.github.client import GitHub, asking, required
from gate.github.events import SHA
from gate.prompts.files import LINK, Entry, check_way, checked, destination, folders, linked, matching

LONGEST_WALK = 500
"""Folders looked into, one by one, where GitHub cuts its listing of a large tree short."""


@dataclass(slots=True)
class GitHubStore:
    """Commits, trees and blobs of one repository, each loaded once."""

    github: GitHub
    _trees: dict[tuple[str, bool], tuple[list[Entry], bool]] = field(default_factory=dict)
    _blobs: dict[str, bytes] = field(default_factory=dict)

    def parents(self, sha: str) -> tuple[str, ...]:
        """The parents of a commit.

        Raises:
            ApiError: it is missing, or cannot be read.
        """
        with asking(f"read commit {sha[:12]}", "contents: read"):
            return tuple(required(parent.sha, str) for parent in self.github.repository.get_git_commit(sha).parents)

    def commit(self, ref: str) -> str:
        """The commit of a branch, a tag or the like.

        Raises:
            ApiError: there is none, or it cannot be read.
        """
        with asking("find the commit of a ref", "contents: read"):
            # PyGithub returns an incomplete object unless the whole one is requested.
            sha = required(self.github.repository.get_commit(ref).raw_data["sha"], str)
            if not SHA.fullmatch(sha):
                raise ValueError("no commit")
            return sha

    def merge_base(self, base: str, head: str) -> str:
        """The commit from which two began.

        Raises:
            ApiError: there is none, or it cannot be read.
        """
        with asking(f"compare {base[:12]} with {head[:12]}", "contents: read"):
            sha = required(
                self.github.repository.compare(base, head, comparison_commits_per_page=1).merge_base_commit.sha, str
            )
            if not SHA.fullmatch(sha):
                raise ValueError("no commit")
            return sha

    def tree(self, sha: str, *, recursive: bool = False) -> tuple[list[Entry], bool]:
        """The entries of a tree (or of a commit's), with paths relative to it, and whether GitHub left some out."""
        key = (sha, recursive)
        if key not in self._trees:
            with asking(f"list the files of {sha[:12]}", "contents: read"):
                found = self.github.repository.get_git_tree(sha, **({"recursive": True} if recursive else {}))
                self._trees[key] = ([_entry(one) for one in found.tree], bool(found.raw_data.get("truncated")))
        return self._trees[key]

    def blob(self, entry: Entry) -> bytes:
        """The content of a file."""
        if entry.oid not in self._blobs:
            with asking(f"read {entry.path}", "contents: read"):
                found = self.github.repository.get_git_blob(entry.oid)
                if found.encoding != "base64":
                    raise ValueError("not base64")
                data = base64.b64decode(found.content.replace("\n", ""), validate=True)
                if len(data) != entry.size:
                    raise ValueError("not whole")
                self._blobs[entry.oid] = data
        return self._blobs[entry.oid]


@dataclass(frozen=True, slots=True)
class GitHubSource:
    """Files of one commit on GitHub (`gate.prompts.files.FileSource`)."""

    label: str
    sha: str
    store: GitHubStore

    def read(self, path: str) -> bytes | None:
        """The content; None when the commit has no such file.

        Raises:
            InputErrors: the path leaves the repository, names a link, a submodule, a folder or something huge, or leads
                through a link or a submodule.
            ApiError: the request to GitHub failed.
        """
        path = checked(path)
        entry = self._entry(path)
        place = f"{self.label}:{path}"
        if entry is None:
            check_way(place, self._way(path))
            return None
        entry.check(place)
        return self.store.blob(entry)

    def fingerprint(self, path: str) -> str | None:
        """Mode and object id, as a clone has them."""
        entry = self._entry(checked(path))
        return None if entry is None else entry.fingerprint

    def glob(self, pattern: str) -> list[str]:
        """Paths of plain files that match, sorted; links and submodules are left out."""
        pattern = checked(pattern)
        return matching((entry.path for entry in self._files(literal_folder(pattern))), pattern)

    def listing(self, folder: str = "") -> dict[str, str]:
        """Plain files with mode and object id; links and submodules are left out."""
        return {entry.path: entry.fingerprint for entry in self._files(checked(folder) if folder else "")}

    def links(self, pattern: str) -> dict[str, str]:
        """Links and submodules that match, or behind which something could (`gate.prompts.files.linked`)."""
        pattern = checked(pattern)
        folder = literal_folder(pattern)
        way = (self._entry(path) for path in folders(f"{folder}/"))
        return linked([*(entry for entry in way if entry is not None), *self._inside(folder)], pattern)

    def leads_to(self, link: str) -> str | None:
        """By the link's own content."""
        entry = self._entry(checked(link))
        return destination(entry.path, self.store.blob(entry)) if entry is not None and entry.mode == LINK else None

    def _files(self, folder: str) -> list[Entry]:
        """Plain files in a folder and its folders; empty for the root."""
        return [entry for entry in self._inside(folder) if entry.plain]

    def _inside(self, folder: str) -> list[Entry]:
        """Everything in a folder, if it is one, and in its folders; empty for the root."""
        top = self._entry(folder) if folder else Entry.root(self.sha)
        return self._below(top) if top is not None and top.folder else []

    def _entry(self, path: str) -> Entry | None:
        """The entry of a path, found folder by folder."""
        found = Entry.root(self.sha)
        for part in path.split("/"):
            if not found.folder:
                return None
            entries, cut = self.store.tree(found.oid)
            inside = found.path
            named = next((entry for entry in entries if entry.path == part), None)
            if named is None:
                if cut:
                    raise CannotEvaluate(f"GitHub does not list all files of {inside or 'the repository'}", _CHECK_OUT)
                return None
            found = named.below(inside)
        return found

    def _way(self, path: str) -> Iterator[tuple[str, str]]:
        """Modes and paths on the way to a path, as far as it exists; all of it has been listed by now."""
        found = (self._entry(folder) for folder in folders(path))
        return ((entry.mode, entry.path) for entry in found if entry is not None)

    def _below(self, top: Entry) -> list[Entry]:
        """Everything in a folder and its folders."""
        entries, cut = self.store.tree(top.oid, recursive=True)
        if not cut:
            return [entry.below(top.path) for entry in entries]
        found: list[Entry] = []
        folders = [top]
        for _ in range(LONGEST_WALK):
            if not folders:
                return found
            folder = folders.pop()
            entries, cut = self.store.tree(folder.oid)
            if cut:
                break
            inside = [entry.below(folder.path) for entry in entries]
            folders += [entry for entry in inside if entry.folder]
            found += inside
        raise CannotEvaluate(f"GitHub does not list all files of {top.path or 'the repository'}", _CHECK_OUT)


def _entry(one: GitTreeElement) -> Entry:
    return Entry(required(one.mode, str), required(one.sha, str), one.size or 0, required(one.path, str))


_CHECK_OUT = "check the repository out before the gate, with fetch-depth: 2"
