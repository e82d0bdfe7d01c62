"""The text of the gate's comment: marker, hidden state, perhaps an announcement, and the report within the limits."""

import hashlib
import re
from collections.abc import Callable

from gate.domain.comment_seal import NO_SEAL, Seal
from gate.domain.comment_state import MARKER, CommentState, Told, hidden_line, without_state

LIMIT = 65_536
"""UTF-16 units of a comment. GitHub says characters; 262,144 bytes of UTF-8 it takes, too, which is four for each."""
LONGEST_KEY = 100

Render = Callable[[tuple[Told, ...], int], str]
"""The Markdown without marker and state: from the earlier verdicts, oldest first, in at most so many characters."""

_ANNOUNCED = "<!-- prompt-gate-progress -->"
_RETIRED = "<!-- prompt-gate-old: "
_MOST_TRIES = 8


def marker(key: str) -> str:
    """The hidden line by which a gate finds its comment.

    Args:
        key: tells several gates of one repository apart; any text.
    """
    # Two hyphens would end the HTML comment. A key that cannot stand as it is keeps apart from others by its hash.
    plain = re.sub(r"[^A-Za-z0-9._/]+", "-", key).strip("-")[:LONGEST_KEY]
    if plain != key:
        plain += "-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{MARKER}{plain} -->"


def whole(line: str, state: CommentState, render: Render, limit: int = LIMIT, seal: Seal = NO_SEAL) -> str:
    """Marker, state and report.

    Args:
        line: the marker.
        state: what later runs are to know.
        render: makes the report.
        limit: UTF-16 units at most.
        seal: of this run, on this pull request.

    Raises:
        ValueError: the report does not get shorter where it is asked to.
    """
    head = f"{line}\n{hidden_line(state, line, seal)}\n"
    room = limit - len(head)
    for _ in range(_MOST_TRIES):
        body = render(tuple(state.earlier), room)
        units, most = len(body.encode("utf-16-le", "surrogatepass")) // 2, limit - len(head)
        if units <= most:
            return head + body
        # An emoji counts twice: so many characters of this mixture fit.
        room = min(room - 1, len(body) * most // units)
    raise ValueError(f"the report does not fit into {limit} characters")


def with_state(body: str, state: CommentState, seal: Seal = NO_SEAL) -> str:
    """The same comment with another state, sealed."""
    line, _, rest = _parts(body)
    return f"{line}\n{hidden_line(state, line, seal)}\n{rest}"


def announced(body: str, note: str) -> str:
    """The same comment with an announcement on top, in place of an earlier one; its state stays as it is.

    Args:
        body: of the comment; the marker alone where there is none yet, or none that is to be kept.
        note: one paragraph of Markdown.
    """
    line, hidden, rest = _parts(body)
    head = [line, hidden] if hidden else [line]
    return "\n".join([*head, _ANNOUNCED, note.strip(), "", _without_announcement(rest)])


def retired(body: str) -> str:
    """A comment that is kept for people, and that no run finds again."""
    line, _, rest = _parts(body)
    return f"{_RETIRED}{line.removeprefix(MARKER)}\n{_without_announcement(rest)}"


def without_report(body: str) -> bool:
    """Does the comment hold nothing for people but, perhaps, an announcement?"""
    _, _, rest = _parts(body)
    return not _without_announcement(rest).strip()


def _without_announcement(rest: str) -> str:
    lines = rest.split("\n")
    if lines[0].strip() != _ANNOUNCED:
        return rest
    ends = [place for place, text in enumerate(lines) if not text.strip()]
    return "\n".join(lines[ends[0] + 1 :]) if ends else ""


def _parts(body: str) -> tuple[str, str, str]:
    line, _, rest = body.partition("\n")
    return line.strip(), *without_state(rest)
