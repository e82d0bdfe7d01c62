"""The commands that ask again: for the whole comparison, and for one case alone."""

import re

from gate.config.scorerspec import place_of
from gate.domain.record import RunRecord
from gate.domain.record_compared import CaseRecord, SuiteRecord
from gate.domain.record_new import NewCaseRecord, NewSuiteRecord
from gate.domain.record_parts import ArmRecord
from gate.domain.verdict import Verdict
from gate.report.shell import pasted

FILE_MODE = "file"
"""The ref of an arm that was read from a file instead of git."""

DEFAULT_CONFIG = "gate.yaml"

LONGEST_COMMAND = 500

FOLDER = ".gate/case"
"""Where the answers of the one case go, beside the run that they are a part of."""

_WORDS = re.compile(r"(?=.{1,60}\Z)[a-z]+(?: [a-z]+)+")
"""A name of ours for a side that has no ref, as a merge group: no ref of git has a space."""


def compare_again(run: RunRecord) -> str:
    """The command that compares again; empty where it needs more than the run knows.

    In git mode the candidate is the working tree, because the next thing to compare is the mended prompt.
    """
    if not run.suites or run.verdict in (Verdict.SHIP, Verdict.PASS, Verdict.SKIPPED):
        return ""
    suite = run.suites[0]
    if suite.baseline.ref == FILE_MODE:
        where = next((case.where for case in suite.cases if case.where), "")
        words = _two_files(suite, where)
        return _line([*words, "--samples", str(suite.samples)]) if words else ""
    # Nobody has the merge of a pull request in a clone; its author has the branch checked out.
    named = suite.candidate.sha and not suite.candidate.ref.startswith("refs/pull/")
    head = ["--head", _ref(suite.candidate)] if named else []
    return _line(["gate", "diff", "--base", _ref(suite.baseline), *head, *_config(run)])


def ask_again(run: RunRecord, suite: str, case: CaseRecord | NewCaseRecord) -> str:
    """The command; empty where it needs more than the run knows.

    Args:
        run: that asked it.
        suite: of the case.
        case: one of its cases.
    """
    compared = next((one for one in run.suites if one.name == suite), None)
    if compared is not None:
        words = _compared(run, compared, case)
    else:
        words = _alone(run, next(one for one in run.new if one.name == suite), case)
    if not words:
        return ""
    # In the shell's quotes a pattern is one of ours, too: an id of such letters would fit others.
    pattern = "".join(f"[{char}]" if char in "*?[" else char for char in case.id)
    return _line([*words, "--case", pattern, "--out", FOLDER])


def _compared(run: RunRecord, suite: SuiteRecord, case: CaseRecord | NewCaseRecord) -> list[str]:
    before, after = suite.baseline, suite.candidate
    if before.ref != FILE_MODE:
        base = _commit(before) or before.ref
        head = ["--head", _commit(after)] if after.sha else []
        return ["gate", "diff", "--base", base, *head, *_config(run), "--suite", suite.name, "--all"]
    return _two_files(suite, case.where)


def _two_files(suite: SuiteRecord, where: str) -> list[str]:
    before, after, path = suite.baseline, suite.candidate, where.rpartition(":")[0] or where
    if not path or not _plain(suite.exam.scorers):
        return []
    words = ["gate", "diff", before.path, after.path, "--cases", path]
    if before.model == after.model:
        words += ["--model", before.model]
    else:
        words += ["--baseline-model", before.model, "--candidate-model", after.model]
    return [*words, *_scorers(suite.exam.scorers)]


def _alone(run: RunRecord, suite: NewSuiteRecord, case: CaseRecord | NewCaseRecord) -> list[str]:
    arm = suite.candidate
    if arm.ref != FILE_MODE:
        return ["gate", "check", *(["--ref", _commit(arm)] if arm.sha else []), *_config(run), "--suite", suite.name]
    path = place_of(case.where)[0]
    if not path or not _plain(suite.exam.scorers):
        return []
    words = ["gate", "check", arm.path, "--cases", path, "--model", arm.model]
    return [*words, *_scorers(suite.exam.scorers)]


def _line(words: list[str]) -> str:
    return pasted(words, LONGEST_COMMAND)


def _ref(arm: ArmRecord) -> str:
    """What git finds the commit by."""
    return arm.sha if arm.sha and _WORDS.fullmatch(arm.ref) else arm.ref


def _commit(arm: ArmRecord) -> str:
    """Short, as people write it."""
    return (arm.sha or "")[:12]


def _config(run: RunRecord) -> list[str]:
    return ["--config", run.config] if run.config not in ("", DEFAULT_CONFIG) else []


def _plain(scorers: list[str]) -> bool:
    """Can the command line name them, without the criteria that a record does not hold?"""
    return all(name in ("exact", "contains", "regex") for name in scorers)


def _scorers(scorers: list[str]) -> list[str]:
    return [word for name in scorers for word in ("--scorer", name)]
