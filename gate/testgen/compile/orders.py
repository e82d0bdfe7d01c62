"""Orders, such as `Answer in at most five words`, each with the demand that it makes of the output."""

import re

from gate.testgen.compile.subjects import MANY, MORE, ONE, WHOLE
from gate.testgen.compile.text import MARK

_OWN = (
    rf"(?:(?:a|an|the|your|your final|every|all|all your) )?(?:entire |whole |full )?"
    rf"(?:{ONE}|{MANY}|summary|explanation)"
)
"""What is written; a text or a message may be the one that was given."""
_ONLY = r"(?: only| exclusively| entirely| solely| strictly| just| always)?"
_TO = r"(?: (?:to )?(?:the |all |every )?(?:users?|customers?))?"
_SPEAK = rf"(?:answer|respond|reply|write|speak){_TO}{_ONLY}"
_GIVE = r"(?:return|output|produce|write|give|provide|generate|print|emit|send|deliver|compose|create)"
_SHAPE = r"(?:format|present|structure|express|phrase|render|put|keep)"
_NEVER = r"(?:do not|don't|never)"
_INCLUDE = r"(?:use|include|write|mention|output|say|add|print|insert|produce|employ|put|give|contain)"
_IN = rf"(?: in {WHOLE}| anywhere)?"
_GIVEN = (
    r"(?:(?:given |user's |user |input |incoming |customer |support |following )?"
    r"(?:text|message|input|review|e-?mail|tweet|ticket|comment|post|article|query|question|request|document|sentence|"
    r"headline))"
)
"""The whole of what the prompt is given: a part of it may be marked where it stands."""

ORDERS: tuple[tuple[str, str, bool], ...] = (
    (rf"{_NEVER} (?:exceed|surpass|go (?:over|above|beyond)) (.+)", "be at most {}", False),
    (rf"{_NEVER} (?:answer|respond|reply|write) (?:in|with|using) ((?:more|fewer|less) than .+)", "be {}", True),
    (rf"{_NEVER} (start|begin|open|end|finish|conclude|close)(?: {WHOLE})? (with .+)", "{0} {1}", True),
    (rf"{_NEVER} {_INCLUDE} (.+?){_IN}", "contain {}", True),
    (rf"(?:avoid|refrain from|abstain from)(?: using| saying| the use of| including)? (.+?){_IN}", "contain {}", True),
    (rf"(?:omit|leave out) (.+?){_IN}", "contain {}", True),
    (rf"no (?!more|less|fewer|longer|shorter)(.+?){_IN}", "contain {}", True),
    (rf"(?:limit|restrict|confine|cap) (?:{WHOLE}|yourself) (?:to|at) (.+)", "be at most {}", False),
    (rf"keep (?:{WHOLE} )?(?:to|within) (.+)", "be at most {}", False),
    (rf"(?:keep {WHOLE}|stay|remain) ((?:under|below|shorter than|between|no longer than|at most) .+)", "be {}", False),
    (rf"(?:make {WHOLE}|be) ((?:no longer than|no more than|at most|under|shorter than) .+)", "be {}", False),
    (r"stay within (.+)", "be at most {}", False),
    (r"(start|begin|open|end|finish|conclude|close|sign off) (with .+)", "{0} {1}", False),
    (rf"(start|begin|open|end|finish|conclude|close) {WHOLE} (with .+)", "{0} {1}", False),
    (rf"{_SPEAK} ((?:in|as) .+)", "be {}", False),
    (r"only (?:answer|respond|reply|write|speak) (in .+)", "be {}", False),
    (r"only use (.+)", "be in {}", False),
    (r"only use (.+)", "contain only {}", False),
    (rf"{_SPEAK} without (?:using |any )?(.+)", "contain {}", True),
    (r"(?:forbidden|banned|prohibited) (?:words?|phrases?|terms?): (.+)", "contain the following words: {}", True),
    (rf"{_SPEAK} within (.+)", "be at most {}", False),
    (rf"{_SPEAK} using only (.+)", "contain only {}", False),
    (rf"{_SPEAK} (?:with|using)(?: only| just)? (.+)", "be {}", False),
    (rf"(?:answer|respond|reply){_ONLY} (.+)", "be {}", False),
    (rf"(?:only |always )?(?:return|output|answer with|respond with|reply with){_ONLY} (.+)", "be {}", False),
    (rf"(?:only )?{_GIVE} (?!{MARK}|\S+ words(?! or))(.+)", "be {}", False),
    (rf"(?:{_GIVE}|say) (?:only|just|exactly|nothing but) (.+)", "be {}", False),
    (rf"(?:{_GIVE}|{_SHAPE}) {_OWN} (?:only |entirely |exclusively )?((?:in|as) .+)", "be {}", False),
    (rf"(?:{_GIVE}|put) (?:everything|{_OWN}) ((?:in|on) .+)", "be {}", False),
    (rf"{_GIVE} {_OWN} (?:of|in|with|using) (?:length )?({MORE} .+)", "be {}", False),
    (rf"{_GIVE} {_OWN} (?:with|containing|using) ({MORE} .+)", "contain {}", False),
    (rf"{_GIVE} {_OWN} (?:that is |which is )?((?:under|below|no longer than|shorter than|no more than) .+)",
     "be {}", False),
    (rf"translate (?:the|your) {ONE} (?:in)?to (.+)", "be in {}", False),
    (rf"(?:include|mention|insert|add|use) (.+?){_IN}", "contain {}", False),
    (r"use (?:only|exclusively|solely) (.+)", "contain only {}", False),
    (r"use (?:only |exclusively |solely )?(.+?)(?: only)?", "be in {}", False),
    (rf"(?:classify|categori[sz]e)(?: (?:it|(?:the|this|an?) {_GIVEN}))? "
     r"as (?:either |one of:? |exactly one of:? )?(.+)", "be one of: {}", False),
    (r"((?:at most|at least|no more than|no fewer than|exactly|between|up to|max(?:imum|\.)?|min(?:imum|\.)?) .+|"
     r".+ (?:at most|max(?:imum|\.)?|or fewer|or less))", "be {}", False),
)  # fmt: skip
"""A pattern, what it says in the verbs of a clause, and whether that is forbidden."""

