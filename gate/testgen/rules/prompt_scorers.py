"""Scorers to start with: from demands of the prompt that code can check, or from the expected outputs of the cases."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from gate.cases.stored import Entry
from gate.config.scorer import ScorerSpec
from gate.config.scorer_options import KINDS
from gate.testgen.rules.plain_forms import plain_scorers
from gate.values import JsonValue, clipped

CHARS, SENTENCES = 50_000, 300
"""How much of a prompt is read; the rest is ignored."""
_FENCED = re.compile(
    r"^(```|~~~).*?^\1[^\n]*$|<(examples?)>(?:(?!<examples?>).)*?</\2>", re.DOTALL | re.MULTILINE | re.IGNORECASE
)
"""Code fences and examples, which are no orders."""
_WRAPPED = re.compile(r"(?<=[^\s.!?:])[^\S\n]*\n[^\S\n]*(?=[^\W\d_A-Z])")
"""The end of a line within a sentence: the next one goes on in small letters."""
_HEADING = re.compile(r"\s*#+\s+\S")
_LEAD = re.compile(r"[^\n]*:[\s*_]*$")
"""A line that says what the list below it is about."""
_LISTED = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s|\s+\S")
_PART = re.compile(
    r"^[\W\d_]*(?:if|when|whenever|for|in|on|unless|where|while|during|after|before)\b|"
    r"\b(?:titles?|headlines?|subject|fields?|sections?|bullets?|items?|summary|examples?|steps?|each|every)\b",
    re.IGNORECASE,
)
"""What is below it holds under a condition, or for a part of the answer."""
_WHOLE = re.compile(
    r"\b(?:rules?|guidelines?|instructions?|requirements?|constraints?|style|tone|format(?:ting)?|output|responses?|"
    r"answers?|repl(?:y|ies)|language|general|important|always|must|should|remember|note|follow(?:ing)?)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_BULLET = re.compile(r"^\s*(?:[>#]+\s*)*(?:(?:[-*+•]|\d{1,2}[.)]|\([a-z0-9]\))\s+)?")
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.{1,200}?)(?<=\S)\1")
_CLAUSE = re.compile(r",? and (?=[a-z]+ )|; ")
_HEDGED = re.compile(r"\b(?:if|when|where|unless|except|for|in case|while|until|before|after|or)\b", re.IGNORECASE)
"""What is said under a condition cannot be split into halves."""
_ADDS = re.compile(
    r"(?:also |then )?(?:add|append|ask|explain|follow|give|include|list|mention|name|offer|provide|quote|return|say|"
    r"suggest|translate|write)\b",
    re.IGNORECASE,
)
"""A half that begins so lets the output hold more than the other half says."""
_EXAMPLE_LINE = re.compile(r"(?!(?i:max|min|word|length|character|important|note))[A-Z][\w ]{0,30}:")
"""`Input: …`; what bounds a length has a colon, too."""
_VERB = (
    r"(?:accept|act|add|address|admit|adopt|answer|ask|assume|avoid|base|be|begin|call|check|choose|cite|classify|"
    r"close|comply|confirm|decline|describe|do|don't|end|ensure|escalate|explain|extract|finish|focus|follow|format|"
    r"generate|give|greet|help|highlight|identify|ignore|include|introduce|invent|keep|label|leave|limit|list|look|"
    r"maintain|make|mention|name|note|offer|omit|output|point|prefer|present|produce|promise|provide|put|quote|"
    r"recommend|refer|refrain|refuse|remember|remain|rephrase|reply|respond|return|rewrite|say|show|sound|speak|stay|"
    r"start|state|stick|suggest|summari[sz]e|take|tell|thank|translate|treat|try|use|verify|warn|write)"
)
_ORDER = re.compile(
    rf"(?:(?:please|always|never|only|just|also|then|first|finally),? )*{_VERB}\b|"
    r"(?:always|never|only|no) |"
    r"(?:you|the (?:assistant|model|bot)|(?:the|your|all|every|each) (?:answers?|output|responses?|repl(?:y|ies))) "
    r"(?:must|should|shall|may not|can't|cannot|have to|need to)\b|"
    r"(?:if|when|whenever|unless|in case) [^,]+, (?:then |please )?(?:always |never )?"
    rf"{_VERB}\b",
    re.IGNORECASE,
)
"""Beginnings of sentences that tell the model what to do, not who it is or what it is given."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """A sentence, or a half of it that is a demand by itself.

    Args:
        scorers: what code checks of it; empty for a judge.
        wording: of the scorers.
    """

    text: str
    scorers: tuple[ScorerSpec, ...] = ()
    wording: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that it asks for."""
        return labels_of(self.text)


def orders_of(text: str) -> tuple[Instruction, ...]:
    """What a prompt (untrusted) tells a model to do, in its own order."""
    sentences = dict.fromkeys(islice(_sentences(text[:CHARS]), SENTENCES))
    return tuple(order for sentence, narrow in sentences for order in _instructions(sentence, narrow=narrow))


