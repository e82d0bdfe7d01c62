"""Finds where prompts moved that a change removes: the most similar file, and moved modules."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import PurePosixPath

from gate.config.documents import decode
from gate.config.values import AND, POINTER_MARK, file_part, is_pointer, is_python, pointer_of, prompt_parts
from gate.errors import InputErrors
from gate.limits import PROMPT_CHARS
from gate.prompts.files import SIMILAR, FileSource, Moves, chunks, file_of, moved_to, similar_sizes, similarity

MOST_BYTES = 16 * 2**20
"""Bytes of the change's files that are read to find moved prompts."""

LARGEST_PROMPT = 4 * PROMPT_CHARS
"""Bytes of the largest prompt: no character takes more than four."""

COPY = 2.0

_Content = tuple[bytes, Counter[bytes]]


@dataclass(slots=True)
class Likeness:
    """Compares files of both sides; each is read once."""

    base: FileSource
    head: FileSource
    _old: dict[str, _Content] = field(default_factory=dict)
    _similar: dict[str, tuple[range, int]] = field(default_factory=dict)
    _new: dict[str, _Content] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)
    _left: int = MOST_BYTES

    def copies(self, gone: Iterable[str], new: Mapping[str, str | None]) -> list[tuple[str, str]]:
        """Pairs of a base path and a head path with the same fingerprint; nothing is read.

        `new` has the head's paths, with their fingerprints where they have one.
        """
        after: defaultdict[str, list[str]] = defaultdict(list)
        for path, known in new.items():
            if known:
                after[known].append(path)
        return [(old, now) for old in gone for now in after.get(self.base.fingerprint(old) or "", ())]

    def measure(self, new: Iterable[str]) -> None:
        """Read the sizes of files of the head, all at once; other files have none."""
        self._sizes |= self.head.sizes([path for path in new if path not in self._sizes])

    def distance(self, old: str, new: str) -> int | None:
        """Bytes that a file of the head is larger or smaller; None where its size rules it out as a successor."""
        if old not in self._similar:
            before = self._before(old)[1]
            self._similar[old] = (similar_sizes(before), before.total())
        similar, whole = self._similar[old]
        size = self._sizes.get(new, 0)
        return abs(size - whole) if size in similar and size <= LARGEST_PROMPT else None

    def of(self, old: str, new: str) -> float | None:
        """In [0, 1], and above for copies: the same lines in another order are not one; None once too much is read."""
        if new not in self._new:
            if self._sizes[new] > self._left:
                return None
            self._left -= self._sizes[new]
            self._new[new] = _content(self.head, new)
        before, after = self._before(old), self._new[new]
        return COPY if before[0] == after[0] != b"" else similarity(before[1], after[1])

    def _before(self, path: str) -> _Content:
        if path not in self._old:
            self._old[path] = _content(self.base, path)
        return self._old[path]


def _content(source: FileSource, path: str) -> _Content:
    try:
        data = source.read(path) or b""
    except InputErrors:  # the reason is reported when the file is needed
        data = b""
    return data, chunks(data)


MOST_COMPARED = 10_000
"""Pairs of files whose contents are compared."""
MOST_STRAYS = 100
"""Files of the change that no suite names and that are read; each is a request if they are on GitHub."""

MOST_ALIKE = 3
"""Further files of the change that may be a prompt's successor: each costs an evaluation."""

_Pair = tuple[str, str]
_Rated = tuple[float, _Pair]


def successors(base: FileSource, head: FileSource, gone: Collection[str], new: Sequence[str]) -> Moves:
    """The new paths of prompts that moved.

    Prompts of the change's suites come first, then files without a suite, with any name: a prompt does not escape its
    tests by moving to a place without a suite. It is unknown which of the latter is in use, so a copy does not end the
    search. If no prompt is missing, nothing is read.
    """
    search = _Search(Likeness(base, head), set())
    named = search.named(gone, {path: head.fingerprint(path) for path in new})
    left = [path for path in gone if path not in named]
    if not left:
        return Moves(named)
    before = base.listing().keys() | set(new)
    rated = search.strays(left, {path: known for path, known in head.listing().items() if path not in before})
    found = named | _chosen(rated)
    others = _others(rated, found)
    many = {path for path, files in others.items() if len(files) > MOST_ALIKE}
    few = {path: files for path, files in others.items() if path not in many}
    return Moves(found, frozenset((search.unread | many).intersection(left)), few)


