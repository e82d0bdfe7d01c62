"""From the sentence of a rule to the demands in it: who must do what is put into a few fixed forms."""

import re
from collections.abc import Iterator

from gate.testgen.compile.clause import Clause
from gate.testgen.compile.frames import FRAMES
from gate.testgen.compile.numbers import AT_LEAST, AT_MOST, BARE, FEWER, MORE
from gate.testgen.compile.orders import ORDERS, order
from gate.testgen.compile.subjects import MUST, NOT
from gate.testgen.compile.text import Sentence

_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), frame, negated) for pattern, frame, negated in FRAMES + ORDERS)

_OF = r"(?:(?:solely|only|exactly|entirely|purely|exclusively) )?of"
_VERBS: tuple[tuple[str, str], ...] = (
    (r"only contain (?=(?:exactly )?one of )", "be "),
    (rf"(?:consists?|be (?:made up|composed)) {_OF}(?: only| just)? ", "be "),
    (r"only (?:be|consist of) ", "be only "),
    (r"only contain ", "contain only "),
    (r"(?:be|is|are) (?:strictly|always) ", "be "),
    (r"(?:be|is|are) (?:limited|restricted|confined|kept) to (?=a maximum)", "be "),
    (r"(?:be|is|are) (?:limited|restricted|confined|kept) to |(?:be|is|are) capped at ", "be at most "),
    (r"(?:(?:be|is|are|stay|remain|fit)(?: kept)? within|be limited within) ", "be at most "),
    (r"fits? (?:in|into) (?=.* characters)", "be at most "),
    (r"fits? on ", "be on "),
    (r"(?:stays?|remain|be kept) (?=under|below|between|at most)", "be "),
    (r"(?:exceeds?|surpass|go (?:over|above|beyond)) ", "be more than "),
    (r"(?:be|is|are) (?:written|expressed|formatted|composed|provided|given|returned|presented|delivered|produced) "
     r"(?=in |as |entirely|only|exclusively)", "be "),
    (r"(?:total|span|range|take the form of) ", "be "),
    (r"sign off with ", "end with "),
    (r"(?:be|is|are) a total length of ", "be "),
    (r"(?:is|are|be) ", "be "),
    (r"be at (?:most|least) (?=at most |no more than |a maximum |up to |fewer than |less than |under )", "be "),
    (r"be at most (?=between |exactly )", "be "),
    (r"(?:ha(?:s|ve)|include|contain|feature|comprise|use|show|list|mention|say|incorporate|display)s? ", "contain "),
    (r"(?:starts?|begins?|opens?) with ", "start with "),
    (r"first with ", "start with "),
    (r"(?:(?:ends?|finish(?:es)?|concludes?|closes?) (?:with|in)|last with) ", "end with "),
    (r"each |every ", "each "),
)  # fmt: skip
_CANONICAL = tuple((re.compile(pattern, re.IGNORECASE), verb) for pattern, verb in _VERBS)
_PREFIXED = re.compile(r"be (prefixed|suffixed) with ", re.IGNORECASE)
_AND = re.compile(r",? and (?=\S)")
_OWN_MODAL = re.compile(rf"(?:(?:it|they) )?(?:({NOT})|{MUST}|not|never) (.+)", re.IGNORECASE)
_NONE = re.compile(r"(?:contains?|ha(?:ve|s)|includes?) no (?!(?:more|less|fewer)\b)(.+)", re.IGNORECASE)
_ALWAYS = re.compile(r"^(?:always|strictly|only ever) ", re.IGNORECASE)
_NEGATION = re.compile(r"(?:not|never) (.+)", re.IGNORECASE)
_OR = re.compile(r",? (?:or|and) |, ")
_USING = re.compile(r"^(?:using |any )")
_BOUND = re.compile(rf"(?:{AT_MOST}|{AT_LEAST}|{FEWER}|{MORE}) (?={BARE.pattern})", re.IGNORECASE)
_CHARACTERS = re.compile(
    r"\b(?:digits?|numbers?|numerals?|letters?|punctuation|symbols?|spaces|(?:lower|upper)[ -]?case|capitals|caps)"
    r"(?: only)?$",
    re.IGNORECASE,
)
"""Kinds of characters, of which a text is made all together."""
_SPLITS = 6
"""Places of an `and` that are tried."""