def _instructions(sentence: str, *, narrow: bool) -> Iterator[Instruction]:
    """The sentence; or its halves, if code checks one of them and the other adds nothing to the output.

    Args:
        narrow: it is about a part of the output, or holds under a condition.
    """
    scorers, wording = ((), "") if narrow else plain_scorers(sentence)
    halves = [f"{half[:1].upper()}{half[1:].removesuffix('.')}." for half in _CLAUSE.split(sentence)]
    if not scorers and not narrow and len(halves) > 1 and not _HEDGED.search(sentence):
        instructions = [Instruction(half, *plain_scorers(half)) for half in halves]
        by_judge = [half for half in instructions if not half.scorers]
        if len(by_judge) < len(halves) and not any(_ADDS.match(half.text) for half in by_judge):
            yield from instructions
            return
    if scorers or (_ORDER.match(sentence) and not sentence.endswith(":")):
        yield Instruction(sentence, scorers, wording)


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    """Each sentence, and whether a line above limits it to a part or a condition."""
    below_heading = below_lead = False
    for line in _WRAPPED.sub(" ", _FENCED.sub("\n", text)).splitlines():
        if _HEADING.match(line):
            below_heading, below_lead = _PART.search(line) is not None, False
        elif line.strip() and not _LISTED.match(line):
            below_lead = False
        for part in _SENTENCE.split(line):
            sentence = _STRONG.sub(r"\2", _BULLET.sub("", part)).strip()
            if sentence and not _EXAMPLE_LINE.match(sentence):
                stop = "" if sentence.endswith((".", "!", "?", ":")) else "."
                yield f"{sentence}{stop}", below_heading or below_lead
        if _LEAD.match(line) and not _HEADING.match(line):
            below_lead = _PART.search(line) is not None or _WHOLE.search(line) is None


MOST_LABELS = 8
"""Scorers that are taken out of a prompt."""
NAME_CHARS = 40
"""Of the name of a scorer that is made from a prompt."""
_ONCE = frozenset(kind for kind, options in KINDS.items() if options.any_bound)
"""Kinds that a suite gets once: a second bound would be that of a part."""
LABEL_CHARS = 40
"""An expected answer that is longer is no label."""
SHORT_CHARS = 80
"""An expected answer that is longer is compared with the whole answer."""

_LABELS = re.compile(
    r"\b(?:label|classify|categori[sz]e|tag|sort|mark)\b[^.:\n]{0,80}?\b(?:as|into)\b"
    r"(?: one of)?(?: the following)?[: ]+"
    r"((?:[\w-]{2,30}(?:, (?:or |and )?| or | and | / |/)){1,9}[\w-]{2,30})(?=[.\n]|$)",
    re.IGNORECASE,
)
_SPLIT = re.compile(r", (?:or |and )?| or | and | / |/")
_LINES = re.compile(
    r"\b(?:bullet(?:s| points?| list)?|(?:numbered|ordered|bulleted) list|json|yaml|xml|html|table|paragraphs|"
    r"(?:two|three|four|five|several|[2-9]|\d\d) (?:lines|steps|points|items)|step[- ]by[- ]step)\b",
    re.IGNORECASE,
)
"""Words of a prompt by which an answer has several lines."""


def labels_of(text: str) -> tuple[str, ...]:
    """The labels that a prompt asks for: `positive` and `negative`."""
    # In JSON a label is one field of several.
    labels = None if "json" in text.lower() else _LABELS.search(text)
    return tuple(dict.fromkeys(_SPLIT.split(labels[1]))) if labels else ()


def has_lines(text: str) -> bool:
    """Does the prompt ask for an answer of several lines?"""
    return _LINES.search(text) is not None


def prompt_scorers(prompt: str) -> tuple[JsonValue, ...]:
    """What the prompt's own sentences demand, as far as code can check it: at most eight scorers, as in `gate.yaml`."""
    scorers: list[JsonValue] = []
    if labels := labels_of(prompt):
        words = "|".join(map(re.escape, labels))
        scorers.append({"regex": {"pattern": rf"\A\W*(?:{words})\b", "ignore_case": True, "name": "label"}})
    taken: set[str] = set()
    for order in orders_of(prompt):
        for spec in order.scorers:
            name = spec.kind if spec.kind in _ONCE else f"{spec.kind} {order.wording}"
            if name not in taken and len(scorers) < MOST_LABELS:
                taken.add(name)
                scorers.append(_entry(spec, order.wording))
    return tuple(scorers)


def case_scorers(entries: Sequence[Entry], *, strict: bool) -> tuple[JsonValue, ...]:
    """Scorers that fit the expected answers of the cases; empty where not every case expects one.

    Args:
        strict: the model says only the label where one is asked for.
    """
    expected = [entry.get("expected") for entry in entries]
    if not expected or any(answer is None or answer == "" for answer in expected):
        return ()
    if any(isinstance(answer, list) for answer in expected) and all(map(_alternatives, expected)):
        return ({"contains": {"any": "{{ expected }}"}},)
    if not all(isinstance(answer, str) for answer in expected):
        numbers = all(isinstance(answer, (int, float)) and not isinstance(answer, bool) for answer in expected)
        return ("number",) if numbers else ({"json_path": {"path": "$", "equals": "{{ expected }}"}},)
    texts = [str(answer).strip() for answer in expected]
    few = len(set(texts)) <= max(2, len(texts) // 3)
    if few and strict and all(len(text) <= LABEL_CHARS and "\n" not in text for text in texts):
        return ({"starts_with": {"value": "{{ expected }}", "ignore_case": True}},)
    return ("contains",) if all(len(text) <= SHORT_CHARS for text in texts) else ("similarity",)


def _alternatives(expected: JsonValue) -> bool:
    """Is it a short text, or a list of acceptable ones, as in OpenAI evals?"""
    texts = expected if isinstance(expected, list) else [expected]
    return bool(texts) and all(isinstance(text, str) and len(text) <= SHORT_CHARS for text in texts)


def _entry(spec: ScorerSpec, wording: str) -> JsonValue:
    """As in `gate.yaml`, with a name that says what is looked for where the kind says too little."""
    options: dict[str, JsonValue] = {key: value for key, value in spec.options.items() if value is not None}
    if spec.negate:
        options["negate"] = True
    if spec.kind not in _ONCE:
        options["name"] = clipped(wording, NAME_CHARS)
    return {spec.kind: options} if options else spec.kind
