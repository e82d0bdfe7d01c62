"""Looks for words and patterns in an answer."""

from gate.domain.absence import Unscored
from gate.inputs.patterns import TooSlow, occurs
from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding, Options, as_text, finding, fold, quote


def exact(options: Options, subject: Subject) -> Finding:
    """The answer is the value, to the letter (`strip` and `ignore_case` relax that)."""
    want, got = as_text(options["value"]), subject.text
    if options.get("strip", True):
        want, got = want.strip(), got.strip()
    same = fold(want, options) == fold(got, options)
    return finding(same, f"is exactly {quote(want)}", f"is not {quote(want)}")


def contains(options: Options, subject: Subject) -> Finding:
    """The value occurs in the answer."""
    want = as_text(options["value"])
    found = fold(want, options) in fold(subject.text, options)
    return finding(found, f"contains {quote(want)}", f"does not contain {quote(want)}")


def regex(options: Options, subject: Subject) -> Finding:
    """The pattern matches somewhere in the answer."""
    pattern = as_text(options["pattern"])
    try:
        found = occurs(pattern, subject.text, ignore_case=bool(options.get("ignore_case", False)))
    except TooSlow as slow:
        return Unscored(str(slow)), f"/{pattern}/"
    return finding(found, f"matches /{pattern}/", f"does not match /{pattern}/")