def demands(sentence: Sentence) -> Iterator[Clause]:
    """What a sentence demands of the output as a whole, as one clause, in each way in which it can be read.

    Args:
        sentence: the rule, or one of its sentences.

    Returns:
        Nothing where it is about something else, or says no `must`.
    """
    text = order(sentence.text)
    for pattern, frame, negated in _COMPILED:
        found = pattern.fullmatch(text)
        if found is not None and (clause := _clause(frame.format(*found.groups()), sentence.literals, negated)):
            yield clause


def halves(clause: Clause) -> Iterator[tuple[Clause, Clause]]:
    """The ways to read a clause as two demands that are joined by `and`.

    Args:
        clause: a demand.
    """
    # What an element holds is told apart by the form itself; a second demand there would not be one on the whole.
    if clause.said.startswith("each "):
        return
    if clause.negated and clause.said.startswith("contain "):
        yield from _neither(clause)
    if not clause.negated and " without " in clause.said:
        left, _, right = clause.said.partition(" without ")
        yield Clause(left, clause.literals), Clause(f"contain {_USING.sub('', right)}", clause.literals, True)
    places = list(_AND.finditer(clause.said))[:_SPLITS]
    for place in places:
        left, right = clause.said[: place.start()], clause.said[place.end() :]
        own = _OWN_MODAL.fullmatch(right)
        if own is not None:
            negated = own[1] is not None or _NEGATION.match(right) is not None
            second = _clause(own[2], clause.literals, negated)
        elif clause.negated:
            continue
        else:
            second = _clause(right, clause.literals, False)
            if second is None:
                second = _borrowed(left, right, clause.literals)
        if second is not None and not second.said.startswith("each "):
            yield Clause(left, clause.literals, clause.negated), second


def _borrowed(left: str, right: str, literals: tuple[str, ...]) -> Clause | None:
    """The verb of the first demand is that of the second, too, and so is its bound.

    None where it is not sure what the second one demands: `two sentences and 50 words`, `in lowercase and digits`,
    `"a" and "b" or "c"`.
    """
    verb, _, rest = left.partition(" ")
    bound = _BOUND.match(rest)
    if bound is not None and BARE.match(right):
        return _clause(f"{verb} {bound[0]}{right}", literals, False)
    if BARE.match(right) or " or " in right or (_CHARACTERS.search(left) and _CHARACTERS.search(right)):
        return None
    return _clause(f"{verb} {right}", literals, False)


def _neither(clause: Clause) -> Iterator[tuple[Clause, Clause]]:
    """What is forbidden of two things that `or`, `and` or a comma stands between is forbidden of each.

    Nothing where a bound stands before them, which may be that of both.
    """
    if _BOUND.search(clause.said):
        return
    for place in list(_OR.finditer(clause.said))[:_SPLITS]:
        left, right = clause.said[: place.start()], f"contain {clause.said[place.end() :]}"
        yield Clause(left, clause.literals, True), Clause(right, clause.literals, True)


def _clause(said: str, literals: tuple[str, ...], negated: bool) -> Clause | None:
    """With its verb in one of the fixed forms; None for any other verb."""
    refused = _NEGATION.fullmatch(said)
    if refused is not None:
        said, negated = refused[1], not negated
    if not negated and (none := _NONE.fullmatch(said)) is not None:
        said, negated = f"contain {none[1]}", True
    if (marked := _PREFIXED.match(said)) is not None:
        said = ("start with " if marked[1].lower() == "prefixed" else "end with ") + said[marked.end() :]
    if not negated:
        # What must not always be so may be so.
        said = _ALWAYS.sub("", said)
    for pattern, verb in _CANONICAL:
        if (found := pattern.match(said)) is not None:
            said = verb + said[found.end() :]
    if not said.startswith(("be ", "contain ", "start with ", "end with ", "each ")):
        return None
    return Clause(said, literals, negated)