_WHO = r"(?:you|the (?:assistant|model|bot|chatbot|system|agent|AI))"
_OPENERS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), begins)
    for pattern, begins in (
        (r"(?:please|always|important:|note:),? (?=\S)", ""),
        (r"(?=(?:must|should|shall) (?:not |never |always )?(?:be|contain|include|have|start|begin|end|use|exceed) )",
         "the output "),
        (r"(?:make sure|be sure|ensure|remember|take care)(?: that| to)? (?=\S)", ""),
        (rf"{_WHO} (?:must|should|may|can|shall|will) ?(?:not|never)(?: ever)? ", "never "),
        (rf"{_WHO} (?:are|is) (?:not|never) (?:allowed |permitted |supposed )?to ", "never "),
        (rf"{_WHO} (?:mustn't|shouldn't|cannot|can't|do not|don't|never) ", "never "),
        (rf"{_WHO} (?:must|should|shall|will|ought to|need(?:s)? to|ha(?:ve|s) to|(?:are|is)(?: required)? to)"
         r"(?: always| only)? ", ""),
        (r"you (?:always )?(?=(?:answer|respond|reply|write|speak|return|output|use|start|begin|end|keep) )", ""),
    )
)  # fmt: skip
_CLOSERS = re.compile(r",? (?:under any circumstances|no matter what|without exception|please|at all)", re.IGNORECASE)
_ALWAYS = re.compile(r",? (?:at all times|every time)", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|never|no)\b|n't\b", re.IGNORECASE)
_OPENED = 3
"""Words before an order that are taken off, one after the other."""


def order(text: str) -> str:
    """A sentence without what only says that it is an order, such as `You must` or `Make sure that`.

    Args:
        text: a sentence.
    """
    for _ in range(_OPENED):
        for pattern, begins in _OPENERS:
            if (found := pattern.match(text)) is not None:
                text = begins + text[found.end() :]
                break
    closers = (_CLOSERS,) if _NEGATED.search(text) else (_CLOSERS, _ALWAYS)
    for closer in closers:
        ends = [found for found in closer.finditer(text) if found.end() == len(text)]
        text = text[: ends[0].start()] if ends else text
    return text
