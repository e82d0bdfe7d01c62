"""From the sentence of a rule to the demands in it: who must do what is put into a few fixed forms."""

import re
from collections.abc import Iterator

from gate.testgen.compile.clause import Clause
from gate.testgen.compile.text import LITERAL, Sentence

_ONE, _MANY = "(?:output|response|answer|reply|result|completion)", "(?:outputs|responses|answers|replies|completions)"
_NOUN = f"(?:{_ONE}|{_MANY})"
_KIND = r"(?:generated |produced |returned |resulting |assistant's |model's |entire |whole |overall |complete )"
WHOLE = (
    rf"(?:(?:the |your )?{_KIND}?{_ONE}(?: text)?|(?:all |your )?{_KIND}?{_MANY}|all output|"
    rf"(?:each|every) {_KIND}?(?:output|response)|(?:the )?(?:generated|output|response) text)"
)
"""The output as a whole, and nothing that is a part of it."""
MUST = r"(?:must|should|shall|has to|have to|needs? to|will|is to|are to|(?:is|are) required to)"
_NOT = (
    r"(?:(?:must|should|shall|may|can|will) ?(?:not|never)(?: ever)?|never|does not|do not|cannot|is not to|are not to)"
)
_WORDS = (
    r"(?:the )?(?:exact )?(?:words?|terms?|phrases?|strings?|symbols?|characters?|expressions?) "
    rf"{LITERAL}(?:(?:,|,? (?:and|or)) {LITERAL}){{0,49}}|{LITERAL}"
)
_LISTED = r"(?:the following|these) (?:words?|terms?|phrases?|strings?|symbols?|characters?)"

_FRAMES: tuple[tuple[str, str, bool], ...] = (
    (rf"(?:the )?(?:output |response )language(?: of {WHOLE})? {MUST} be (.+)", "be in {}", False),
    (rf"the language of {WHOLE} {MUST} be (.+)", "be in {}", False),
    (rf"the (?:total )?length of {WHOLE} {_NOT} (?:exceed|be more than|be greater than) (.+)", "be at most {}", False),
    (rf"the (?:total )?length of {WHOLE} {MUST} be (.+)", "be {}", False),
    (rf"the only (?:allowed|valid|permitted|possible|acceptable) {_NOUN} are (.+)", "be one of {}", False),
    (rf"(?:the )?JSON (?:output|object|response) {MUST} (?:contain|have|include) (.+)",
     "be a JSON object with {}", False),
    (rf"{WHOLE} {MUST} (?:only )?use (?:only )?(?:the )?(?!cap|upper|lower)([a-z]+)(?: language)?(?: only)?",
     "be in {}", False),
    (rf"(?:the )?HTML output {MUST} (.+)", "{}", False),
    (rf"{_LISTED} (?:must|should|may) (?:not|never) (?:appear|occur|be used|be included|be present)(?: anywhere)?"
     rf"(?: in {WHOLE})?: (.+)", "contain the following words: {}", True),
    (rf"({_WORDS}) (?:must|should|may|can) ?(?:not|never) (?:appear|occur|be used|be included|be present|be mentioned)"
     rf"(?: anywhere)?(?: in {WHOLE})?", "contain {}", True),
    (rf"(?:the )?(?:use|usage) of ({_WORDS})(?: in {WHOLE})? is (?:forbidden|prohibited|not allowed|not permitted)",
     "contain {}", True),
    (rf"({_WORDS}) {MUST} (?:appear|occur|be used|be included|be present)(?: somewhere)? in {WHOLE}",
     "contain {}", False),
    (rf"there {MUST} be (.+) (?:in|within|inside|for) ((?:each|every) <[a-z][a-z0-9]{{0,19}}> (?:tag|element))",
     "{1} contain {0}", False),
    (rf"(.+) {MUST} (?:appear|be|be used|be present|occur) (?:in|within|inside)(?: of)? "
     rf"((?:each|every) <[a-z][a-z0-9]{{0,19}}> (?:tag|element))", "{1} contain {0}", False),
    (rf"((?:each|every) <[a-z][a-z0-9]{{0,19}}> (?:tag|element)) {MUST} (.+)", "{0} {1}", False),
    (rf"there {MUST} be (.+) in {WHOLE}", "contain {}", False),
    (rf"there (?:must|should|may) (?:not|never) be (.+) in {WHOLE}", "contain {}", True),
    (rf"{WHOLE} (?:must|should) (?:always )?avoid(?: using| the use of)? (.+)", "contain {}", True),
    (rf"avoid(?: using| the use of)? (.+?)(?: in {WHOLE})?", "contain {}", True),
    (rf"{WHOLE} {MUST} (?:be|remain) free (?:of|from) (.+)", "contain {}", True),
    (rf"{WHOLE} {MUST} contain neither (.+)", "contain {}", True),
    (rf"{WHOLE} {_NOT} (.+)", "{}", True),
    (rf"(?:do not|don't|never) (?:use|include|write|mention|output) (.+?)(?: in {WHOLE})?", "contain {}", True),
    (rf"(?:limit|restrict) {WHOLE} to (.+)", "be at most {}", False),
    (rf"keep {WHOLE} (?:to|within) (.+)", "be at most {}", False),
    (rf"keep {WHOLE} ((?:under|below|shorter than|between|no longer than) .+)", "be {}", False),
    (rf"write {WHOLE} (?:entirely |only )?(in .+)", "be {}", False),
    (rf"(start|begin|end) {WHOLE} (with .+)", "{0} {1}", False),
    (r"(?:always )?(?:respond|reply|answer) (?:only |exclusively |entirely )?(in .+)", "be {}", False),
    (r"(?:always )?(?:respond|reply|answer)(?: only| exclusively)? with (.+)", "be {}", False),
    (r"(?:only |always )?(?:return|output)(?: only| just)? (.+)", "be {}", False),
    (r"use ((?:at most|at least|no more than|no fewer than|fewer than|up to|exactly|between) .+)", "contain {}", False),
    (rf"{WHOLE} {MUST} (.+)", "{}", False),
    (rf"{WHOLE} ((?:is|are|has|have|contains?|consists? of|starts?|begins?|ends?|always|never) .+)", "{}", False),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), frame, negated) for pattern, frame, negated in _FRAMES)

