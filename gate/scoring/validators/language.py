"""The language of an answer."""

import re

from gate.inputs.languages import LANGUAGES, language_code
from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding, Options, as_text, finding
from gate.scoring.validators.words import composed

_READ = 20_000
"""Characters that are enough for any language."""
_PLAUSIBLE = 5.0
"""Natural logarithm of how much likelier another language may be. Words that two languages share, and greetings of one
word, lie below it; a sentence of another language lies far above."""
_BYTES = 4
"""With letters of fewer bytes (three Latin ones, one Chinese character) nothing is plausible or not."""
_ENOUGH = 24
"""Bytes of letters in a short sentence."""
_NO_WORDS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|(?<![\w.+-])[\w.+-]{1,64}@\S+|<[^<>\n]{0,200}>", re.DOTALL
)


def language(options: Options, subject: Subject) -> Finding:
    """The answer is in the language; a text too short to tell passes as long as the language is plausible.

    Code, addresses and tags are left out. Source of the detector: Lui and Baldwin, langid.py (ACL 2012), as py3langid.
    """
    if not subject.text.strip():
        return 0.0, "is empty, and in no language"
    wanted = language_code(as_text(options["is"])) or ""
    text = _NO_WORDS.sub(" ", composed(subject.text[:_READ]))
    letters = "".join(filter(str.isalpha, text)).encode(errors="replace")
    if len(letters) < _BYTES:
        return 1.0, f"has too few letters to tell its language, {wanted} is possible"
    likely = _likelihoods(text)
    top = max(likely, key=lambda code: likely[code])
    plausible = likely[top] - likely.get(wanted, float("-inf")) <= _PLAUSIBLE
    seems = f"seems to be {top}" if top != wanted else f"is {wanted}"
    return finding(plausible, seems if top == wanted else f"{seems}, {wanted} is possible", f"{seems}, not {wanted}")


def likeliest(text: str, unless: str) -> str:
    """The language of a text; `unless` where that is nearly as likely, or where there is too little text to tell.

    Args:
        text: a sentence or more.
        unless: a language that is more probable beforehand.
    """
    cleaned = _NO_WORDS.sub(" ", composed(text[:_READ]))
    if len("".join(filter(str.isalpha, cleaned)).encode(errors="replace")) < _ENOUGH:
        return unless
    likely = _likelihoods(cleaned)
    top = max(likely, key=lambda code: likely[code])
    return top if likely[top] - likely.get(unless, float("-inf")) > _PLAUSIBLE else unless


def _likelihoods(text: str) -> dict[str, float]:
    """The logarithm of each language's likelihood."""
    import py3langid  # its model takes half a second and 100 MiB: only for those who ask for a language

    ranking: list[tuple[str, float]] = py3langid.rank(text)
    return {code: score for code, score in ranking if code in LANGUAGES}
