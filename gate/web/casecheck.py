"""Typed cases before the reader of case files: each of its complaints at the field that it is about."""

from dataclasses import dataclass

from gate.cases.forms import form_of as model_of
from gate.config.documents import Document, Loc
from gate.config.validation import attempt
from gate.errors import Problem
from gate.web.caseform import REST, CaseForm, Mistake, Written, entry_of, keys_of

_FIELD_OF_ROUND = {
    **{"prompt": "prompt", "expected_tools": "tools"},
    **{"judge_prompt": "criteria", "judge_threshold": "threshold"},
}


@dataclass(frozen=True, slots=True, order=True)
class CaseProblem(Problem):
    """A mistake in a case.

    Args:
        loc: the way to the value that is wrong.
    """

    loc: Loc = ()


class _Entry(Document):
    """An entry whose mistakes know where in it they are."""

    def problem(self, loc: Loc, message: str, hint: str = "") -> CaseProblem:
        return CaseProblem(self.file, 0, message, hint, loc)


def check(form: CaseForm) -> tuple[Written, tuple[Mistake, ...]]:
    """The case that a form stands for, and what is wrong with it.

    Args:
        form: as typed.
    """
    written = entry_of(form)
    if written.mistakes:
        return written, written.mistakes
    named = keys_of(form)["name"]
    if named not in written.entry:
        # Nothing but its name says what a case is meant to be: without it the reader would guess.
        written = Written({named: "", **written.entry})
    _, problems = attempt(model_of(written.entry), _Entry("", dict(written.entry)))
    return written, tuple(dict.fromkeys(_mistake(one, form) for one in problems))


def _mistake(problem: Problem, form: CaseForm) -> Mistake:
    """The mistake at the field of the form that stands for the key that is wrong."""
    key, *inner = problem.loc if isinstance(problem, CaseProblem) and problem.loc else ("",)
    field = next((name for name, known in keys_of(form).items() if known == key), REST if key else "")
    if field == "rounds" and inner:
        asked = _FIELD_OF_ROUND.get(str(inner[1]), "prompt") if len(inner) > 1 else "prompt"
        field = f"rounds.{int(inner[0]) + 1}.{asked}"
    elif field == "slices" and inner:
        row = next((at for at, (name, _) in enumerate(form.slices, 1) if name == inner[0]), 0)
        field = f"slices.{row}" if row else field
    message = "is missing" if problem.message.startswith(f"'{(inner or [key])[-1]}' is missing") else problem.message
    return Mistake(field, message, problem.hint)
