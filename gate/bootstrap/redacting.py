"""What is taken out of texts before the store keeps them, as the environment says."""

from functools import reduce
from typing import TYPE_CHECKING

from gate.errors import GateError
from gate.inputs.patterns import TooSlow, complaint, replaced
from gate.inputs.personal import without_cards, without_emails, without_phones
from gate.inputs.problems import quoted
from gate.report.secrets import masked
from gate.settings.keeping import REDACT, redactions

if TYPE_CHECKING:
    from gate.store.redaction import Clean

_REDACTED = "[redacted]"
_SLOW = "[redacted: the pattern took too long]"


def cleaner(wanted: tuple[str, ...] | None = None) -> "Clean | None":
    """Takes out of a text what shall not be kept; None where all is kept.

    Args:
        wanted: names of kinds, and patterns between slashes; those of the environment when None.

    Raises:
        GateError: one is none of either.
    """
    kinds: dict[str, Clean] = {"email": without_emails, "phone": without_phones, "card": without_cards, "key": masked}
    wanted = redactions() if wanted is None else wanted
    # A card is looked for before a telephone number, which its digits could be.
    names = [name for name in ("key", "email", "card", "phone") if name in wanted]
    patterns = [one[1:-1] for one in wanted if one not in kinds and _is_pattern(one)]
    for one in wanted:
        if one not in kinds and not _is_pattern(one):
            hint = f"write {', '.join(kinds)}, or a regular expression between slashes"
            raise GateError(f"{REDACT}: {quoted(one)} is nothing that can be redacted", hint)
    for pattern in patterns:
        if why := complaint(pattern):
            raise GateError(f"{REDACT}: {quoted(pattern)} is no regular expression: {why}")
    steps = [*(_with(pattern) for pattern in patterns), *(kinds[name] for name in names)]
    return (lambda text: reduce(lambda found, step: step(found), steps, text)) if steps else None


def _is_pattern(one: str) -> bool:
    return len(one) > 2 and one.startswith("/") and one.endswith("/")


def _with(pattern: str) -> "Clean":
    def clean(text: str) -> str:
        try:
            return replaced(pattern, text, _REDACTED)
        except TooSlow:
            # Better no text than one that nobody has looked through.
            return _SLOW

    return clean
