"""What a verdict is based on, as findings: annotations of changed prompt lines, and SARIF 2.1.0."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias
from urllib.parse import quote

from gate.config.values import first_file
from gate.files import escapes
from gate.record.comparison import AxisComparison, PassRate, PassState, State, Verdict
from gate.record.run import NewSuiteRecord, RunRecord, SuiteRecord
from gate.report import numbers
from gate.report.escape import one_line, terminal_text
from gate.report.numbers import LONGEST_SENTENCE, NamedSlice, drop_sentence, short_line, slices_in_state, suite_slices
from gate.report.view.comparisons import over_limit
from gate.report.view.headline import plain_first_line
from gate.report.view.pass_rates import pass_rate_words
from gate.values import JsonValue

FindingLevel: TypeAlias = Literal["error", "warning", "notice"]
Lines: TypeAlias = Mapping[str, Sequence[tuple[int, int]]]
"""The changed lines of files, by path in the repository, or by prompt: first and last of each place, 1-based."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding; `id` is stable, because other programs store it."""

    id: str
    title: str
    text: str


RULES = (
    Rule(
        "regression",
        "Quality dropped",
        "A slice that can block dropped, by the joint test over all slices.",
    ),
    Rule(
        "suspect",
        "Quality may have dropped",
        "A slice may have dropped; there are too few cases to be sure.",
    ),
    Rule("cost", "Cost above the limit", "Cost rose by more than the policy allows."),
    Rule("latency", "Latency above the limit", "Latency rose by more than the policy allows."),
    Rule("pass-rate", "Too few cases pass", "A prompt without a baseline misses its required pass rate."),
    Rule(
        "pass-rate-unproven",
        "Pass rate not proven",
        "The pass rate reaches the threshold, its lower bound does not.",
    ),
)
_DECISIVE = {
    Verdict.BLOCK: frozenset({"regression", "pass-rate"}),
    Verdict.HOLD: frozenset({"suspect", "cost", "latency", "pass-rate-unproven"}),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that applies to one suite.

    Args:
        rule: id of one of `RULES`.
        level: `error` where it makes the run fail, `notice` where the verdict is overridden.
    """

    rule: str
    level: FindingLevel
    suite: str
    path: str
    message: str


def findings(run: RunRecord) -> tuple[Finding, ...]:
    """All findings of a finished run, in the order of the suites."""
    found: list[Finding] = []
    for suite in run.suites:
        path = suite.candidate.path
        found += (Finding(rule, _level(run, rule), suite.name, path, said) for rule, said in _compared(run, suite))
    for new in run.new:
        path = new.candidate.path
        told = ((rule, said) for rule, said in _alone(new) if run.kind != "check" or rule == "pass-rate")
        found += (Finding(rule, _level(run, rule), new.name, path, said) for rule, said in told)
    return tuple(found)


def _level(run: RunRecord, rule: str) -> FindingLevel:
    if run.waived:
        return "notice"
    return "error" if run.exit_code and rule in _DECISIVE.get(run.verdict, ()) else "warning"


def _compared(run: RunRecord, suite: SuiteRecord) -> Iterator[tuple[str, str]]:
    blocking = [named for named in suite_slices(run, suite) if named.record.blocking]
    for rule, state in (("regression", State.REGRESSION), ("suspect", State.SUSPECT)):
        if rows := slices_in_state(blocking, state):
            yield rule, _dropped(rows)
    axes: tuple[AxisComparison, ...] = (suite.cost, suite.latency)
    for axis in axes:
        if axis.exceeded:
            yield axis.axis, f"{short_line(suite.name)}: {axis.axis} {over_limit(axis)}"


def _dropped(rows: Sequence[NamedSlice]) -> str:
    return f"{drop_sentence(rows[0].record, short_line(rows[0].full))}{_more(len(rows) - 1)}"


def _alone(new: NewSuiteRecord) -> Iterator[tuple[str, str]]:
    rows = (new.overall, *new.slices)
    missed = [row for row in rows if row.blocking and row.state is PassState.MISSED]
    doubtful = [row for row in rows if row.doubtful and row.state is PassState.UNPROVEN]
    if missed:
        yield "pass-rate", _passed(new, missed)
    if doubtful:
        yield "pass-rate-unproven", _passed(new, doubtful)


def _passed(new: NewSuiteRecord, rows: Sequence[PassRate]) -> str:
    worst = min(rows, key=lambda row: (row.rate or 0.0) - (row.wanted or 0.0))
    return f"{short_line(new.name)}/{short_line(worst.slice)}: {pass_rate_words(worst)}{_more(len(rows) - 1)}"


def _more(count: int) -> str:
    return f", and {numbers.counted(count, 'more slice')}" if count else ""


CommandLevel = Literal["error", "warning", "notice"]

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = {**_DATA, **str.maketrans({":": "%3A", ",": "%2C"})}


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Lines of a file of the change; line 0 is the whole file, and `last` 0 means one line."""

    file: str
    line: int = 0
    last: int = 0


def annotation_command(level: CommandLevel, message: str, place: FilePlace | None = None) -> str:
    """A log line that GitHub shows as an annotation; without a place it is about no file of the change."""
    where = f"file={one_line(place.file).translate(_PROPERTY)}," if place else ""
    line = f"line={place.line}," if place and place.line else ""
    last = f"endLine={place.last}," if place and place.line and place.last > place.line else ""
    return f"::{level} {where}{line}{last}title=Prompt Gate::{terminal_text(message).translate(_DATA)}"


MOST_ANNOTATIONS = 10
"""For one prompt."""
_MOST_LINES = 5_000
"""A longer prompt is annotated in its first line, because a comparison can take quadratic time."""


@dataclass(frozen=True, slots=True)
class PromptAnnotation:
    """A sentence about lines of the candidate's file; `first` and `last` are 1-based, and both within the file.

    Args:
        prompt: that the lines are of, where it is not the whole file.
    """

    path: str
    first: int
    last: int
    message: str
    prompt: str = ""


def prompt_annotations(path: str, old: str, new: str, message: str) -> tuple[PromptAnnotation, ...]:
    """Annotations of the changed places, in the order of the file; of too many the longest are kept.

    Lines that were only taken out are shown at the line that follows them, or else at the last.

    Args:
        old: the baseline's text; empty for a new prompt.
    """
    hunks = list(_hunks(old.splitlines(), new.splitlines()))
    longest = sorted(hunks, key=lambda hunk: hunk[0] - hunk[1])[:MOST_ANNOTATIONS]
    return tuple(PromptAnnotation(path, first, last, message) for first, last in sorted(longest))


def _hunks(old: list[str], new: list[str]) -> Iterator[tuple[int, int]]:
    count = max(len(new), 1)
    if max(len(old), len(new)) > _MOST_LINES:
        yield 1, 1
        return
    seen: set[tuple[int, int]] = set()
    for tag, _, _, first, end in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            continue
        hunk = (first + 1, end) if end > first else (min(first + 1, count), min(first + 1, count))
        if hunk not in seen:
            seen.add(hunk)
            yield hunk


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
REASONS = 20
"""Reasons shown for a verdict; the record has them all."""
_LEVELS: dict[FindingLevel, str] = {"error": "error", "warning": "warning", "notice": "note"}
_ORDER = tuple(rule.id for rule in RULES)


def render(run: RunRecord, lines: Lines, prefix: str = "") -> str:
    """The SARIF file of a finished run.

    Args:
        lines: changed ones, by path from the root; a file without any gets its result in its first line.
        prefix: folder that the record's paths are relative to, with a final slash; empty for the repository root.
    """
    results: list[JsonValue] = [_result(run, found, lines, prefix) for found in findings(run)]
    rules: list[JsonValue] = [
        {
            "id": rule.id,
            "name": "".join(word.capitalize() for word in rule.id.split("-")),
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": rule.text},
            "help": {"text": rule.text},
        }
        for rule in RULES
    ]
    driver: JsonValue = {"name": "Prompt Gate", "semanticVersion": run.tool_version, "rules": rules}
    made: dict[str, JsonValue] = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"prompt-gate/{quote(run.config or 'files')}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(run)],
        "results": results,
        "properties": {"verdict": run.verdict.value},
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [made]}, indent=2, ensure_ascii=True) + "\n"