@dataclass(frozen=True, slots=True)
class _Search:
    """Looks for successors."""

    likeness: Likeness
    unread: set[str]

    def named(self, gone: Iterable[str], new: Mapping[str, str | None]) -> dict[str, str]:
        """Exact copies, then the most similar files; of equals those of the same name, then the first by their paths.

        `new` has the head's paths, with their fingerprints where they have one.
        """
        exact = _chosen(self._copies(gone, new))
        old = sorted(path for path in gone if path not in exact)
        return exact | _chosen(self._alike(old, new.keys() - set(exact.values()))) if old else exact

    def strays(self, gone: Iterable[str], new: Mapping[str, str | None]) -> list[_Rated]:
        """How similar the files without a suite are, as far as they are read; copies are among them."""
        copies = self._copies(gone, new)
        known = {pair for _, pair in copies}
        return copies + [one for one in self._alike(sorted(gone), new, MOST_STRAYS) if one[1] not in known]

    def _copies(self, gone: Iterable[str], new: Mapping[str, str | None]) -> list[_Rated]:
        return [(COPY, pair) for pair in self.likeness.copies(gone, new)]

    def _alike(self, old: Sequence[str], new: Iterable[str], most: int | None = None) -> list[_Rated]:
        now = sorted(new)
        self.likeness.measure(now)
        possible = self._ranked(old, now)
        readable = [path for path in possible if _is_utf8(path)][:most]
        beyond = set(possible).difference(readable)
        self.unread.update(one for one in old if any(self._may_be(one, path) for path in beyond))
        pairs = sorted(
            (pair for pair in product(old, readable) if self._may_be(*pair)),
            key=lambda pair: (_name(pair[0]) != _name(pair[1]), pair),
        )
        self.unread.update(one for one, _ in pairs[MOST_COMPARED:])
        return self._rated(pairs[:MOST_COMPARED])

    def _ranked(self, old: Sequence[str], new: Iterable[str]) -> list[str]:
        """Possible successors by their size: first those with the stem, then the suffix, of a missing prompt."""
        stems = {PurePosixPath(path).stem for path in old}
        endings = {PurePosixPath(path).suffix for path in old}
        ranks = {}
        for path in new:
            distances = [found for one in old if (found := self.likeness.distance(one, path)) is not None]
            if distances:
                pure = PurePosixPath(path)
                ranks[path] = (pure.stem not in stems, pure.suffix not in endings, min(distances), path)
        return sorted(ranks, key=ranks.__getitem__)

    def _rated(self, pairs: Iterable[_Pair]) -> list[_Rated]:
        rates = [(self.likeness.of(*pair), pair) for pair in pairs]
        self.unread.update(pair[0] for rate, pair in rates if rate is None)
        return [(rate, pair) for rate, pair in rates if rate is not None]

    def _may_be(self, old: str, new: str) -> bool:
        return self.likeness.distance(old, new) is not None


def _chosen(rated: Iterable[_Rated]) -> dict[str, str]:
    """The most similar pairs, no file in two of them."""
    alike = [(rate, pair) for rate, pair in rated if rate >= SIMILAR]
    out: dict[str, str] = {}
    taken: set[str] = set()
    for _, (old, new) in sorted(alike, key=lambda one: (-one[0], _name(one[1][0]) != _name(one[1][1]), one[1])):
        if old not in out and new not in taken:
            out[old] = new
            taken.add(new)
    return out


