"""What code can check of an output: each kind of check as scorers, and whether a proposed check may be trusted."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, get_args

from gate.cases.case import Case
from gate.config.scorer import ScorerSpec
from gate.config.specification import CheckKind, CompiledRule, RuleCheck
from gate.limits import PATTERN_CHARS
from gate.record.transcript import Unscored
from gate.scoring.interface import Subject
from gate.scoring.panel import option_complaints, validate
from gate.testgen.lexicon import bounds_in, has_condition, numbers_in, read_number
from gate.values import JsonValue, clipped

CHECK_KINDS: tuple[CheckKind, ...] = get_args(CheckKind)
LARGEST_COUNT = 1_000_000
"""The greatest number of words, sentences or characters that a check may name."""
LARGEST_PATTERN_COUNT = 1_000
"""The greatest number of lines, paragraphs or bullets, which a pattern counts."""
PATTERN_SHOWN = 80
"""Characters of a proposed pattern that the wording of its check shows."""
ITEM_TYPES = {f"{name}s": name for name in ("string", "number", "integer", "boolean", "object", "array")}
"""What the items of a JSON array may be, in the plural."""
UNITS = {"words": "word", "sentences": "sentence", "characters": "character"}
"""Scorers that count, and what one of these is called."""
BULLET = r"^[^\S\n]*+(?:[-*+•‣–]|\d{1,4}[.)])[^\S\n]++\S"
"""The start of a list item; a number counts as a bullet."""
_BLOCKS = {
    "lines": ("line", r"\S[^\n]*+\s*+"),
    "paragraphs": ("paragraph", r"\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+\s*+"),
}
"""What a whole output is made of. Empty lines do not count, and end a paragraph."""
_MARKDOWN = (
    r"```|~~~|^[^\S\n]{0,3}(?:#{1,6}[^\S\n]|>[^\S\n]|[-*+][^\S\n]++\S)|(?<![\w*])\*\*[^\s*]|"
    r"(?<!\w)__[^\s_]++[^\S\n][^_\n]*+__(?!\w)|(?<!\w)__[A-Z]|(?<![\w_])_[^\s_][^_\n]*+_(?![\w_])|"
    r"`[^`\n]++`|\[[^\[\]\n]++\]\([^()\n]++\)|(?<![\w*])\*[^\s*][^*\n]*+\*(?!\w)|^[^\S\n]*+\|[^\n]*\|[^\S\n]*$"
)
"""`2**3` is no match, nor is a name such as `__init__`."""
_LINK = (
    r"https?://|www\.\w|\[[^\[\]\n]++\]\([^()\s]++\)|(?<![\w@.-])(?:[a-z0-9-]++\.)++(?:com|org|net|edu|gov)(?![\w-])"
)
_EMOJI = "[\\p{Emoji_Presentation}\U0001f000-\U0001faff]|\\p{Emoji}\ufe0f|(?=\\p{Emoji})[\u2600-\u26ff\u2763\u2764]"
_NUMBER = (
    r"\A\s*+[-+−]?(?:\d{1,3}(?:,\d{3})++|\d{1,3}(?:[ \u00a0\u202f]\d{3})++|\d++)?"
    r"(?:(?<=\d)|(?=\.\d))(?:\.\d++)?(?:[eE][-+]?\d++)?\s*\Z"
)
_PATTERNS: Mapping[str, tuple[str, str, bool]] = {
    "number": (_NUMBER, "one number", False),
    "uppercase": (r"\A\P{Ll}*+\Z", "no small letters", False),
    "lowercase": (r"\A\P{Lu}*+\Z", "no capitals", False),
    "no_markdown": (_MARKDOWN, "no Markdown", True),
    "no_emoji": (_EMOJI, "no emoji", True),
    "no_links": (_LINK, "no web addresses", True),
    "ends_with_question": (r"[?？][^\p{L}\p{N}]*\Z", "a question at the end", False),
}
"""Kinds without a value: a pattern, its wording, and whether the pattern must not occur."""
_LANGUAGE_LIST = (
    "afrikaans:af albanian:sq arabic:ar armenian:hy azerbaijani:az basque:eu belarusian:be bengali:bn bosnian:bs "
    "bulgarian:bg catalan:ca chinese:zh croatian:hr czech:cs danish:da dutch:nl english:en esperanto:eo estonian:et "
    "finnish:fi french:fr galician:gl georgian:ka german:de greek:el gujarati:gu hebrew:he hindi:hi hungarian:hu "
    "icelandic:is indonesian:id irish:ga italian:it japanese:ja kannada:kn kazakh:kk korean:ko latin:la latvian:lv "
    "lithuanian:lt macedonian:mk malay:ms malayalam:ml marathi:mr mongolian:mn nepali:ne norwegian:no persian:fa "
    "polish:pl portuguese:pt punjabi:pa romanian:ro russian:ru serbian:sr slovak:sk slovenian:sl spanish:es "
    "swahili:sw swedish:sv tagalog:tl tamil:ta telugu:te thai:th turkish:tr ukrainian:uk urdu:ur vietnamese:vi "
    "welsh:cy"
)
LANGUAGES: Mapping[str, str] = {
    name: code for name, _, code in (pair.partition(":") for pair in _LANGUAGE_LIST.split())
}
"""English names of languages."""
Scorers: TypeAlias = tuple[ScorerSpec, ...]


def check_scorers(check: RuleCheck) -> tuple[Scorers, str]:
    """The unnamed scorers of a check, and their wording; no scorers where its value does not fit its kind."""
    bound, _, unit = check.kind.partition("_")
    if bound in ("max", "min", "exact"):
        number = read_number(check.value[0]) if len(check.value) == 1 else None
        if number is None:
            return (), ""
        return count_scorers(unit, None if bound == "max" else number, None if bound == "min" else number)
    if check.kind in _PATTERNS:
        pattern, wording, negate = _PATTERNS[check.kind]
        return _pattern_scorer(pattern, negate=negate), wording
    if check.kind.startswith("json"):
        return json_scorers(check.kind, check.value)
    words = tuple(dict.fromkeys(word.strip() for word in check.value if word.strip()))
    return _word_scorers(check.kind, words) if words else ((), "")


def count_scorers(unit: str, low: int | None, high: int | None) -> tuple[Scorers, str]:
    """Scorers for a number of words, sentences, characters, lines, paragraphs or bullets; both bounds included."""
    largest = LARGEST_COUNT if unit in UNITS else LARGEST_PATTERN_COUNT
    if max(low or 0, high or 0) > largest or (high is not None and high < (low or 0)) or (high is None and not low):
        return (), ""
    if unit in UNITS:
        options: dict[str, JsonValue] = {key: n for key, n in (("min", low), ("max", high)) if n is not None}
        return (ScorerSpec(unit, unit, options),), count_wording(UNITS[unit], low, high)
    times = f"{{{low or 0},{'' if high is None else high}}}+"
    if unit == "bullets":
        item = rf"(?>[\s\S]*?{BULLET})"
        none_left = "" if high is None else rf"(?![\s\S]*?{BULLET})"
        return _pattern_scorer(rf"\A{item}{times}{none_left}"), count_wording("bullet point", low, high)
    noun, block = _BLOCKS[unit]
    return _pattern_scorer(rf"\A\s*+(?:{block}){times}\Z"), count_wording(noun, low, high)


def count_wording(noun: str, low: int | None, high: int | None) -> str:
    """Bounds in words, such as `at most 3 lines`."""
    noun += "" if (high if low is None else low if high in (None, low) else None) == 1 else "s"
    if low == high:
        return f"exactly {low:,} {noun}"
    if low is None:
        return f"at most {high:,} {noun}"
    return f"at least {low:,} {noun}" if high is None else f"from {low:,} to {high:,} {noun}"


def json_scorers(kind: str, words: Sequence[str]) -> tuple[Scorers, str]:
    """Scorers for JSON, an object, an array (of items of a type), or an object with some keys."""
    if kind == "json":
        return (ScorerSpec("json", "json", {"fence": True}),), "valid JSON"
    schema: dict[str, JsonValue] = {"type": "array" if kind == "json_array" else "object"}
    wording = "a JSON array" if kind == "json_array" else "a JSON object"
    if kind == "json_array" and words:
        if len(words) > 1 or words[0] not in ITEM_TYPES:
            return (), ""
        schema["items"] = {"type": ITEM_TYPES[words[0]]}
        wording += f" of {words[0]}"
    if kind == "json_keys":
        if not words:
            return (), ""
        schema["required"] = [*words]
        wording += f" with the keys {', '.join(words)}"
    return (ScorerSpec("json_schema", "json_schema", {"schema": schema, "fence": True}),), wording


def _word_scorers(kind: str, words: tuple[str, ...]) -> tuple[Scorers, str]:
    listed = ", ".join(words)
    if kind in ("contains", "contains_any"):
        patterns = [_word_pattern(word) for word in words]
        if kind == "contains_any":
            return _pattern_scorer("|".join(patterns)), f"contains one of {listed}"
        every = "".join(rf"(?=[\s\S]*?(?:{pattern}))" for pattern in patterns)
        return _pattern_scorer(rf"\A{every}"), f"contains {listed}"
    if kind == "not_contains":
        return _forbidden_scorers(words), f"without {listed}"
    if kind in ("starts_with", "ends_with"):
        options: dict[str, JsonValue] = {"value": words[0] if len(words) == 1 else [*words], "ignore_case": False}
        return (ScorerSpec(kind, kind, options | {"strip": True}),), f"{kind.replace('_', ' ')} {' or '.join(words)}"
    if kind == "one_of":
        choices = "|".join(map(re.escape, words))
        wording = f"one of {listed}" if len(words) > 1 else f"“{listed}”"
        return _pattern_scorer(rf"\A\s*+(?:{choices})[.]?\s*\Z", ignore_case=True), f"{wording}, in capitals or not"
    if kind == "language":
        code = LANGUAGES.get(words[0].lower()) if len(words) == 1 else None
        return ((ScorerSpec("language", "language", {"is": code}),), f"in {words[0].title()}") if code else ((), "")
    negate = kind == "not_regex"
    wording = f"{'not ' * negate}/{clipped(words[0], PATTERN_SHOWN)}/"
    return (_pattern_scorer(words[0], negate=negate), wording) if len(words) == 1 else ((), "")


def _forbidden_scorers(words: tuple[str, ...]) -> Scorers:
    """Words are looked for as words, signs anywhere. Capitals count in `US`; `May` is refused: a month, or a verb?"""
    if not all(any(map(str.isalnum, word)) for word in words):
        return (ScorerSpec("contains", "contains", {"none": [*words], "ignore_case": False}),)
    if any(word.isalpha() and word[0].isupper() and word[1:].islower() for word in words):
        return ()
    capitals = [word for word in words if word.isupper() and " " not in word]
    others: list[JsonValue] = [word for word in words if word not in capitals]
    spec = ScorerSpec("forbidden_words", "forbidden_words", {"words": others, "inflections": False})
    return (*(spec,) * bool(others), *_pattern_scorer("|".join(map(_word_pattern, capitals)), negate=True))


def _word_pattern(word: str) -> str:
    """A pattern for whole words; case counts in words with capitals and in single letters."""
    text = re.escape(word) if len(word) == 1 or word.lower() != word else f"(?i:{re.escape(word)})"
    return ("(?<!\\w)" if word[0].isalnum() else "") + text + ("(?!\\w)" if word[-1].isalnum() else "")


def _pattern_scorer(pattern: str, *, negate: bool = False, ignore_case: bool = False) -> Scorers:
    if not pattern or len(pattern) > PATTERN_CHARS:
        return ()
    return (ScorerSpec("regex", "regex", {"pattern": pattern, "ignore_case": ignore_case}, negate=negate),)


def named_rule(rule: str, scorers: Scorers, wording: str) -> CompiledRule:
    """The scorers under the name of their rule."""
    named = (
        ScorerSpec(spec.kind, rule if place == 1 else f"{rule}-{place}", spec.options, negate=spec.negate)
        for place, spec in enumerate(scorers, 1)
    )
    return CompiledRule(rule, tuple(named), wording)


def passes(scorers: Iterable[ScorerSpec], output: str) -> bool | None:
    """Does an output pass every scorer? None if one of them cannot be applied."""
    scores = [validate(spec, Subject(Case("output"), output)).value for spec in scorers]
    if any(score == 0 for score in scores):
        return False
    return None if any(isinstance(score, Unscored) for score in scores) else True


def refusal_reason(check: RuleCheck, quote: str, sentence: str = "", *, examples: bool = True) -> str:
    """Why a proposed check is not used; empty where it is.

    Args:
        quote: the words that the rule rests on.
        sentence: the rule in the model's words, for its conditions.
        examples: both examples are needed; else only those that are given have to agree.
    """
    scorers, _ = check_scorers(check)
    if not scorers or any(next(iter(option_complaints(spec.kind, spec.options)), None) for spec in scorers):
        return "its value does not fit its kind"
    if any("{{" in text or "{%" in text or not text.isprintable() for text in check.value):
        return "its value holds a template or control characters"
    if has_condition(f"{quote}\n{sentence}"):
        return "the rule has a condition or a hedge"
    if not _bound_fits(check, quote):
        return "its bound is not that of the quoted words"
    if not _value_stands_in(check, quote):
        return "its value is not in the quoted words"
    if examples and not (check.keeps.strip() and check.breaks.strip()):
        return "an example is missing"
    if check.keeps.strip() and passes(scorers, check.keeps) is not True:
        return "it fails the example that the rule allows"
    if check.breaks.strip() and passes(scorers, check.breaks) is not False:
        return "it passes the example that breaks the rule"
    return ""


def _bound_fits(check: RuleCheck, quote: str) -> bool:
    """Is a greatest number no least one, where the words say which it is?"""
    kinds = {"below": "max", "most": "max", "above": "min", "least": "min", "exactly": "exact"}
    quoted_bounds = {kinds[kind] for kind in bounds_in(quote)[0]}
    bound = check.kind.partition("_")[0]
    return bound not in kinds.values() or not quoted_bounds or bound in quoted_bounds


def _value_stands_in(check: RuleCheck, quote: str) -> bool:
    bound = check.kind.partition("_")[0]
    if bound in ("max", "min", "exact"):
        number = read_number(check.value[0])
        kinds, _ = bounds_in(quote)
        # "Under 80 words" is at most 79.
        apart = {"max": 1, "min": -1}.get(bound, 0) if ("below" if bound == "max" else "above") in kinds else 0
        return number is not None and str(number + apart) in numbers_in(quote)
    folded = " ".join(quote.split()).casefold()
    values = check.value
    if check.kind in ("regex", "not_regex"):
        # A pattern is rarely quoted whole; its words have to be.
        plain = re.sub(r"\\[A-Za-z]|\[(?:\\.|[^\]\\])*\]|\(\?<?[\w!=:>]|\{\d*,?\d*\}", " ", check.value[0])
        values = tuple(re.findall(r"\w+", plain))
        if not values:
            return False
    return all(" ".join(value.split()).casefold() in folded for value in values)