def _invocation(run: RunRecord) -> JsonValue:
    """Whether the run reached a verdict, and if not, why."""
    finished = run.exit_code in (0, 1)
    told: list[JsonValue] = [
        {"level": "error", "message": {"text": short_line(reason, LONGEST_SENTENCE)}}
        for reason in run.reasons[:REASONS]
    ]
    made: dict[str, JsonValue] = {
        "executionSuccessful": finished,
        "exitCode": run.exit_code,
        "exitCodeDescription": one_line(plain_first_line(run)),
    }
    return made if finished else {**made, "toolExecutionNotifications": told}


def _result(run: RunRecord, found: Finding, lines: Lines, prefix: str) -> JsonValue:
    path, places = _places(run, found, lines, prefix)
    name = "\0".join((found.rule, found.suite, found.path)).encode("utf-8", "replace")
    same = hashlib.sha256(name).hexdigest()
    made: dict[str, JsonValue] = {
        "ruleId": found.rule,
        "ruleIndex": _ORDER.index(found.rule),
        "level": _LEVELS[found.level],
        "message": {"text": found.message},
        "locations": [_location(path, places[0])],
        # GitHub uses only the first one. Without it, GitHub makes one of the line, which changes with every edit.
        "partialFingerprints": {"primaryLocationLineHash": f"{same[:16]}:1", "promptGate/v1": same},
    }
    if more := list(_others(path, places[1:])):
        made["relatedLocations"] = more
    return made


def _places(run: RunRecord, found: Finding, lines: Lines, prefix: str) -> tuple[str, Sequence[tuple[int, int]]]:
    # A prompt that a Python function builds is no file; what asks for it is one. A record may come from anywhere, and
    # `//host/file` would be an address.
    built = found.path.startswith("python:") or escapes(prefix + found.path)
    path = prefix + ((run.config or "gate.yaml") if built else first_file(found.path))
    return path, lines.get(prefix + found.path) or ((1, 1),)


def _others(path: str, places: Sequence[tuple[int, int]]) -> Iterator[JsonValue]:
    for number, place in enumerate(places, 1):
        yield {"id": number, "message": {"text": "also changed here"}, **_location(path, place)}


def _location(path: str, place: tuple[int, int]) -> dict[str, JsonValue]:
    first, last = place
    file: JsonValue = {"uri": quote(path.encode("utf-8", "replace")), "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": file, "region": {"startLine": first, "endLine": last}}}
