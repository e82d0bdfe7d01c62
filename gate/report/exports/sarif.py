"""The findings of a run: annotations of changed prompt lines, and SARIF 2.1.0."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias
from urllib.parse import quote

from gate.config.values import first_file, is_python
from gate.files import escapes
from gate.record.findings.catalogue import KINDS, meaning
from gate.record.findings.finding import Finding
from gate.record.run import RunRecord
from gate.report.escape import one_line, terminal_text
from gate.report.slices import LONGEST_SENTENCE, short_line
from gate.report.view.headline import plain_first_line
from gate.values import JsonValue

FindingLevel: TypeAlias = Literal["error", "warning", "notice"]
Lines: TypeAlias = Mapping[str, Sequence[tuple[int, int]]]
"""The changed lines of files, by path in the repository, or by prompt: first and last of each place, 1-based."""


def results(run: RunRecord) -> list[tuple[Finding, FindingLevel, str]]:
    """The findings of a finished run that are about a prompt and more than a note, with their level and its path."""
    paths = {suite.name: suite.candidate.path for suite in (*run.suites, *run.new)}
    found = [(finding, paths.get(getattr(finding, "suite", ""), "")) for finding in run.findings]
    return [(finding, _level(run, finding), path) for finding, path in found if path and finding.severity != "note"]


def _level(run: RunRecord, finding: Finding) -> FindingLevel:
    """`error` where it makes the run fail, `notice` where the verdict is overridden."""
    if run.waived:
        return "notice"
    return "error" if run.exit_code and finding in run.deciding else "warning"


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


def render(run: RunRecord, lines: Lines, prefix: str = "") -> str:
    """The SARIF file of a finished run.

    Args:
        lines: changed ones, by path from the root; a file without any gets its result in its first line.
        prefix: folder that the record's paths are relative to, with a final slash; empty for the repository root.
    """
    codes = list(dict.fromkeys(finding.code for finding in (*run.deciding, *(one for one, _, _ in results(run)))))
    found: list[JsonValue] = [_result(run, finding, codes, lines, prefix) for finding in results(run)]
    rules: list[JsonValue] = [
        {
            "id": code,
            "name": kind.__name__,
            "shortDescription": {"text": meaning(kind)},
            "fullDescription": {"text": meaning(kind)},
            "help": {"text": kind.remedy or meaning(kind)},
        }
        for code, kind in ((code, KINDS[code]) for code in codes)
    ]
    driver: JsonValue = {"name": "Prompt Gate", "semanticVersion": run.tool_version, "rules": rules}
    made: dict[str, JsonValue] = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"prompt-gate/{quote(run.config or 'files')}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(run)],
        "results": found,
        "properties": {"verdict": run.verdict.value},
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [made]}, indent=2, ensure_ascii=True) + "\n"


def _invocation(run: RunRecord) -> JsonValue:
    """Whether the run reached a verdict, and if not, why."""
    finished = run.exit_code in (0, 1)
    told: list[JsonValue] = [
        {
            "level": "error",
            "message": {"text": short_line(finding.text, LONGEST_SENTENCE)},
            "descriptor": {"id": finding.code},
        }
        for finding in run.deciding[:REASONS]
    ]
    made: dict[str, JsonValue] = {
        "executionSuccessful": finished,
        "exitCode": run.exit_code,
        "exitCodeDescription": one_line(plain_first_line(run)),
    }
    return made if finished else {**made, "toolExecutionNotifications": told}


def _result(
    run: RunRecord, found: tuple[Finding, FindingLevel, str], codes: Sequence[str], lines: Lines, prefix: str
) -> JsonValue:
    finding, level, prompt = found
    path, places = _places(run, prompt, lines, prefix)
    about = "\0".join((finding.code, *_subject(finding), prompt)).encode("utf-8", "replace")
    same = hashlib.sha256(about).hexdigest()
    made: dict[str, JsonValue] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": _LEVELS[level],
        "message": {"text": one_line(finding.text)},
        "locations": [_location(path, places[0])],
        # GitHub uses only the first one. Without it, GitHub makes one of the line, which changes with every edit.
        "partialFingerprints": {"primaryLocationLineHash": f"{same[:16]}:1", "promptGate/v1": same},
    }
    if more := list(_others(path, places[1:])):
        made["relatedLocations"] = more
    return made


def _subject(finding: Finding) -> list[str]:
    """What the finding is about, whatever its figures are."""
    values = (getattr(finding, name, "") for name in ("suite", "slice", "scorer", "case", "tool"))
    return [str(value) for value in values]


def _places(run: RunRecord, prompt: str, lines: Lines, prefix: str) -> tuple[str, Sequence[tuple[int, int]]]:
    # A prompt that a Python function builds is no file; what asks for it is one. A record may come from anywhere, and
    # `//host/file` would be an address.
    built = is_python(prompt) or escapes(prefix + prompt)
    path = prefix + ((run.config or "gate.yaml") if built else first_file(prompt))
    return path, lines.get(prefix + prompt) or ((1, 1),)


def _others(path: str, places: Sequence[tuple[int, int]]) -> Iterator[JsonValue]:
    for number, place in enumerate(places, 1):
        yield {"id": number, "message": {"text": "also changed here"}, **_location(path, place)}


def _location(path: str, place: tuple[int, int]) -> dict[str, JsonValue]:
    first, last = place
    file: JsonValue = {"uri": quote(path.encode("utf-8", "replace")), "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": file, "region": {"startLine": first, "endLine": last}}}
