"""Plain sentences that say what code can check of the whole output: a short table, for work without a model.

A sentence that says anything more (a condition, an exception, a second demand, a part of the output) is none of them.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gate.config.specification import CheckKind, RuleCheck
from gate.testgen.lexicon import NUMBER, read_number
from gate.testgen.rules.checks import Scorers, check_scorers, count_scorers

SENTENCE_CHARS = 600
"""Characters of a rule that is looked at."""
_ANSWER = (
    r"(?:(?:(?:the|your) (?:whole |entire )?)?(?:answer|output|response|reply)|"
    r"(?:all |your )?(?:answers|outputs|responses|replies))"
)
_MUST = r"(?:must|should|shall|will|has to|have to|needs? to|is to|are to)(?: always)?"
_MUST_NOT = r"(?:(?:must|should|shall|may|can|will|do|does) ?(?:not|never)|cannot|never)"
_START = r"(?:(?:please|always|important:|note:),? )*(?:you (?:must|should) (?:always )?)?"
_NEVER = r"(?:(?:please|you (?:must|should)),? )?(?:do not|don't|never|not)(?: ever)?"
_ASKER = r"(?: (?:to )?the (?:(?:customer|user)'s )?(?:question|message|request))?"
_SAY = rf"(?:answer|respond|reply){_ASKER}|write|speak"
_GIVE = r"(?:return|output|provide|reply with|respond with|answer with)"
_UNIT = (
    r"(?P<unit>words?|sentences?|characters?|lines?|paragraphs?|bullet points?|bullets)"
    r"(?: long| in length| in total)?"
)
_N, _M = rf"(?P<n>{NUMBER})", rf"(?P<m>{NUMBER})"
_TEXT = r"(?:\"[^\"]{1,200}\"|'[^']{1,200}'|`[^`]{1,200}`)"
_TEXTS = rf"(?:{_TEXT}(?:(?:,? (?:and|or)|,|/) ?{_TEXT}){{0,49}})"
_PLACEHOLDER = re.compile(
    r"\{[^{}]*\w[^{}]*\}|\[[^\W\d_][\w -]*\]|<[^\W\d_][\w -]*>|\.\.\.|…|__|"
    r"\b(?:YYYY|YY|MM|DD|HH|SS|yyyy|hh:mm|X{2,}|N{2,})\b|(?!N/A)\b[XYN]\b.|.\b[XYN]\b"
)
_CAPITALS, _SMALL = re.compile(r"\b[A-Z]{2,}\b"), re.compile(r"\b[A-Z]?[a-z]{2,}\b")
"""A quotation that shows a form, such as `Dear [name]`, `Step N:` or `FAIL: reason`, is no text to look for."""
_QUOTE_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-"})
Bounds: TypeAlias = Callable[[int, int], tuple[int | None, int | None]]

QUANTITIES: Sequence[tuple[str, Bounds]] = (
    (
        rf"(?:at most|no more than|up to|no longer than|a maximum of|max(?:imum|\.)?(?: of)?) {_N} {_UNIT}",
        lambda n, m: (None, n),
    ),
    (rf"(?:fewer than|less than|shorter than|under|below) {_N} {_UNIT}", lambda n, m: (None, n - 1)),
    (
        rf"(?:at least|no fewer than|no less than|a minimum of|min(?:imum|\.)?(?: of)?) {_N} {_UNIT}",
        lambda n, m: (n, None),
    ),
    (rf"(?:more than|over) {_N} {_UNIT}", lambda n, m: (n + 1, None)),
    (rf"(?:exactly|precisely|only|just) {_N} {_UNIT}", lambda n, m: (n, n)),
    (rf"(?:between {_N} and|from {_N} to|{_N} to|{_N} ?-) ?{_M} {_UNIT}(?: (?:max\.?|at most))?", lambda n, m: (n, m)),
    (rf"{_N} {_UNIT} (?:or (?:fewer|less)|max\.?|maximum|at most)", lambda n, m: (None, n)),
    (rf"{_N} {_UNIT} or more|{_N} or more {_UNIT}", lambda n, m: (n, None)),
    (rf"(?P<n>one|a single|one single) {_UNIT}", lambda n, m: (n, n)),
)
"""How a sentence says how many, and the bounds that it sets."""


@dataclass(frozen=True, slots=True)
class PlainForm:
    """One form of sentence.

    Args:
        sentences: patterns for whole sentences; the group `how_many` holds a quantity, `texts` quotations, and `name`
            a word.
        kind: of the check; of quantities the bounds decide.
        example: a sentence of this form.
    """

    sentences: tuple[str, ...]
    kind: CheckKind | None
    example: str


_HOW_MANY, _QUOTES = r"(?P<how_many>[^\"'`]+)", rf"(?P<texts>{_TEXTS})"
_JSON = r"(?:only )?(?:valid )?JSON(?: only| format)?"
_LOWER = r"(?:lower ?case|small letters)(?: letters)?(?: only)?"
_UPPER = r"(?:upper ?case|capitals|capital letters)(?: letters)?(?: only)?"
_WORD_NOUN = r"(?:the )?(?:(?:exact )?(?:words?|phrases?|terms?|strings?|texts?) )?"
PLAIN_FORMS: tuple[PlainForm, ...] = (
    PlainForm(
        (
            rf"{_START}(?:{_SAY}|summari[sz]e(?: the (?:text|article|conversation))?) (?:in|with|using) {_HOW_MANY}",
            rf"{_START}(?:use|write) {_HOW_MANY}",
            rf"{_START}(?:keep|limit) (?:it|{_ANSWER}) (?:to |within )?{_HOW_MANY}",
            rf"{_ANSWER} (?:(?:{_MUST} )?(?:be|have|contain|consist of)|is|has|have|are) {_HOW_MANY}",
            _HOW_MANY,
        ),
        None,
        "Answer in at most two sentences.",
    ),
    PlainForm(
        (rf"{_START}(?:{_SAY}) in (?P<few>(?:[1-5]|two|three|four|five) .+)",), None, "Answer in three sentences."
    ),
    PlainForm(
        (
            rf"(?:{_NEVER}|{_ANSWER} {_MUST_NOT}) (?:exceed|go over) (?P<most>.+)",
            rf"{_NEVER} (?:use|write) more than (?P<most>.+)",
            r"max(?:imum)? length:? (?P<most>.+)",
        ),
        None,
        "Never exceed 80 words.",
    ),
    PlainForm(
        (
            rf"{_START}(?:{_SAY}) (?:only )?in (?P<name>[a-z]{{4,12}})(?: only)?",
            rf"{_ANSWER} (?:{_MUST} be|is|are) (?:written )?(?:only )?in (?P<name>[a-z]{{4,12}})(?: only)?",
        ),
        "language",
        "Always write in English.",
    ),
    PlainForm(
        (
            rf"{_START}(?:(?:answer|respond|reply) (?:only )?(?:in|as|with)|{_GIVE}) {_JSON}",
            rf"{_ANSWER} {_MUST} be (?:in |as )?{_JSON}",
        ),
        "json",
        "Answer as JSON.",
    ),
    PlainForm(
        (
            rf"{_START}{_GIVE} (?:only )?a (?:valid )?JSON object",
            rf"{_ANSWER} (?:{_MUST} be|is) a (?:single )?(?:valid )?JSON object",
        ),
        "json_object",
        "Return a JSON object.",
    ),
    PlainForm(
        (
            rf"{_START}{_GIVE} (?:only )?a (?:valid )?JSON array(?: of (?P<name>[a-z]+))?",
            rf"{_ANSWER} (?:{_MUST} be|is) a (?:single )?(?:valid )?JSON array(?: of (?P<name>[a-z]+))?",
        ),
        "json_array",
        "The output must be a JSON array.",
    ),
    PlainForm(
        (
            rf"{_NEVER} (?:use|say|write|include|mention) {_WORD_NOUN}{_QUOTES}",
            rf"avoid (?:using )?{_WORD_NOUN}{_QUOTES}",
            rf"{_ANSWER} {_MUST_NOT} (?:contain|include|use|mention) {_WORD_NOUN}{_QUOTES}",
        ),
        "not_contains",
        'Never use the word "unfortunately".',
    ),
    PlainForm(
        (
            rf"{_START}(?:include|mention) {_WORD_NOUN}{_QUOTES}",
            rf"{_ANSWER} {_MUST} (?:contain|include|mention) {_WORD_NOUN}{_QUOTES}",
        ),
        "contains",
        'The answer must contain "Veloheim".',
    ),
    PlainForm(
        (
            rf"{_START}(?:start|begin) (?:{_ANSWER} )?with {_QUOTES}",
            rf"{_ANSWER} {_MUST} (?:start|begin) with {_QUOTES}",
        ),
        "starts_with",
        'Start with "Dear customer".',
    ),
    PlainForm(
        (
            rf"{_START}(?:end|finish|close) (?:{_ANSWER} )?with {_QUOTES}",
            rf"{_ANSWER} {_MUST} (?:end|finish) with {_QUOTES}",
        ),
        "ends_with",
        'End with "Best regards".',
    ),
    PlainForm(
        (
            rf"{_START}(?:end|finish|close) (?:{_ANSWER} )?with a question",
            rf"{_ANSWER} {_MUST} (?:end|finish) with a question",
        ),
        "ends_with_question",
        "Always end with a question.",
    ),
    PlainForm(
        (
            rf"{_ANSWER} {_MUST} be (?:either |one of:? )?{_QUOTES}",
            rf"{_START}{_GIVE} (?:only|one of:?|either) {_QUOTES}",
        ),
        "one_of",
        'The output must be "yes" or "no".',
    ),
    PlainForm(
        (
            rf"{_START}(?:{_SAY}) (?:only )?in (?:all )?{_LOWER}",
            rf"{_ANSWER} {_MUST} be (?:entirely )?in (?:all )?{_LOWER}",
        ),
        "lowercase",
        "The output must be in lowercase.",
    ),
    PlainForm(
        (
            rf"{_START}(?:{_SAY}) (?:only )?in (?:all )?{_UPPER}",
            rf"{_ANSWER} {_MUST} be (?:entirely )?in (?:all )?{_UPPER}",
        ),
        "uppercase",
        "The output must be in uppercase.",
    ),
    *(
        PlainForm(
            (
                rf"(?:{_NEVER} use|no|avoid)(?: any)? {what}",
                rf"{_ANSWER} {_MUST_NOT} (?:contain|include|use)(?: any)? {what}",
            ),
            kind,
            example,
        )
        for what, kind, example in (
            (r"(?:an )?emojis?", "no_emoji", "Do not use emojis."),
            (r"markdown(?: formatting| syntax)?", "no_markdown", "No Markdown."),
            (r"(?:urls|links|web addresses)", "no_links", "The answer must not contain links."),
        )
    ),
)
"""Each form is read with its example in the tests."""
_UNIQUE_NAMES = re.compile(r"\?P<(n|m|unit)>")


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _quantity_pattern(pattern: str) -> re.Pattern[str]:
    """One name may stand in several branches; each gets a number of its own."""
    places = iter(range(100))
    return _compiled(_UNIQUE_NAMES.sub(lambda match: f"?P<{match[1]}{next(places)}>", pattern))


_QUANTITIES = tuple((_quantity_pattern(pattern), bounds) for pattern, bounds in QUANTITIES)
_FORMS = tuple((tuple(map(_compiled, form.sentences)), form) for form in PLAIN_FORMS)


def plain_scorers(sentence: str) -> tuple[Scorers, str]:
    """The unnamed scorers of a sentence (untrusted) in a plain form, and their wording; none for any other."""
    text = " ".join(sentence.split()).translate(_QUOTE_MARKS).strip().removesuffix(".").strip()
    if len(sentence) > SENTENCE_CHARS or not text.isprintable() or re.search(r"\{\{|\{%|\{#|[ſıİ]", text):
        return (), ""
    for patterns, form in _FORMS:
        for pattern in patterns:
            if match := pattern.fullmatch(text):
                scorers, wording = _form_scorers(form, match)
                if scorers:
                    return scorers, wording
    return (), ""


def _form_scorers(form: PlainForm, match: re.Match[str]) -> tuple[Scorers, str]:
    groups = match.groupdict()
    if form.kind is None:
        few, most = groups.get("few"), groups.get("most")
        return quantity_scorers(f"exactly {few}" if few else f"at most {most}" if most else groups["how_many"])
    if (texts := groups.get("texts")) is None:
        return check_scorers(RuleCheck(form.kind, tuple(filter(None, [groups.get("name")]))))
    values = tuple(quoted[1:-1] for quoted in re.findall(_TEXT, texts))
    joined = re.sub(_TEXT, "", texts)
    both, either = " and " in joined, " or " in joined
    if any(map(_shows_a_form, values)) or (both and either):
        return (), ""
    if form.kind == "contains" and either:
        return check_scorers(RuleCheck("contains_any", values))
    if len(values) > 1 and (form.kind in ("starts_with", "ends_with") or (form.kind == "contains" and not both)):
        return (), ""
    return check_scorers(RuleCheck(form.kind, values))


def _shows_a_form(value: str) -> bool:
    mixed = _CAPITALS.search(value) and _SMALL.search(value)
    return bool(not value.strip() or mixed or _PLACEHOLDER.search(value))


def quantity_scorers(phrase: str) -> tuple[Scorers, str]:
    for pattern, bounds in _QUANTITIES:
        if match := pattern.fullmatch(phrase):
            named = {name[0]: value for name, value in match.groupdict().items() if value}
            numbers = [
                read_number(named[name].removeprefix("a ").removeprefix("one ")) for name in "nm" if name in named
            ]
            first, second = numbers[0], numbers[-1]
            if first is None or second is None:
                return (), ""
            unit = named["u"].lower()
            return count_scorers(
                "bullets" if unit.startswith("bullet") else f"{unit.removesuffix('s')}s", *bounds(first, second)
            )
    return (), ""
