"""SARIF 2.1.0, for code scanning: what a verdict rests on, as results on the changed lines of the prompts.

The format is that of OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, in the part that GitHub
reads: each rule with its help, each result with one place and a fingerprint that stays from run to run.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from gate.paths import escapes
from gate.record.run import RunRecord
from gate.report.escape import one_line
from gate.report.exports.findings import RULES, Finding, FindingLevel, Lines, findings
from gate.report.view.headline import plain_first_line
from gate.report.view.slices import LONGEST_SENTENCE, short_line
from gate.values import JsonValue

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
        # GitHub looks at the first alone; left out, it is made of the line, which changes with every edit of a prompt.
        "partialFingerprints": {"primaryLocationLineHash": f"{same[:16]}:1", "promptGate/v1": same},
    }
    if more := list(_others(path, places[1:])):
        made["relatedLocations"] = more
    return made


def _places(run: RunRecord, found: Finding, lines: Lines, prefix: str) -> tuple[str, Sequence[tuple[int, int]]]:
    # A prompt that a Python function builds is no file; what asks for it is one. A record may come from anywhere, and
    # `//host/file` would be an address.
    built = found.path.startswith("python:") or escapes(prefix + found.path)
    path = prefix + ((run.config or "gate.yaml") if built else found.path)
    return path, lines.get(path) or ((1, 1),)


def _others(path: str, places: Sequence[tuple[int, int]]) -> Iterator[JsonValue]:
    for number, place in enumerate(places, 1):
        yield {"id": number, "message": {"text": "changed here, too"}, **_location(path, place)}


def _location(path: str, place: tuple[int, int]) -> dict[str, JsonValue]:
    first, last = place
    file: JsonValue = {"uri": quote(path.encode("utf-8", "replace")), "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": file, "region": {"startLine": first, "endLine": last}}}
