"""Looks for texts and patterns in an answer."""

from gate.domain.absence import Unscored
from gate.inputs.patterns import TooSlow, occurs
from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding, Options, as_text, finding, listed, quote, texts_of
from gate.scoring.validators.words import composed


def exact(options: Options, subject: Subject) -> Finding:
    """The answer is the value, letter by letter (`strip` and `ignore_case` relax that)."""
    want, got = as_text(options["value"]), subject.text
    if options.get("strip", True):
        want, got = want.strip(), got.strip()
    same = _fold(want, options) == _fold(got, options)
    return finding(same, f"is exactly {quote(want)}", f"is not {quote(want)}")


def contains(options: Options, subject: Subject) -> Finding:
    """The value occurs in the answer; so do all of `all`, one at least of `any` and none of `none`."""
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
        return 0.0, f"does not contain {listed(missing + missing_of_all)}"
    if missing_of_any and not of_any:
        return 0.0, f"contains none of {listed(missing_of_any)}"
    if unwanted:
        return 0.0, f"contains {listed(unwanted)}, which it must not"
    held = there + for_all + of_any
    return 1.0, f"contains {listed(held)}" if held else f"contains none of {listed(avoided)}, as it should be"


def regex(options: Options, subject: Subject) -> Finding:
    """The pattern matches somewhere in the answer."""
    pattern = as_text(options["pattern"])
    try:
        found = occurs(pattern, subject.text, ignore_case=bool(options.get("ignore_case", False)))
    except TooSlow as slow:
        return Unscored(str(slow)), f"/{pattern}/"
    return finding(found, f"matches /{pattern}/", f"does not match /{pattern}/")


def starts_with(options: Options, subject: Subject) -> Finding:
    """The answer begins with the value, blanks before it left out."""
    want = as_text(options["value"]).strip()
    found = _fold(subject.text.lstrip()[: 4 * len(want)], options).startswith(_fold(want, options))
    return finding(found, f"starts with {quote(want)}", f"does not start with {quote(want)}")


def ends_with(options: Options, subject: Subject) -> Finding:
    """The answer ends with the value, blanks behind it left out."""
    want = as_text(options["value"]).strip()
    found = _fold(subject.text.rstrip()[-4 * len(want) :], options).endswith(_fold(want, options))
    return finding(found, f"ends with {quote(want)}", f"does not end with {quote(want)}")


def _fold(value: str, options: Options) -> str:
    """The text as it is compared: Unicode's NFC, in which the same letters have the same characters; `ignore_case`."""
    text = composed(value, whole=True)
    return text.casefold() if options.get("ignore_case", False) else text
