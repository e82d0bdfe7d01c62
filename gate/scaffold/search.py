"""Finds prompts in one pass over the files of a repository, and ranks them."""

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath

from gate.cases import reading as case_files
from gate.cases.bundles import is_bundle, read_bundle
from gate.cases.case import Case
from gate.cases.losses import Bundle
from gate.config.documents import decode
from gate.config.gatefile import CASE_ENDINGS
from gate.config.values import file_part, pointer_of
from gate.errors import GateError, InputErrors
from gate.prompts.discovery import (
    CODE_ENDINGS,
    FoundPrompt,
    PassedFile,
    aside_folder,
    is_likely_file,
    is_passed_over,
    may_hold_texts,
    problem_text,
    prompts_inside,
    read_pointer,
    read_prompt,
    read_prompt_file,
    without_parts,
)
from gate.scaffold.names import bare_name

_WORDS = (b"prompt", b"instruction", b"system", b"template", b"backstory")
"""Code without any of these words neither contains nor uses a prompt."""
_TOKEN = re.compile(
    rb"(?:[PpIiSsTtBb](?:rompt|ROMPT|nstruct|NSTRUCT|ystem|YSTEM|emplate|EMPLATE|ackstory)|"
    rb"\.(?:md|txt|j2|jinja2?)\b)[\w./-]*"
)
"""What the name of a prompt, or of its file, has in it, and the rest of the word; its beginning is looked up."""
_IN_NAMES = (string.ascii_letters + string.digits + "_./-").encode()
_PIECES = re.compile(r"[./]")
_TOKENS = 500
"""Of one file that are counted."""
_SUFFIX = re.compile(r"[-_.](?:cases?|tests?|evals?|dataset|examples?|data)$", re.IGNORECASE)
_STEP_CHARS = (200, 800, 2_400)
"""Sizes from which a prompt ranks higher."""


