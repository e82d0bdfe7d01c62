"""What was changed in a prompt, line by line, and where the provider's prefix cache ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import groupby

from gate.record.comparison import ArmPrefix, CacheComparison
from gate.record.parts import ArmRecord, PromptTextRecord
from gate.record.run import RunRecord, SuiteRecord
from gate.report import numbers
from gate.report.differences import TextPiece, joined_marks, word_differences
from gate.report.escape import visible
from gate.report.explain import much_in_common
from gate.report.view.text import LONGEST_SENTENCE, short_line, suite_label
from gate.values import JsonValue

LINES = 2_000
"""Longer texts are not compared, because that can take quadratic time."""
AROUND = 3
"""Unchanged lines shown on each side of a change."""
LONGEST_FOLD = 300
"""Unchanged lines in one fold; longer folds show only their number."""
ALL_BYTES = 1_200_000
"""Of all texts of both arms on the page, with their markup."""
LINE_BYTES = 120
"""Markup around one line: it makes a text of one-letter lines a hundred times as long."""

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line.

    Args:
        old, new: line numbers; None where the arm does not have the line.
        kind: `same`, `gone` or `new`.
    """

    old: int | None
    new: int | None
    pieces: tuple[TextPiece, ...]
    kind: str
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """Consecutive lines.

    Args:
        lines: empty where there are too many.
    """

    lines: tuple[DiffLine, ...]
    folded: bool
    count: int


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The changes of one text of a prompt.

    Args:
        stretches: empty where the text cannot be shown.
        words: size of the change, `4 lines out, 5 lines in`.
    """

    title: str
    stretches: tuple[DiffHunk, ...]
    note: str
    words: str


@dataclass(frozen=True, slots=True)
class PromptView:
    """What differs between the arms of one suite.

    Args:
        suite: empty where there is only one.
        path: of the candidate's prompt, and of the baseline's where that has another.
        notes: where the caches end, in texts that are not shown.
    """

    suite: str
    path: str
    settings: tuple[tuple[str, str, str], ...]
    texts: tuple[TextDiff, ...]
    same: int
    known: bool
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Room:
    left: int = ALL_BYTES


def prompt_views(run: RunRecord) -> tuple[PromptView, ...]:
    """One for each compared suite, as far as there is room."""
    room = _Room()
    return tuple(_prompt(suite, suite_label(run, suite), room) for suite in run.suites)


def _prompt(suite: SuiteRecord, label: str, room: _Room) -> PromptView:
    before, after = suite.baseline, suite.candidate
    ends = _Ends(suite.cache)
    texts, same = [], 0
    old, new = _by_name(before.prompt), _by_name(after.prompt)
    for key in dict.fromkeys([*new, *old]):
        pair = old.get(key), new.get(key)
        one, other = pair
        if one is not None and other is not None and one.text == other.text and not (one.cut or other.cut):
            same += 1
            # What did not change is shown where a cache ends in it, and nowhere else.
            if not ends.within(key):
                continue
        texts.append(_text(key, pair, ends, room))
    path = (
        short_line(after.path) if before.path == after.path else f"{short_line(before.path)} → {short_line(after.path)}"
    )
    return PromptView(
        suite=short_line(label),
        path=path,
        settings=tuple(_settings(before, after)),
        texts=tuple(texts),
        same=same,
        known=bool(old or new),
        notes=tuple(ends.elsewhere({*old, *new})),
    )


def _by_name(texts: Sequence[PromptTextRecord]) -> dict[Key, PromptTextRecord]:
    """Texts by name: messages by their place, files by their path, built texts by their session."""
    found: dict[Key, PromptTextRecord] = {}
    place = 0
    for text in texts:
        place += text.kind == "message"
        found[text.kind, str(place) if text.kind == "message" else text.name] = text
    return found


def _settings(before: ArmRecord, after: ArmRecord) -> Iterator[tuple[str, str, str]]:
    if before.model != after.model:
        yield "model", short_line(before.model), short_line(after.model)
    for name in sorted({*before.params, *after.params}):
        old, new = _value(before.params.get(name)), _value(after.params.get(name))
        if old != new:
            yield short_line(name), old, new


def _value(value: JsonValue) -> str:
    return numbers.NOTHING if value is None else short_line(str(value), LONGEST_SENTENCE)


@dataclass(slots=True)
class _Ends:
    """Where the caches of the arms end."""

    cache: CacheComparison | None
    told: set[str] = field(default_factory=set)

    def _arms(self) -> Iterator[tuple[str, ArmPrefix]]:
        if self.cache is not None:
            arms = (("baseline", self.cache.baseline), ("candidate", self.cache.candidate))
            yield from ((name, arm) for name, arm in arms if arm.requests and arm.place is not None)

    @staticmethod
    def _key(arm: ArmPrefix) -> Key:
        if arm.place is None:
            return "message", ""
        return ("file", arm.place.file) if arm.place.file else ("message", str(arm.place.message))

    def within(self, key: Key) -> bool:
        """Whether a cache ends in this text."""
        return any(self._key(arm) == key for _, arm in self._arms())

    def at(self, key: Key, side: str, line: int) -> str:
        """The sentence on the arm's cache that ends in this line; may be empty."""
        for name, arm in self._arms():
            if name == side and self._key(arm) == key and arm.place is not None and arm.place.line == line:
                return _ending(name, arm)
        return ""

    def elsewhere(self, known: set[Key]) -> Iterator[str]:
        """Sentences on caches that end behind all texts of the prompt, in the input of the case."""
        behind = [(name, arm) for name, arm in self._arms() if self._key(arm) not in known]
        if len(behind) == 2:
            behind = behind[1:]
        for name, arm in behind:
            yield f"The {name}'s prompt is the same for every case. {_size(name, arm)}."


