"""Validators of an answer's text: equal to it, in it, a pattern in it, at its beginning or end."""

from collections.abc import Iterator, Mapping

from gate.record.transcript import Unscored
from gate.scoring.interface import (
    Finding,
    OptionCheck,
    OptionComplaint,
    Options,
    Subject,
    Validator,
    as_text,
    finding,
    listed_texts,
    normal_form,
    quote,
    texts_of,
)


def exact(options: Options, subject: Subject) -> Finding:
    """The answer is the value, letter by letter (`strip` and `ignore_case` relax that); of a list, one of its texts."""
    wanted, got = _stripped(options, subject)
    folded = _fold(got, options)
    same = any(folded == _fold(want, options) for want in wanted)
    return finding(same, f"is exactly {_one_of(wanted)}", f"is not {_one_of(wanted)}")


def contains(options: Options, subject: Subject) -> Finding:
    """The value occurs in the answer, and so do all of `all`, at least one of `any` and none of `none`."""
    text = _fold(subject.text, options)

    def split(key: str) -> tuple[list[str], list[str]]:
        wanted = texts_of(options, key)
        found = {want for want in wanted if _fold(want, options) in text}
        return [want for want in wanted if want in found], [want for want in wanted if want not in found]

    there, missing = split("value")
    for_all, missing_of_all = split("all")
    of_any, missing_of_any = split("any")
    unwanted, avoided = split("none")
    if missing or missing_of_all:
        return 0.0, f"does not contain {listed_texts(missing + missing_of_all)}"
    if missing_of_any and not of_any:
        return 0.0, f"contains none of {listed_texts(missing_of_any)}"
    if unwanted:
        return 0.0, f"contains {listed_texts(unwanted)}, which it must not"
    held = there + for_all + of_any
    return (
        1.0,
        f"contains {listed_texts(held)}" if held else f"contains none of {listed_texts(avoided)}, as it should be",
    )


def regex(options: Options, subject: Subject) -> Finding:
    """The pattern matches somewhere in the answer."""
    from gate.config.json_schema import TooSlow, occurs

    pattern = as_text(options["pattern"])
    try:
        found = occurs(pattern, subject.text, ignore_case=bool(options.get("ignore_case", False)))
    except TooSlow as slow:
        return Unscored(str(slow)), f"/{pattern}/"
    return finding(found, f"matches /{pattern}/", f"does not match /{pattern}/")


def starts_with(options: Options, subject: Subject) -> Finding:
    """The answer begins with the value, or with one of a list, without surrounding blanks unless `strip` is false."""
    wanted, got = _stripped(options, subject)
    found = any(_fold(got[: 4 * len(want)], options).startswith(_fold(want, options)) for want in wanted)
    return finding(found, f"starts with {_one_of(wanted)}", f"does not start with {_one_of(wanted)}")


def ends_with(options: Options, subject: Subject) -> Finding:
    """The answer ends with the value, or with one of a list, without surrounding blanks unless `strip` is false."""
    wanted, got = _stripped(options, subject)
    found = any(_fold(got[-4 * len(want) :], options).endswith(_fold(want, options)) for want in wanted)
    return finding(found, f"ends with {_one_of(wanted)}", f"does not end with {_one_of(wanted)}")


def _stripped(options: Options, subject: Subject) -> tuple[list[str], str]:
    """The expected texts, and the answer; a list means each of its texts, and itself in JSON."""
    value, got = options["value"], subject.text
    wanted = [*map(as_text, value), as_text(value)] if isinstance(value, list) else [as_text(value)]
    if not options.get("strip", True):
        return wanted, got
    return [want.strip() for want in wanted], got.strip()


def _one_of(wanted: list[str]) -> str:
    # The last is the whole list.
    return quote(wanted[0]) if len(wanted) == 1 else f"one of {listed_texts(wanted[:-1])}"


def _fold(value: str, options: Options) -> str:
    """The text in the form for comparison: Unicode's NFC, where equal letters have equal characters; `ignore_case`."""
    text = normal_form(value, whole=True)
    return text.casefold() if options.get("ignore_case", False) else text


def _pattern(options: Options) -> Iterator[OptionComplaint]:
    from gate.config.json_schema import pattern_complaint

    if reason := pattern_complaint(as_text(options["pattern"])):
        hint = "Python's re syntax; a backslash before a special character makes it literal"
        yield f"its pattern is not a regular expression: {reason}", hint


def _found_everywhere(options: Options) -> Iterator[OptionComplaint]:
    wanted = [text for key in ("value", "any", "all", "none") for text in texts_of(options, key)]
    if not all(text.strip() for text in wanted):
        yield (
            "the text that it looks for is empty, and every answer contains it",
            "add an expected text to the case, or use another scorer",
        )


VALIDATORS: Mapping[str, Validator] = {
    "exact": exact,
    "contains": contains,
    "regex": regex,
    "starts_with": starts_with,
    "ends_with": ends_with,
}
CHECKS: Mapping[str, OptionCheck] = {
    "contains": _found_everywhere,
    "regex": _pattern,
    "starts_with": _found_everywhere,
    "ends_with": _found_everywhere,
}