_OF = r"(?:(?:solely|only|exactly|entirely|purely|exclusively) )?of"
_VERBS: tuple[tuple[str, str], ...] = (
    (r"only contain (?=(?:exactly )?one of )", "be "),
    (rf"(?:consists?|be (?:made up|composed)) {_OF}(?: only| just)? ", "be "),
    (r"only (?:be|consist of) ", "be only "),
    (r"only contain ", "contain only "),
    (r"(?:be|is|are) (?:strictly|always) ", "be "),
    (r"(?:be|is|are) limited to (?=a maximum)", "be "),
    (r"(?:be|is|are) limited to ", "be at most "),
    (r"(?:(?:be|is|are|stay|remain|fit)(?: kept)? within|be limited within) ", "be at most "),
    (r"(?:stay|remain|be kept) (?=under|below)", "be "),
    (r"exceeds? ", "be more than "),
    (r"(?:be|is|are) (?:written|expressed|formatted|composed|provided|given|returned|presented) "
     r"(?=in |as |entirely|only)", "be "),
    (r"(?:be|is|are) a total length of ", "be "),
    (r"(?:is|are|be) ", "be "),
    (r"be at most (?=at most |no more than |a maximum |up to |fewer than |less than |under )", "be "),
    (r"(?:ha(?:s|ve)|include|contain|feature|comprise|use|show|list|mention|say|incorporate|display)s? ", "contain "),
    (r"(?:starts?|begins?|opens?) with ", "start with "),
    (r"(?:ends?|finish(?:es)?|concludes?|closes?) with ", "end with "),
    (r"each |every ", "each "),
)  # fmt: skip
_CANONICAL = tuple((re.compile(pattern, re.IGNORECASE), verb) for pattern, verb in _VERBS)
_PREFIXED = re.compile(r"be (prefixed|suffixed) with ", re.IGNORECASE)
_AND = re.compile(r",? and (?=\S)")
_OWN_MODAL = re.compile(rf"(?:(?:it|they) )?(?:({_NOT})|{MUST}|not|never) (.+)", re.IGNORECASE)
_NONE = re.compile(r"(?:contains?|ha(?:ve|s)|includes?) no (?!(?:more|less|fewer)\b)(.+)", re.IGNORECASE)
_ALWAYS = re.compile(r"^(?:always|strictly|only ever) ", re.IGNORECASE)
_NEGATION = re.compile(r"(?:not|never) (.+)", re.IGNORECASE)
_SPLITS = 6
"""Places of an `and` that are tried."""


def demand(sentence: Sentence) -> Clause | None:
    """What a rule demands of the output as a whole, as one clause.

    Args:
        sentence: the rule.

    Returns:
        None where it is about something else, or says no `must`.
    """
    for pattern, frame, negated in _COMPILED:
        found = pattern.fullmatch(sentence.text)
        if found is not None:
            return _clause(frame.format(*found.groups()), sentence.literals, negated)
    return None


def halves(clause: Clause) -> Iterator[tuple[Clause, Clause]]:
    """The ways to read a clause as two demands that are joined by `and`.

    Args:
        clause: a demand.
    """
    # What an element holds is told apart by the form itself; a second demand there would not be one on the whole.
    if clause.said.startswith("each "):
        return
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
                # The verb of the first demand is that of the second, too.
                second = _clause(f"{left.partition(' ')[0]} {right}", clause.literals, False)
        if second is not None and not second.said.startswith("each "):
            yield Clause(left, clause.literals, clause.negated), second


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
