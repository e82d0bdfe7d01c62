"""Does a passage of the prompt say something of a rule, or was any word copied from there?"""

import re
from dataclasses import dataclass

from gate.testgen.compile.numbers import number
from gate.testgen.evidence import Span, folded

ENOUGH = 0.4
"""Of the telling words of a rule, so many stand in the sentences that its evidence is taken from."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w]|[.,]\d)|[a-z]+(?:-[a-z]+)?", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"]{1,200})\"|“([^”]{1,200})”|`([^`]{1,200})`|(?<!\w)['‘]([^'’]{1,200})['’](?!\w)")
_COUNT = re.compile(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?|[a-z]+(?:-[a-z]+)?)[\s*_`]+(?=([^\W\d_]+))", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_ENDS = re.compile(r"(?<=[.!?;。！？])\s|\n|[。！？]")
_NEGATIONS = frozenset(
    "not no never without avoid nor neither none nothing cannot forbid forbidden omit except".split()
)
_BOUND = re.compile(r"\b(?:no|not) (?:\w+er|more|less) than\b|\bnot exceed|\bnothing else\b", re.IGNORECASE)
"""Says how many, and forbids nothing else."""
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
_NO_NUMBERS = frozenset(("a", "an", "one", "zero"))


@dataclass(frozen=True, slots=True)
class Differing:
    """The rule names one number and the prompt another.

    Args:
        rule: what the rule says.
        prompt: what stands there.
    """

    rule: str
    prompt: str


def around(text: str, span: Span) -> str:
    """The sentences or lines that a passage is taken from; for the item of a list with the line that leads to it.

    Args:
        text: the prompt.
        span: the passage.
    """
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


def bears(rule: str, evidence: str, sentence: str) -> bool:
    """Does the evidence say something of the rule?

    Its numbers and quoted words stand there, both forbid or neither does, and enough of the words are the same.

    Args:
        rule: its text.
        evidence: a passage of the prompt.
        sentence: the sentences around it.
    """
    telling = _stems(rule)
    if not telling & _stems(evidence) or _forbids(rule) != _forbids(sentence):
        return False
    there = folded(sentence)
    quoted = (next(filter(None, found.groups())) for found in _QUOTED.finditer(rule))
    if not all(folded(words) in there for words in quoted) or not numbers(rule) <= numbers(sentence):
        return False
    return len(telling & _stems(sentence)) >= ENOUGH * len(telling)


def differing(rule: str, sentence: str, text: str) -> Differing | None:
    """Where a rule says another number of the same thing than its evidence, and than the whole prompt.

    `Under 80 words` is `at most 79 words`; where numbers are that near, there is nothing to tell.

    Args:
        rule: its text.
        sentence: the sentences around its evidence.
        text: the prompt.
    """
    said, there, anywhere = _counts(rule), _counts(sentence), _counts(text)
    for number_said, thing in said:
        others = [other for other, same in there if same == thing]
        near = any(abs(float(other) - float(number_said)) <= 1 for other in others)
        if others and not near and (number_said, thing) not in anywhere:
            return Differing(number_said, " and ".join(others))
    return None


def numbers(text: str) -> frozenset[str]:
    """The numbers of a text, in digits.

    Args:
        text: any; a number in words is one, too, but `one` may be none.
    """
    return frozenset(filter(None, (_digits(match[0].lower()) for match in _NUMBER.finditer(text))))


def _digits(word: str) -> str:
    many = None if word in _NO_NUMBERS else number(word)
    if many is not None:
        return str(many)
    return word.replace(",", "") if word[0].isdigit() else ""


def _stems(text: str) -> frozenset[str]:
    words = (match[0].casefold() for match in _WORD.finditer(text))
    return frozenset(word[:_STEM] for word in words if word not in _FRAME) | numbers(text)


def _forbids(text: str) -> bool:
    words = {match[0].casefold().replace("’", "'") for match in _WORD.finditer(_BOUND.sub("", text))}
    return bool(words & _NEGATIONS) or any(word.endswith("n't") for word in words)


def _counts(text: str) -> list[tuple[str, str]]:
    """Numbers with the first letters of the word behind them, in their order."""
    found = ((_digits(match[1].lower()), match[2][:_STEM].casefold()) for match in _COUNT.finditer(text))
    return [(many, thing) for many, thing in dict.fromkeys(found) if many]