def _others(rated: Iterable[_Rated], found: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Files that are similar enough and are not a successor; an exact copy changes nothing for its users."""
    taken = set(found.values())
    out: dict[str, list[str]] = {}
    for rate, (old, new) in sorted(rated, key=lambda one: (-one[0], one[1])):
        if SIMILAR <= rate < COPY and new not in taken:
            out.setdefault(old, []).append(new)
    return {old: tuple(files) for old, files in out.items()}


def _is_utf8(path: str) -> bool:
    """Is it valid UTF-8? A file with another name cannot be named in a report."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name(path: str) -> str:
    return PurePosixPath(path).name


def prompt_moves(base: FileSource, head: FileSource, gone: Sequence[str], new: Sequence[str]) -> Moves:
    """The new paths of prompts that moved: files, functions, texts inside of files, and pairs of messages.

    A function or a text moves with its file, if its name is still there; a text also to another name of its file.
    """
    parts = _absent(head, gone), _absent(base, new)
    moves = _part_moves(base, head, *parts)
    if parts == (list(gone), list(new)):
        return moves
    found = {prompt: AND.join(moves.found.get(part, part) for part in prompt_parts(prompt)) for prompt in gone}
    found = {prompt: now for prompt, now in found.items() if now != prompt and file_of(head, now) is not None}
    unsure = frozenset(prompt for prompt in gone if moves.unsure.intersection(prompt_parts(prompt)))
    return Moves(found, unsure, {prompt: paths for prompt, paths in moves.others.items() if prompt in gone})


def _absent(source: FileSource, prompts: Iterable[str]) -> list[str]:
    """The parts of prompts that a side does not have, each once."""
    parts = dict.fromkeys(part for prompt in prompts for part in prompt_parts(prompt))
    return [part for part in parts if file_of(source, part) is None]


def _part_moves(base: FileSource, head: FileSource, gone: Sequence[str], new: Sequence[str]) -> Moves:
    if not any(is_python(one) or is_pointer(one) for one in (*gone, *new)):
        return successors(base, head, gone, new)
    found: dict[str, str] = {}
    for prompt in gone:
        if (pointer := pointer_of(prompt)) and head.fingerprint(pointer.path) is not None:
            _follow_text(found, (base, head), prompt, pointer.path, new)
    left = [prompt for prompt in gone if not (is_pointer(prompt) and head.fingerprint(file_part(prompt)) is not None)]
    old, now = _by_file(base, left), _by_file(head, new)
    moves = successors(base, head, list(old), list(now))
    for file, target in moves.found.items():
        for prompt in old[file]:
            if is_pointer(prompt):
                _follow_text(found, (base, head), prompt, target, new)
                continue
            named = [one for one in now.get(target, ()) if one not in found.values()]
            if moved := _moved_with(head, prompt, target, named):
                found[prompt] = moved
    others = {}
    for file, paths in moves.others.items():
        for prompt in old[file]:
            possible = [moved_to(prompt, path) for path in paths]
            others[prompt] = tuple(one for one in possible if _is_there(head, prompt, one))
    unsure = frozenset(prompt for file in moves.unsure for prompt in old[file])
    return Moves(found, unsure, {prompt: paths for prompt, paths in others.items() if paths})


def _moved_with(head: FileSource, prompt: str, target: str, named: Sequence[str]) -> str:
    """What became of a file or a function whose file moved; empty where nothing did.

    `named` has what suites of the head name in the new file.
    """
    wanted = moved_to(prompt, target)
    if named and wanted not in named:
        return named[0]
    return wanted if _is_there(head, prompt, wanted) else ""


def _follow_text(
    found: dict[str, str], sides: tuple[FileSource, FileSource], prompt: str, path: str, new: Sequence[str]
) -> None:
    """Note the new name of a text in a file of the head: the same name, or the one text that is like it.

    A text that the base has already is no successor. Of several that are, those that a suite of the head names count.
    """
    from gate.prompts.pointers import pointed_text, pointed_texts

    base, head = sides
    pointer = pointer_of(prompt)
    wanted = moved_to(prompt, path)
    if pointer is None or wanted == path:
        return
    if file_of(head, wanted) is not None:
        found[prompt] = wanted
        return
    try:
        before, after = (
            decode(source.read(file) or b"", file) for source, file in ((base, pointer.path), (head, path))
        )
        old = pointed_text(before, pointer.path, pointer.name, pointer.path)
    except InputErrors:  # the reason is reported when the text is needed
        return
    known = {text.name for text in pointed_texts(before, pointer.path)}
    content = chunks(old.plain.encode())
    rated = {
        f"{path}{POINTER_MARK}{text.name}": similarity(content, chunks(text.plain.encode()))
        for text in pointed_texts(after, path)
        if text.name not in known
    }
    alike = [one for one, rate in rated.items() if rate >= SIMILAR and one not in found.values()]
    named = [one for one in alike if one in new]
    if named:
        found[prompt] = max(named, key=rated.__getitem__)
    elif len(alike) == 1:
        found[prompt] = alike[0]


def _is_there(head: FileSource, prompt: str, moved: str) -> bool:
    """Is the prompt there? A function cannot be in a file that is no module."""
    same = is_python(prompt) == is_python(moved) and is_pointer(prompt) == is_pointer(moved)
    return same and file_of(head, moved) is not None


def _by_file(source: FileSource, prompts: Iterable[str]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for prompt in prompts:
        found[file_of(source, prompt) or prompt].append(prompt)
    return found
