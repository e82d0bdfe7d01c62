"""Orders of a prompt that no scorer of its suite reads: what the scores cannot say."""

import json
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from gate.config.scorerspec import ScorerSpec
from gate.domain.prompt import Prompt
from gate.domain.suite import Exam, Suite
from gate.domain.words import UNREAD, counted
from gate.flows.scaffold.checks import labels_of
from gate.testgen.compile.instructions import CHARS, SENTENCES, Order, orders_of

SHOWN = 3
"""Orders that a sentence quotes."""
ALIKE = 0.5
"""Likeness, from 0 to 1, of an order and what takes its place."""
QUOTED = 60
"""Characters of one of them."""
_OF_FORM = frozenset(
    "contains words sentences characters starts_with ends_with regex json json_schema forbidden_words language refusal "
    "paraphrases".split()
)
"""Scorers that look for one thing and see nothing else; any other may read any order."""
_WHATEVER = frozenset("words sentences characters language json json_schema".split())
"""Scorers that read an order whatever their options are: a user may have set another bound."""


def on_exam(suite: Suite) -> str:
    """A sentence for somebody who looks at his configuration; empty where there is nothing to say.

    Args:
        suite: its candidate's prompt counts.
    """
    orders = _orders(suite.candidate.version.prompt)
    left = _unread(orders, suite.exam)
    if not left:
        return ""
    them = "it" if len(left) == 1 else "them"
    which = "its only order" if len(orders) == 1 else f"{len(left):,} of its {len(orders):,} orders"
    return (
        f"{suite.candidate.version.path}: no scorer reads {which}, so an answer that breaks {them} scores no less: "
        f"{_quoted(left)}. A judge would read {them}."
    )


def on_change(suite: Suite) -> str:
    """A sentence for somebody who reads a verdict: what was changed where no score can move.

    Args:
        suite: as it is evaluated.
    """
    if suite.baseline is None:
        return ""
    old, new = _orders(suite.baseline.version.prompt), _orders(suite.candidate.version.prompt)
    before, after = {one.text for one in old}, {one.text for one in new}
    left = [one for one in old if one.text not in after]
    gone = _unread(left, suite.exam)
    read = [one.text for one in left if one.text not in gone]
    come = _unread([one for one in new if one.text not in before], suite.exam)
    # What takes the place of an order that is read is held against that one.
    come = [text for text in come if not get_close_matches(text, read, n=1, cutoff=ALIKE)]
    many = len(gone) + len(come)
    if not many:
        return ""
    told = "; ".join(f"{word} {_quoted(found)}" for word, found in (("gone", gone), ("new", come)) if found)
    return (
        f"{suite.candidate.version.path}: {UNREAD} {counted(many, 'order')} that changed, so the verdict says "
        f"nothing of {'it' if many == 1 else 'them'} (a judge would): {told}."
    )


def _orders(prompt: Prompt) -> tuple[Order, ...]:
    """Of what its author says to the model: what users and answers of a chat file say gives no orders."""
    texts = [one.content for one in prompt.messages if not prompt.chat or one.role == "system"]
    texts += [part.text for part in prompt.parts.files]
    found: list[Order] = []
    left = CHARS
    for text in texts:
        # A prompt may pull in a hundred parts, and each order is compared with those that went.
        found += orders_of(text[:left])
        left -= len(text)
        if left <= 0 or len(found) >= SENTENCES:
            break
    return tuple(found[:SENTENCES])


def _unread(orders: Iterable[Order], exam: Exam) -> list[str]:
    """Orders that no scorer reads; none where a scorer may read anything, such as a judge or an expected answer."""
    scorers = tuple(exam.all_scorers())
    if not scorers or not all(map(_of_form, scorers)):
        return []
    labelled = any(one.name == "label" for one in scorers)
    return [one.text for one in orders if not _is_read(one, scorers) and not (labelled and labels_of(one.text))]


def _of_form(spec: ScorerSpec) -> bool:
    return spec.kind in _OF_FORM and "{{" not in json.dumps(dict(spec.options), default=str)


def _is_read(order: Order, scorers: Sequence[ScorerSpec]) -> bool:
    return bool(order.scorers) and all(any(_same(wanted, one) for one in scorers) for wanted in order.scorers)


def _same(wanted: ScorerSpec, one: ScorerSpec) -> bool:
    if one.kind != wanted.kind or one.negate is not wanted.negate:
        return False
    return wanted.kind in _WHATEVER or all(one.options.get(key) == value for key, value in wanted.options.items())


def _quoted(texts: Sequence[str]) -> str:
    shown = ", ".join(f"“{_cut(text)}”" for text in texts[:SHOWN])
    rest = len(texts) - SHOWN
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def _cut(text: str) -> str:
    """Its first words: half of a word might be half of a secret, which no report would mask."""
    return text if len(text) <= QUOTED else f"{text[:QUOTED].rpartition(' ')[0]}…"