def _size(name: str, arm: ArmPrefix) -> str:
    tokens, whole = numbers.rough_tokens(arm.tokens), numbers.rough_tokens(arm.request_tokens)
    return f"A prefix cache can keep about {tokens} of the {name}'s {whole} tokens"


def _ending(name: str, arm: ArmPrefix) -> str:
    variable = arm.place.variable if arm.place is not None else ""
    why = f"{{{{ {short_line(variable)} }}}} differs" if variable else "requests differ"
    return f"{_size(name, arm)}, up to the next line, from where on {why} between cases"


def _text(
    key: Key, pair: tuple[PromptTextRecord | None, PromptTextRecord | None], ends: _Ends, room: _Room
) -> TextDiff:
    one = pair[1] or pair[0]
    title = "" if one is None else _title(one)
    texts = tuple("" if text is None else visible(text.text) for text in pair)
    room.left -= sum(len(text.encode(errors="replace")) + LINE_BYTES * text.count("\n") for text in texts)
    cut = any(text is not None and text.cut for text in pair)
    note = "Only the beginning of this text is in the record." if cut else ""
    if room.left < 0:
        return TextDiff(title, (), "There is no room for this text on the page; the record of the run has it.", "")
    old, new = (text.splitlines() for text in texts)
    if max(len(old), len(new)) > LINES:
        return TextDiff(title, (), "This text has too many lines to be compared here.", "")
    lines = tuple(_marked(key, _lines(old, new), ends))
    gone, come = (sum(line.kind == kind for line in lines) for kind in ("gone", "new"))
    words = f"{numbers.counted(gone, 'line')} out, {numbers.counted(come, 'line')} in" if gone or come else "unchanged"
    return TextDiff(title, tuple(_stretches(lines)), note, words)


def _title(text: PromptTextRecord) -> str:
    if text.kind == "built":
        return f"Built for session {short_line(text.name)}"
    return short_line(text.name) if text.kind == "file" else f"Message: {short_line(text.name)}"


def _lines(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            for place in range(b - a):
                yield DiffLine(a + place + 1, c + place + 1, _plain(old[a + place]), "same")
            continue
        before, after = _words(old[a:b], new[c:d])
        yield from (DiffLine(a + place + 1, None, pieces, "gone") for place, pieces in enumerate(before))
        yield from (DiffLine(None, c + place + 1, pieces, "new") for place, pieces in enumerate(after))


def _words(old: list[str], new: list[str]) -> tuple[list[tuple[TextPiece, ...]], list[tuple[TextPiece, ...]]]:
    """Lines with the words marked that differ, where they have enough in common."""
    found = word_differences("\n".join(old), "\n".join(new))
    if not old or not new or not much_in_common(found.before, found.after):
        return [_plain(line) for line in old], [_plain(line) for line in new]
    return _split(joined_marks(found.before), len(old)), _split(joined_marks(found.after), len(new))


def _split(pieces: Sequence[TextPiece], count: int) -> list[tuple[TextPiece, ...]]:
    lines: list[list[TextPiece]] = [[] for _ in range(count)]
    place = 0
    for piece in pieces:
        for number, text in enumerate(piece.text.split("\n")):
            place += number > 0
            if text:
                lines[place].append(TextPiece(text, piece.differs))
    return [tuple(line) for line in lines]


def _plain(line: str) -> tuple[TextPiece, ...]:
    return (TextPiece(line, False),) if line else ()


def _marked(key: Key, lines: Iterator[DiffLine], ends: _Ends) -> Iterator[DiffLine]:
    for line in lines:
        told = [
            ends.at(key, side, number) for side, number in (("baseline", line.old), ("candidate", line.new)) if number
        ]
        yield DiffLine(line.old, line.new, line.pieces, line.kind, tuple(filter(None, told)))


def _stretches(lines: Sequence[DiffLine]) -> Iterator[DiffHunk]:
    """Changes with some lines around them; the lines between are folded."""
    near = set[int]()
    for place, line in enumerate(lines):
        if line.kind != "same" or line.ends:
            near.update(range(place - AROUND, place + AROUND + 1))
    for folded, run in groupby(enumerate(lines), key=lambda item: item[0] not in near):
        kept = tuple(line for _, line in run)
        if folded and len(kept) <= 2:
            folded = False
        yield DiffHunk(() if folded and len(kept) > LONGEST_FOLD else kept, folded, len(kept))
