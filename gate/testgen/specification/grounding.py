"""Checks whether the prompt says what a rule says: by the words of both, then by a judge."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gate.config.specification import Grounding, OutputRule
from gate.record.transcript import Failed
from gate.testgen.effort import EffortSettings
from gate.testgen.lexicon import negations_in, numbers_in, quotes_in
from gate.testgen.prompt_under_test import Passages, PromptSubject, Span, folded_text, passages_of
from gate.testgen.questions import (
    FLAG_SCHEMA,
    TEXT_SCHEMA,
    Asker,
    MalformedAnswer,
    Question,
    StageResult,
    object_schema,
    problem_notes,
    read_text,
    unused_fence,
)
from gate.values import JsonValue

ENOUGH_WORDS = 0.4
"""The share of a rule's content words that must be in the sentences of its evidence."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_COUNT = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?|[a-z]+(?:-[a-z]+)?)[\s*_`]+(?=([^\W\d_]+))", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_ENDS = re.compile(r"(?<=[.!?;。！？])\s|\n|[。！？]")
_FRAME = frozenset(
    "the a an of to in on at by for with from as is are be been being was were and or but it its this that these those "
    "there their them they you your must should shall will may can has have had do does did output outputs answer "
    "answers response responses reply replies result every each all any one only always contain contains include "
    "includes use uses used write writes give gives given make makes text if when then than so such which who whose "
    "what where how also more most least less between into out up".split()
)
"""Words of any rule."""
_STEM = 4
"""Letters by which two forms of a word are the same."""
_NO_NUMBER = re.compile(r"\b(?:one|single|zero)\b", re.IGNORECASE)
"""`One` may be no number, and `a` says as much."""


@dataclass(frozen=True, slots=True)
class WordDifference:
    """The rule names one number and the prompt another."""

    rule: str
    prompt: str


def sentence_around(text: str, span: Span) -> str:
    """The sentences or lines that a passage is taken from; for a list item with the line that introduces it."""
    breaks = [found.end() for found in _ENDS.finditer(text)]
    start = max((place for place in breaks if place <= span.start), default=0)
    until = span.start + len(span.text)
    end = min((place for place in breaks if place >= until), default=len(text))
    own = text[start:end]
    if not _ITEM.match(own):
        return own
    before = (line for line in reversed(text[:start].splitlines()) if line.strip() and not _ITEM.match(line))
    lead = next(before, "").strip()
    return f"{lead} {own}" if lead.endswith(":") else own


def supports_rule(rule: str, evidence: str, sentence: str) -> bool:
    """Does the evidence say something about the rule?

    Its numbers and quoted words are there, both forbid or neither does, and enough of the words are the same.
    """
    telling = _stems(rule)
    if not telling & _stems(evidence) or _forbids(rule) != _forbids(sentence):
        return False
    there = folded_text(sentence)
    quoted = all(folded_text(words) in there for words in quotes_in(rule))
    if not quoted or not _telling_numbers(rule) <= _telling_numbers(sentence):
        return False
    return len(telling & _stems(sentence)) >= ENOUGH_WORDS * len(telling)


def word_difference(rule: str, sentence: str, text: str) -> WordDifference | None:
    """Where a rule gives another number for the same thing than its evidence and the whole prompt do.

    `Under 80 words` is `at most 79 words`; numbers that near are no difference.
    """
    said, there, anywhere = _counts(rule), _counts(sentence), _counts(text)
    for number_said, thing in said:
        others = [other for other, same in there if same == thing]
        near = any(abs(float(other) - float(number_said)) <= 1 for other in others)
        if others and not near and (number_said, thing) not in anywhere:
            return WordDifference(number_said, " and ".join(others))
    return None


def _telling_numbers(text: str) -> frozenset[str]:
    return frozenset(numbers_in(_NO_NUMBER.sub(" ", text)))


def _stems(text: str) -> frozenset[str]:
    words = (match[0].casefold() for match in _WORD.finditer(text))
    return frozenset(word[:_STEM] for word in words if word not in _FRAME) | _telling_numbers(text)


def _forbids(text: str) -> bool:
    return negations_in(text) > 0


def _counts(text: str) -> list[tuple[str, str]]:
    """Numbers with the first letters of the next word, in order."""
    counts = (
        (number, match[2][:_STEM].casefold())
        for match in _COUNT.finditer(text)
        for number in _telling_numbers(match[1])
    )
    return list(dict.fromkeys(counts))


GROUNDING_SCHEMA = object_schema({"reason": TEXT_SCHEMA, "grounded": FLAG_SCHEMA})


def is_unsettled(rule: OutputRule) -> bool:
    """Neither a person nor a judge has said where it comes from."""
    return rule.grounding in ("unknown", "verbatim")


async def ground_rules(
    rules: Sequence[OutputRule], subject: PromptSubject, judge: Asker, settings: EffortSettings
) -> StageResult[Mapping[str, Grounding]]:
    """Look for each rule in the prompt: first for its evidence, then by a judge, one request per rule.

    Evidence counts only if it says something about its rule (`supports_rule`): any words of a prompt can be copied.

    Returns:
        Grounding by the id of the rule, and a note on the rules for which the judge gave no answer.
    """
    passages = passages_of(subject.text)
    groundings: dict[str, Grounding] = {}
    unsure = []
    for rule in rules:
        if not is_unsettled(rule):
            groundings[rule.id] = rule.grounding
            continue
        groundings[rule.id] = grounding_by_words(rule, passages)
        if groundings[rule.id] == "unknown":
            unsure.append(rule)
    if not settings.ground:
        return StageResult(groundings)
    instructions = settings.instructions.get("grounding", "")
    problems: dict[str, list[str]] = defaultdict(list)
    answers = await judge.ask_all([_question(rule, subject, instructions) for rule in unsure])
    for rule, answer in zip(unsure, answers, strict=True):
        if isinstance(answer, Failed):
            problems[f"whether these rules are in the prompt was not checked ({answer.reason})"].append(rule.id)
        else:
            groundings[rule.id] = "judged" if answer else "ungrounded"
    return StageResult(groundings, problem_notes(problems))


def grounding_by_words(rule: OutputRule, passages: Passages) -> Grounding:
    """What the evidence of a rule alone shows: it is in the prompt, it gives another number, or nothing."""
    span = passages.find(rule.evidence)
    if span is None:
        return "unknown"
    sentence = sentence_around(passages.text, span)
    if word_difference(rule.text, sentence, passages.text) is not None:
        return "ungrounded"
    return "verbatim" if supports_rule(rule.text, span.text, sentence) else "unknown"


def _question(rule: OutputRule, subject: PromptSubject, instructions: str) -> Question[bool]:
    view = {"prompt": subject.text, "rule": rule.text, "fence": unused_fence(subject.text, rule.text)}
    return Question("grounding", view, GROUNDING_SCHEMA, _read, instructions)


def _read(found: Mapping[str, JsonValue]) -> bool:
    read_text(found, "reason")
    grounded = found.get("grounded")
    if not isinstance(grounded, bool):
        raise MalformedAnswer("grounded is neither true nor false")
    return grounded
