"""Orders, such as `Answer in at most five words`, each with the demand that it makes of the output."""

import re

from gate.testgen.compile.subjects import MANY, MORE, MUST, ONE, WHOLE
from gate.testgen.compile.text import MARK

_OWN = (
    rf"(?:(?:a|an|the|your|your final|every|all|all your) )?(?:entire |whole |full )?"
    rf"(?:{ONE}|{MANY}|summary|explanation)"
)
"""What is written; a text or a message may be the one that was given."""
_ONLY = r"(?: only| exclusively| entirely| solely| strictly| just| always)?"
_TO = r"(?: (?:to )?(?:the |all |every )?(?:users?|customers?))?"
_SPEAK = rf"(?:answer|respond|reply|write|speak){_TO}{_ONLY}"
_EVERY = rf"(?:(?:every|each) (?:reply|response|message|e-?mail)|every answer|{WHOLE})"
"""Of a conversation each reply is the whole of one output."""
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

_SOMEBODY = r"(?:the |all |every |your |our )?(?:users?|customers?|people|visitors?|callers?|guests?|readers?)"
_ASKED = (
    r"(?: (?:to )?(?:the|this|any|a|their) (?:(?:user|customer|caller|visitor|guest|reader)'s )?"
    r"(?:question|query|message|e-?mail|request|ticket|inquiry|enquiry))"
)
"""What is answered with one output."""
_BRIEFLY = r"(?: briefly| concisely| succinctly)?"
_REWORK = rf"(?:summari[sz]e|describe|explain|outline|condense|paraphrase){_BRIEFLY}"
_SUBJECT = (
    r"(?:(?:the|this) )(?:following |given |provided )?(?:(?:user|customer)'s |customer |user |support |input |news )?"
    r"(?:text|article|message|e-?mail|ticket|review|document|passage|conversation|transcript|meeting|call|chat|thread|"
    r"image|picture|photo|error|issue|problem|content|input|report|paper|story|post|feedback|email thread)"
)
"""All that the prompt is given: what is made of it is the output."""
_NAME = r"(?-i:[A-Z])[\w&'’.-]*"
_NAMES = rf"{_NAME}(?: {_NAME})?"

