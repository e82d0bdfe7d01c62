"""Some cases of the suites instead of all: those that the command line names."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from gate.domain.case import Case
from gate.domain.jsonvalue import digest
from gate.domain.suite import Exam, Suite
from gate.errors import GateError
from gate.inputs.problems import quoted

_NAMED = 5


def picked(suites: Iterable[Suite], patterns: Sequence[str]) -> tuple[Suite, ...]:
    """The suites that have such cases, with those alone.

    Args:
        suites: whole ones.
        patterns: ids, or patterns of ids; empty for all cases.

    Raises:
        GateError: a pattern that no case fits: a slip of the pen would pass without a test.
    """
    suites = tuple(suites)
    if not patterns:
        return suites
    _check_patterns(suites, patterns)
    found = [(suite, tuple(case for case in suite.exam.cases if _wanted(case, patterns))) for suite in suites]
    return tuple(subset(suite, cases) for suite, cases in found if cases)


def subset(suite: Suite, cases: tuple[Case, ...]) -> Suite:
    """The suite with some of its cases; slices that lost all of theirs are not missed."""
    if len(cases) == len(suite.exam.cases):
        return suite
    exam: Exam = suite.exam
    content = digest([exam.digest, *(case.id for case in cases)])
    policy = exam.policy.model_copy(update={"required": ()})
    return replace(suite, exam=replace(exam, cases=cases, digest=content, policy=policy))


def _wanted(case: Case, patterns: Sequence[str]) -> bool:
    return any(case.id == pattern or fnmatchcase(case.id, pattern) for pattern in patterns)


def _check_patterns(suites: Sequence[Suite], patterns: Sequence[str]) -> None:
    cases = [case for suite in suites for case in suite.exam.cases]
    for pattern in patterns:
        if not any(_wanted(case, [pattern]) for case in cases):
            ids = list(dict.fromkeys(case.id for case in cases))
            raise GateError(f"no case fits {quoted(pattern)}", near(pattern, ids))


def near(name: str, ids: Sequence[str]) -> str:
    """A hint that names the ids closest to one that is not there, or else the first of them."""
    folded = {one.casefold(): one for one in ids}
    close = [folded[key] for key in difflib.get_close_matches(name[:100].casefold(), folded, n=_NAMED, cutoff=0.6)]
    listed = ", ".join(map(quoted, close or ids[:_NAMED]))
    more = ", …" * (len(ids) > _NAMED)
    return f"did you mean {listed}?" if close else f"cases of these suites: {listed}{more}"
