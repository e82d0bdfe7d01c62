"""Does an output do what the prompt demands? A judge says so, and beside it the rules that code can check."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gate.config.scorerspec import ScorerSpec
from gate.domain.absence import Failed, Unscored
from gate.domain.case import Case
from gate.domain.hierarchy import Relation, relation
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import ModelRef
from gate.domain.promptspec import CompiledRule
from gate.domain.sample import Reply
from gate.errors import InputErrors
from gate.scoring.echo import repeated
from gate.scoring.passing import mark_of, reaches
from gate.scoring.subject import Subject
from gate.scoring.validators.registry import validate
from gate.scoring.verdict import Mark, Verdict, wordless
from gate.testgen.asking import Asker, Malformed, Question, text_of
from gate.testgen.frames import TEXT, fence, framed, object_schema, one_of

Word: TypeAlias = Literal["compliant", "violation", "unknown"]

_WORDS: Mapping[str, Word] = {"compliant": "compliant", "violation": "violation", "unknown": "unknown"}
_SCHEMA = object_schema({"reason": dict(TEXT), "verdict": one_of(*_WORDS)})
_KIN: Mapping[Relation, str] = {
    "the same model": "the very model that {did}",
    "the same model of another date": "{model} of another date, which {did}",
    "a weaker model of its family": "a weaker relative of {model}, which {did}",
}
_ADVICE = "Name a stronger judge, or one of another family."


@dataclass(frozen=True, slots=True)
class Compliance:
    """What one output was found to be.

    Args:
        verdict: unknown is unknown, and never a pass.
        reason: for the reader; the judge's words are a stranger's.
    """

    verdict: Word
    reason: str


@dataclass(frozen=True, slots=True)
class CodeVerdict:
    """What code found about one rule.

    Args:
        rule: id.
        verdict: unknown where a validator could not be applied.
        reason: what was looked for.
    """

    rule: str
    verdict: Word
    reason: str


async def complies(
    asker: Asker, prompt: str, output: str, given: str | None = None, instructions: str = ""
) -> Compliance:
    """Ask a judge about one output.

    The judge sees neither rules nor where the test came from, and without `given` no input either, as in
    arXiv:2503.05070, section 4.3.1: it is asked for compliance and not for correctness. Equal outputs make equal
    requests: where answers are remembered they cost one call and get one verdict.

    Args:
        asker: of the judge.
        prompt: its text, hostile.
        output: hostile.
        given: the input, for a judge that shall see it; hostile.
        instructions: what the user adds.

    Returns:
        Unknown where the judge gave no verdict, or one that it read in what it judged.
    """
    mark = fence(prompt, output, given or "")
    view = {"fence": mark, "prompt": prompt, "input": given, "output": output}
    judged = (output,) if given is None else (output, given)

    def read(found: Mapping[str, JsonValue]) -> Compliance:
        reason, word = text_of(found, "reason"), text_of(found, "verdict").lower()
        if word not in _WORDS:
            raise Malformed(f"verdict must be {', '.join(_WORDS)}")
        verdict = Verdict(0.0, reason, (Mark(reason, 0.0, "verdict", word),))
        if wordless(verdict, (mark,)):
            raise Malformed("the reason holds no word of its own")
        echo = repeated(verdict, judged, (prompt,))
        return Compliance(_WORDS[word], reason) if echo is None else Compliance("unknown", echo.reason)

    question = Question("compliance", lambda problem: framed("compliance", view, instructions, problem), _SCHEMA, read)
    found = await asker.ask(question)
    return Compliance("unknown", f"no verdict: {found.reason}") if isinstance(found, Failed) else found


def by_code(compiled: Iterable[CompiledRule], case: Case, reply: Reply) -> tuple[CodeVerdict, ...]:
    """Hold one output against each rule that code can check.

    Args:
        compiled: the rules.
        case: that was asked.
        reply: the answer.
    """
    subject = Subject.of(case, reply)
    return tuple(_checked(rule, subject) for rule in compiled)


def judge_notes(judge: ModelRef, generator: ModelRef | None, answering: Sequence[ModelRef]) -> list[str]:
    """Warnings of a judge that is the model that wrote the tests, or one that answers them, or a weaker relative.

    Args:
        judge: who judges.
        generator: who wrote the tests; None where nobody knows, or a person did.
        answering: who answers them.
    """
    told = []
    if generator is not None and (kin := relation(judge, generator)):
        who = _KIN[kin].format(model=generator, did="wrote the tests")
        told.append(f"The judge {judge} is {who}: it may overlook what it overlooked then. {_ADVICE}")
    for model in dict.fromkeys(answering):
        if kin := relation(judge, model):
            who = _KIN[kin].format(model=model, did="answers them")
            told.append(
                f"The judge {judge} is {who}: judges prefer answers of their own kind (self-preference). {_ADVICE}"
            )
    return told


def _checked(rule: CompiledRule, subject: Subject) -> CodeVerdict:
    unknown, reasons = "", list[str]()
    for spec in rule.scorers:
        score = _score(spec, subject)
        if isinstance(score, Unscored):
            unknown = unknown or score.reason
        elif not reaches(score[0], mark_of(spec)):
            return CodeVerdict(rule.rule, "violation", score[1])
        else:
            reasons.append(score[1])
    if unknown or not reasons:
        return CodeVerdict(rule.rule, "unknown", unknown or "nothing checks it")
    return CodeVerdict(rule.rule, "compliant", "; ".join(filter(None, reasons)))


def _score(spec: ScorerSpec, subject: Subject) -> tuple[float, str] | Unscored:
    """A validator's value and reason, or why there is none."""
    try:
        score = validate(spec, subject)
    except InputErrors as error:
        return Unscored(error.message)
    return score.value if isinstance(score.value, Unscored) else (score.value, score.reason)