ORDERS: tuple[tuple[str, str, bool], ...] = (
    (rf"{_NEVER} (?:mention|name|recommend)(?: (?:our |any |the )?competitors?:?)? "
     rf"((?:{_NAMES}, )*{_NAMES}(?:,? (?:and|or) {_NAMES})?)", "contain the names {}", True),
    (rf"{_NEVER} (?:apologi[sz]e|say (?:that you are |you are |you're )?sorry)(?: to {_SOMEBODY})?",
     "contain an apology", True),
    (rf"{_NEVER} ask(?: {_SOMEBODY})? (?:any |a )?questions?", "contain question marks", True),
    (rf"{_NEVER} (?:include|add|write|output|put) (?:any )?(?:other |additional |extra )?(?:text|words|content|prose) "
     r"(?:outside(?: of)?|before or after|around|besides) the JSON(?: object| document| array)?",
     "be JSON and nothing else", False),
    (rf"{_NEVER} (?:format|write) {WHOLE} (?:in|with|using|as) (.+)", "contain {}", True),
    (rf"{_NEVER} (?:wrap|enclose|put) (?:{WHOLE}|the JSON(?: object)?) in "
     r"((?:a |any )?(?:Markdown )?code (?:fences?|blocks?))",
     "contain {}", True),
    (rf"(?:{_GIVE}|{_SHAPE}) {_OWN} as (an? (?:single )?(?:number|integer|whole number).*)", "be {}", False),
    (rf"say ({MARK}\d+{MARK}) at the end(?: of {_EVERY})?", "end with {}", False),
    (rf"say ({MARK}\d+{MARK}) at the (?:start|beginning)(?: of {_EVERY})?",
     "start with {}", False),
    (rf"(?:start|begin|open) {_EVERY} with:? (.+)", "start with {}", False),
    (rf"(?:end|finish|close|sign|sign off|conclude) {_EVERY} with:? (.+)", "end with {}", False),
    (rf"(?:limit|restrict|cap) {_EVERY} (?:to|at) (.+)", "be at most {}", False),
    (rf"keep {_EVERY} ((?:under|below|shorter than|no longer than|at most) .+)", "be {}", False),
    (r"(?:word|character|sentence|length|size) limit(?: is|:) (.+)", "be at most {}", False),
    (rf"(?:answer|respond|reply){_ASKED}{_BRIEFLY},? (?:in|with|using) ({MORE} .+|\d.+)", "be in {}", False),
    (rf"(?:answer|respond|reply){_ASKED}{_ONLY} (in [a-z]+)", "be {}", False),
    (rf"(?:answer|respond|reply){_BRIEFLY},? (?:in|with|using) ({MORE} .+|\d.+)", "be in {}", False),
    (rf"{_REWORK} {_SUBJECT}{_BRIEFLY},? (?:in|with|using|as) ({MORE} .+|\d.+|an? single .+)", "be in {}", False),
    (rf"(?:write|give|provide|return) (an? (?:one|single|two|three)[- ](?:sentence|paragraph|word) summary)"
     rf"(?: of {_SUBJECT})?", "be {}", False),
    (rf"translate {_SUBJECT} (?:in)?to ([a-z]+)", "be in {}", False),
    (r"only (?:speak|answer|respond|reply|write)(?: in)? ([a-z]+)", "be in {}", False),
    (rf"(?:answer|respond|reply|write|speak){_TO}{_ONLY} (?:in|with|using|as) (?:an? )?((?:bullet points|bullets))",
     "contain {}", False),
    (r"(plain text)(?: only)?", "be {}", False),
    (rf"(?:classify|categori[sz]e) the (?:sentiment|intent|topic|tone|urgency|emotion)(?: of {_SUBJECT})? as (.+)",
     "be one of: {}", False),
    (rf"(?:classify|categori[sz]e)(?: {_SUBJECT})? as (?:either |one of:? )?(.+?),? and "
     r"(?:return|output|reply with|respond with|answer with|write) (?:only|just|nothing but) the "
     r"(?:label|category|class|sentiment)", "be one of: {}", False),
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
_SHORT = "(?:short|brief|concise|succinct|to the point|as (?:short|brief|concise) as possible)"
_BRIEF: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), whole)
    for pattern, whole in (
        (rf"(?:be|(?:keep|make) {_EVERY}|{WHOLE} (?:is|are|{MUST} be)) {_SHORT}(?: and {_SHORT})?"
         r"(?:: |, (?:and )?(?:using |with )?| \()(.+?)\)?", r"\1"),
        (rf"(.+?)(?:,? and|,) (?:keep|make) {_EVERY} {_SHORT}", r"\1"),
        (rf"(?:answer|respond|reply|write) (?:briefly|concisely|succinctly) and ({_EVERY} .+|(?:keep|use|limit) .+)",
         r"\1"),
    )
)  # fmt: skip
"""Brevity beside a bound, which says how much of it is wanted."""
_BOUND = re.compile(
    rf"\b(?:{MORE}|\d+) .*\b(?:words?|sentences?|characters?|bullet points?|paragraphs?|lines?)\b", re.IGNORECASE
)
_ADJECTIVE = re.compile(
    r"\b(one|two|three|four|five|single|\d+) (?:short|brief|concise) (?=(?:word|sentence|paragraph|bullet|line))",
    re.IGNORECASE,
)
"""Of what is counted: one short paragraph is one."""


def order(text: str) -> str:
    """A sentence without what only says that it is an order, such as `You must` or `Make sure that`.

    Args:
        text: a sentence.
    """
    text = _without_brevity(_ADJECTIVE.sub(r"\1 ", text))
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


def _without_brevity(text: str) -> str:
    for pattern, rest in _BRIEF:
        if (found := pattern.fullmatch(text)) is not None and _BOUND.search(said := found.expand(rest)):
            text = said
    return text
