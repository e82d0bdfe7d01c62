"""Redacts texts before they are stored."""

from functools import reduce
from typing import TYPE_CHECKING

from gate.config.documents import quoted
from gate.config.json_schema import TooSlow, pattern_complaint, replaced
from gate.environment.settings import REDACT, redactions
from gate.errors import GateError
from gate.record.transcript import masked

if TYPE_CHECKING:
    from gate.store.sql.retention import Clean

_REDACTED = "[redacted]"

_SLOW = "[redacted: the pattern took too long]"


def redactor(wanted: tuple[str, ...] | None = None) -> "Clean | None":
    """A function that redacts texts; None if nothing is redacted.

    Args:
        wanted: names of kinds, and patterns between slashes; None for the setting in the environment.

    Raises:
        GateError: an entry is neither.
    """
    from gate.resolve.case_lint import without_cards, without_emails, without_phones

    kinds: dict[str, Clean] = {"email": without_emails, "phone": without_phones, "card": without_cards, "key": masked}
    wanted = redactions() if wanted is None else wanted
    # Cards come before telephone numbers, which could match the digits of a card.
    names = [name for name in ("key", "email", "card", "phone") if name in wanted]
    patterns = [one[1:-1] for one in wanted if one not in kinds and _is_pattern(one)]
    for one in wanted:
        if one not in kinds and not _is_pattern(one):
            hint = f"write {', '.join(kinds)}, or a regular expression between slashes"
            raise GateError(f"{REDACT}: {quoted(one)} is not a kind of text to redact", hint)
    for pattern in patterns:
        if why := pattern_complaint(pattern):
            raise GateError(f"{REDACT}: {quoted(pattern)} is not a regular expression: {why}")
    steps = [*(_with_pattern(pattern) for pattern in patterns), *(kinds[name] for name in names)]
    return (lambda text: reduce(lambda found, step: step(found), steps, text)) if steps else None


def _is_pattern(one: str) -> bool:
    return len(one) > 2 and one.startswith("/") and one.endswith("/")


def _with_pattern(pattern: str) -> "Clean":
    def clean(text: str) -> str:
        try:
            return replaced(pattern, text, _REDACTED)
        except TooSlow:
            # A text that was not checked must not be stored.
            return _SLOW

    return clean