@dataclass(frozen=True, slots=True)
class RepositoryFiles:
    """The files of the repository.

    Args:
        read: as the gate reads a file later, with all checks.
        scan: the bytes of a file of usual size, quickly; None for any other.
    """

    paths: frozenset[str]
    read: Callable[[str], bytes | None]
    scan: Callable[[str], bytes | None]

    def cases(self, path: str) -> tuple[Case, ...]:
        """The cases of a file; empty if it has none or has an error."""
        try:
            data = self.read(path)
            return () if data is None else case_files.parse(decode(data, path), path)
        except GateError:
            return ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A prompt, or a file of another tool with its prompts and cases.

    Args:
        path: as `gate.yaml` names it, or of the other tool's file.
        aside: its folder of tests, examples or documentation; empty for none.
        used: code refers to it.
        data: it has cases, or a case file of its name.
    """

    path: str
    prompt: FoundPrompt | None = None
    bundle: Bundle | None = None
    aside: str = ""
    used: bool = False
    data: bool = False

    @property
    def chars(self) -> int:
        """Length of its text."""
        return len(self.prompt.text) if self.prompt else 0

    @property
    def rank(self) -> tuple[bool, bool, int, int, str]:
        """Sort key; the lowest comes first."""
        size = sum(self.chars >= step for step in _STEP_CHARS)
        # A short text among code is often a label, or a message of the program.
        label = size == 0 and pointer_of(self.path) is not None
        return bool(self.aside), label, -(self.used + self.data + (self.bundle is not None)), -size, self.path


@dataclass(frozen=True, slots=True)
class RepositoryFindings:
    """Result of the search.

    Args:
        candidates: likeliest first.
        left: files that look like prompts but cannot be used.
        looked: number of files of the repository.
    """

    candidates: tuple[Candidate, ...] = ()
    left: tuple[PassedFile, ...] = ()
    looked: int = 0


@dataclass(slots=True)
class _Search:
    """The results of one pass."""

    tree: RepositoryFiles
    bundles: dict[str, Bundle] = field(default_factory=dict)
    found: list[FoundPrompt] = field(default_factory=list)
    left: list[PassedFile] = field(default_factory=list)
    uses: Counter[str] = field(default_factory=Counter)
    stems: set[str] = field(default_factory=set)

    def look_at(self, path: str) -> None:
        """One file, opened at most once."""
        if path.lower().endswith(CASE_ENDINGS):
            self._remember(path)
        if is_bundle(path):
            self._bundle(path)
        elif not is_likely_file(path) or not self._whole(path):
            self._inside(path)

    def _remember(self, path: str) -> None:
        place = PurePosixPath(path)
        self.stems.add(_SUFFIX.sub("", bare_name(place.name.rsplit(".", 1)[0])).lower())
        self.stems.add(place.parent.name.lower())

    def _bundle(self, path: str) -> None:
        try:
            self.bundles[path] = bundle_at(self.tree, path)
        except GateError as error:
            self.left.append(PassedFile(path, reason_of(error)))

    def _whole(self, path: str) -> bool:
        """Is it a prompt, or an invalid one?"""
        one = read_prompt_file(path, self.tree.read)
        if isinstance(one, PassedFile):
            self.left.append(one)
        elif one is not None:
            self.found.append(one)
        return one is not None

    def _inside(self, path: str) -> None:
        if not may_hold_texts(path) or (data := self.tree.scan(path)) is None:
            return
        small = data.lower()
        if not any(word in small for word in _WORDS) and "prompt" not in path.lower():
            return
        if path.lower().endswith(CODE_ENDINGS):
            self.uses.update(piece for one in _tokens(data) for piece in _names(one))
        self.found += prompts_inside(path, data)


def _tokens(data: bytes) -> Iterator[str]:
    """Words of code that may refer to a prompt, with their counts."""
    for one in islice(_TOKEN.finditer(data), _TOKENS):
        before = data[max(0, one.start() - 80) : one.start()]
        yield (before[len(before.rstrip(_IN_NAMES)) :] + one[0]).decode("utf-8", "replace")


def _names(token: str) -> Iterable[str]:
    """What a word of code may refer to: a file, or the parts of `prompts.GREETING`."""
    file = token.rsplit("/", 1)[-1]
    return {file, *_PIECES.split(file)} - {""}


def search_repository(tree: RepositoryFiles) -> RepositoryFindings:
    """All prompts, likeliest first."""
    search = _Search(tree)
    for path in sorted(tree.paths):
        if not is_passed_over(path):
            search.look_at(path)
    suites = [suite for bundle in search.bundles.values() for suite in bundle.suites]
    taken = {suite.prompt for suite in suites}
    prompts = [one for one in without_parts(search.found) if one.path not in taken]
    known = Counter(_last(one.path) for one in prompts)
    candidates = [
        Candidate(
            one.path,
            one,
            aside=aside_folder(file_part(one.path)),
            used=_is_used(one.path, search.uses, known),
            data=_stem(one.path) in search.stems,
        )
        for one in prompts
    ]
    candidates += [candidate_of(tree, path, bundle) for path, bundle in search.bundles.items()]
    candidates.sort(key=lambda one: one.rank)
    return RepositoryFindings(tuple(candidates), tuple(search.left), len(tree.paths))


def named_candidates(tree: RepositoryFiles, paths: Sequence[str]) -> RepositoryFindings:
    """The prompts that the user named; unreadable ones are left out with their reason."""
    found: list[Candidate] = []
    left: list[PassedFile] = []
    for path in dict.fromkeys(paths):
        try:
            found += _named(tree, path)
        except GateError as error:
            left.append(PassedFile(path, reason_of(error)))
    return RepositoryFindings(tuple(found), tuple(left), len(tree.paths))


def _named(tree: RepositoryFiles, path: str) -> list[Candidate]:
    """The prompts of a path: the file, or texts inside it."""
    pointer = pointer_of(path)
    if pointer is not None:
        return [Candidate(path, read_pointer(pointer, tree.read))]
    if is_bundle(path):
        return [candidate_of(tree, path, bundle_at(tree, path))]
    found = None if path.lower().endswith(CODE_ENDINGS) else read_prompt_file(path, tree.read)
    if isinstance(found, PassedFile):
        raise GateError(found.reason)
    if found is not None:
        return [Candidate(path, found)]
    data = tree.read(path)
    if data is None:
        raise GateError("there is no such file")
    inside = [Candidate(one.path, one) for one in prompts_inside(path, data)]
    if not inside:
        raise GateError("has no text with a name like a prompt", f"name one: {path}::NAME")
    return inside


def candidate_of(tree: RepositoryFiles, path: str, bundle: Bundle) -> Candidate:
    """A file of another tool; one without cases is a prompt with settings."""
    data = any(suite.cases for suite in bundle.suites)
    prompt = None if data else read_prompt(bundle.suites[0].prompt, tree.read)
    return Candidate(path, prompt, bundle, aside_folder(path), data=data)


def bundle_at(tree: RepositoryFiles, path: str) -> Bundle:
    """A file of another tool.

    Raises:
        GateError: the file is missing or has errors.
    """
    data = tree.read(path)
    if data is None:
        raise GateError("there is no such file", "name a file of the repository")

    def other(name: str) -> str | None:
        found = tree.read(name) if name in tree.paths else None
        return None if found is None else decode(found, name)

    return read_bundle(decode(data, path), path, other, tree.paths)


def reason_of(error: GateError) -> str:
    """The first error and its hint, in one line."""
    if isinstance(error, InputErrors):
        return problem_text(error.problems[0])
    return f"{error.message}; {error.hint}" if error.hint else error.message


def _last(path: str) -> str:
    pointer = pointer_of(path)
    return PurePosixPath(path).name if pointer is None else pointer.name.rsplit(".", 1)[-1]


def _stem(path: str) -> str:
    pointer = pointer_of(path)
    return (bare_name(PurePosixPath(path).name) if pointer is None else pointer.name.rsplit(".", 1)[-1]).lower()


def _is_used(path: str, uses: Counter[str], known: Counter[str]) -> bool:
    """Is it used more often than it is defined?"""
    name = _last(path)
    if pointer_of(path) is not None:
        return uses[name] > known[name]
    return uses[name] > 0 or uses[bare_name(name)] > 0
