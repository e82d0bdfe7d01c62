"""From the sentence of a rule, or an order such as `Answer in at most five words`, to what it demands of the output."""

import re
from collections.abc import Iterator

from gate.testgen.rules.sentences import (
    AT_LEAST,
    AT_MOST,
    BARE,
    COUNT,
    FEWER,
    LITERAL_MARK,
    MANY,
    MORE,
    MUST,
    NOT,
    NOUN,
    ONE,
    WHOLE,
    WORDS,
    Clause,
    Sentence,
)

_LISTED = r"(?:the following|these) (?:words?|terms?|phrases?|strings?|symbols?|characters?)"
_ABSENT = r"(?:appear|occur|be used|be included|be present|be mentioned)(?: anywhere)?"
_UNIT = r"(word|sentence|character|line|paragraph)"
_EXCEED = r"(?:exceed|surpass|go (?:over|above|beyond)|be (?:more|greater|longer|higher|larger) than|be over|be above)"
_TAG = r"((?:each|every) <[a-z][a-z0-9]{0,19}> (?:tag|element))"

SENTENCE_FRAMES: tuple[tuple[str, str, bool], ...] = (
    (rf"(?:the )?(?:output |response )?language(?: of {WHOLE})? {MUST} be (.+)", "be in {}", False),
    (rf"the language of {WHOLE} {MUST} be (.+)", "be in {}", False),
    (rf"(?:the |its )?(?:total )?length(?: of {WHOLE})? {NOT} {_EXCEED} (.+)", "be at most {}", False),
    (rf"(?:the |its )?(?:total )?length(?: of {WHOLE})? {MUST} be (.+)", "be {}", False),
    (rf"(?:the )?(?:total )?{_UNIT} count(?: of {WHOLE})? {NOT} {_EXCEED} (.+)", "be at most {1} {0}s", False),
    (rf"(?:the )?(?:total )?{_UNIT} count(?: of {WHOLE})? {MUST} be ({COUNT} .+|\S+ to \S+)", "be {1} {0}s", False),
    (rf"(?:the )?(?:total )?number of {_UNIT}s in {WHOLE} {NOT} {_EXCEED} (.+)", "be at most {1} {0}s", False),
    (rf"(?:the )?(?:total )?number of {_UNIT}s in {WHOLE} {MUST} be ({COUNT} .+)", "be {1} {0}s", False),
    (rf"(?:the )?max(?:imum|\.)? (?:total )?length(?: of {WHOLE}| for {WHOLE})?(?: is| {MUST} be|:) (.+)",
     "be at most {}", False),
    (rf"(?:the )?min(?:imum|\.)? (?:total )?length(?: of {WHOLE}| for {WHOLE})?(?: is| {MUST} be|:) (.+)",
     "be at least {}", False),
    (rf"length: ({COUNT} .+)", "be {}", False),
    (rf"the only (?:allowed|valid|permitted|possible|acceptable) {NOUN} are (.+)", "be one of {}", False),
    (r"(?:the )?(?:possible|allowed|valid|permitted) (?:outputs|answers|responses|replies)(?: are)?: (.+)",
     "be one of: {}", False),
    (rf"(?:the )?JSON(?: output| object| response)? {MUST} (?:contain|have|include) (.+)",
     "be a JSON object with {}", False),
    (rf"{WHOLE} {MUST} (?:only )?use (?:only )?(?:the )?(?!cap|upper|lower)([a-z]+)(?: language)?(?: only)?",
     "be in {}", False),
    (rf"{WHOLE} {MUST} use ((?:only )?(?:lower|upper|title)[ -]?case(?: only)?)", "be in {}", False),
    (rf"(?:the )?HTML output {MUST} (.+)", "{}", False),
    (rf"{_LISTED} (?:must|should|may) (?:not|never) {_ABSENT}(?: in {WHOLE})?: (.+)",
     "contain the following words: {}", True),
    (rf"({WORDS}) (?:must|should|may|can) ?(?:not|never) {_ABSENT}(?: in {WHOLE})?", "contain {}", True),
    (rf"(?:the )?(?:use|usage) of (.+?)(?: in {WHOLE})? is (?:forbidden|prohibited|banned|not allowed|not permitted)",
     "contain {}", True),
    (rf"(.+?) (?:is|are) (?:strictly )?(?:forbidden|prohibited|banned|not allowed|not permitted)(?: in {WHOLE})?",
     "contain {}", True),
    (rf"([a-z -]+) (?:must|should|may) (?:not|never) {_ABSENT}(?: in {WHOLE})?", "contain {}", True),
    (rf"({WORDS}) {MUST} (?:appear|occur|be used|be included|be present)(?: somewhere)? in {WHOLE}",
     "contain {}", False),
    (rf"there {MUST} be (.+) (?:in|within|inside|for) {_TAG}", "{1} contain {0}", False),
    (rf"(.+) {MUST} (?:appear|be|be used|be present|occur) (?:in|within|inside)(?: of)? {_TAG}",
     "{1} contain {0}", False),
    (rf"{_TAG} {MUST} (.+)", "{0} {1}", False),
    (rf"there {MUST} be (.+?)(?: in {WHOLE})?", "contain {}", False),
    (rf"there (?:must|should|may) (?:not|never) be (.+?)(?: in {WHOLE})?", "contain {}", True),
    (rf"{WHOLE} (?:must|should) (?:always )?avoid(?: using| the use of)? (.+)", "contain {}", True),
    (rf"{WHOLE} {MUST} (?:be|remain) free (?:of|from) (.+)", "contain {}", True),
    (rf"{WHOLE} {MUST} contain neither (.+)", "contain {}", True),
    (rf"{WHOLE} {NOT} (.+)", "{}", True),
    (rf"{WHOLE} (?:may|can) only (.+)", "only {}", False),
    (rf"the (?:very )?(last|first) character(?: of {WHOLE})? {MUST} be (an? [a-z ]+)", "{0} with {1}", False),
    (rf"(?:the|your) (?:very )?(?:last|final) sentence(?: of {WHOLE})? {MUST} be a question",
     "end with a question", False),
    (r"(?:all (?:of the )?(?:output |response )?(?:text|letters|words|characters)|every (?:word|letter)) "
     rf"{MUST} be (?:written )?(?:in )?((?:all )?(?:lower|upper)[ -]?case|capitals|capital letters)",
     "be in {}", False),
    (rf"{WHOLE} {MUST} (.+)", "{}", False),
    (rf"(?!(?:the|this) (?:text|message|e-?mail|tweet|story|essay)\b){WHOLE} "
     r"((?:is|are|has|have|contains?|consists? of|starts?|begins?|ends?|always|never|uses?|includes?) .+)",
     "{}", False),
)  # fmt: skip
"""A pattern, what it says in the verbs of a clause, and whether that is forbidden."""


_OWN = (
    rf"(?:(?:a|an|the|your|your final|every|all|all your) )?(?:entire |whole |full )?"
    rf"(?:{ONE}|{MANY}|summary|explanation)"
)
"""What is written; a text or a message may be the input."""
_ONLY = r"(?: only| exclusively| entirely| solely| strictly| just| always)?"
_TO = r"(?: (?:to )?(?:the |all |every )?(?:users?|customers?))?"
_SPEAK = rf"(?:answer|respond|reply|write|speak){_TO}{_ONLY}"
_EVERY = rf"(?:(?:every|each) (?:reply|response|message|e-?mail)|every answer|{WHOLE})"
"""In a conversation each reply is the whole of one output."""
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
"""All that the prompt gets as input; a part of it may be marked in place."""

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
"""All that the prompt gets as input: what is made of it is the output."""
_NAME = r"(?-i:[A-Z])[\w&'’.-]*"
_NAMES = rf"{_NAME}(?: {_NAME})?"

ORDER_FRAMES: tuple[tuple[str, str, bool], ...] = (
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
    (rf"say ({LITERAL_MARK}\d+{LITERAL_MARK}) at the end(?: of {_EVERY})?", "end with {}", False),
    (rf"say ({LITERAL_MARK}\d+{LITERAL_MARK}) at the (?:start|beginning)(?: of {_EVERY})?",
     "start with {}", False),
    (rf"(?:start|begin|open) {_EVERY} with:? (.+)", "start with {}", False),
    (rf"(?:end|finish|close|sign|sign off|conclude) {_EVERY} with:? (.+)", "end with {}", False),
    (rf"(?:limit|restrict|cap) {_EVERY} (?:to|at) (.+)", "be at most {}", False),
    (rf"keep {_EVERY} ((?:under|below|shorter than|no longer than|at most) .+)", "be {}", False),
    (r"(?:word|character|sentence|length|size) limit(?: is|:) (.+)", "be at most {}", False),
    (rf"(?:answer|respond|reply){_ASKED}{_BRIEFLY},? (?:in|with|using) ({COUNT} .+|\d.+)", "be in {}", False),
    (rf"(?:answer|respond|reply){_ASKED}{_ONLY} (in [a-z]+)", "be {}", False),
    (rf"(?:answer|respond|reply){_BRIEFLY},? (?:in|with|using) ({COUNT} .+|\d.+)", "be in {}", False),
    (rf"{_REWORK} {_SUBJECT}{_BRIEFLY},? (?:in|with|using|as) ({COUNT} .+|\d.+|an? single .+)", "be in {}", False),
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
    (rf"(?:only )?{_GIVE} (?!{LITERAL_MARK}|\S+ words(?! or))(.+)", "be {}", False),
    (rf"(?:{_GIVE}|say) (?:only|just|exactly|nothing but) (.+)", "be {}", False),
    (rf"(?:{_GIVE}|{_SHAPE}) {_OWN} (?:only |entirely |exclusively )?((?:in|as) .+)", "be {}", False),
    (rf"(?:{_GIVE}|put) (?:everything|{_OWN}) ((?:in|on) .+)", "be {}", False),
    (rf"{_GIVE} {_OWN} (?:of|in|with|using) (?:length )?({COUNT} .+)", "be {}", False),
    (rf"{_GIVE} {_OWN} (?:with|containing|using) ({COUNT} .+)", "contain {}", False),
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
"""Words before an order that are removed, one after the other."""
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
"""Words for brevity beside a bound, which gives the exact limit."""
_BOUND = re.compile(
    rf"\b(?:{COUNT}|\d+) .*\b(?:words?|sentences?|characters?|bullet points?|paragraphs?|lines?)\b", re.IGNORECASE
)
_ADJECTIVE = re.compile(
    r"\b(one|two|three|four|five|single|\d+) (?:short|brief|concise) (?=(?:word|sentence|paragraph|bullet|line))",
    re.IGNORECASE,
)
"""Adjectives of what is counted: one short paragraph is one."""


def order_demand(text: str) -> str:
    """A sentence without words that only mark it as an order, such as `You must` or `Make sure that`."""
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


_COMPILED = tuple(
    (re.compile(pattern, re.IGNORECASE), frame, negated) for pattern, frame, negated in SENTENCE_FRAMES + ORDER_FRAMES
)

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
_ALWAYS_VERB = re.compile(r"^(?:always|strictly|only ever) ", re.IGNORECASE)
_NEGATION = re.compile(r"(?:not|never) (.+)", re.IGNORECASE)
_OR = re.compile(r",? (?:or|and) |, ")
_USING = re.compile(r"^(?:using |any )")
_BOUND_OF_CLAUSE = re.compile(rf"(?:{AT_MOST}|{AT_LEAST}|{FEWER}|{MORE}) (?={BARE.pattern})", re.IGNORECASE)
_CHARACTERS = re.compile(
    r"\b(?:digits?|numbers?|numerals?|letters?|punctuation|symbols?|spaces|(?:lower|upper)[ -]?case|capitals|caps)"
    r"(?: only)?$",
    re.IGNORECASE,
)
"""Kinds of characters that a whole text may consist of."""
_SPLITS = 6
"""Places of an `and` that are tried."""


def demands_of(sentence: Sentence) -> Iterator[Clause]:
    """What a sentence (the rule, or one of its sentences) demands of the whole output, as one clause for each reading.

    Nothing where it is about something else, or says no `must`.
    """
    text = order_demand(sentence.text)
    for pattern, frame, negated in _COMPILED:
        found = pattern.fullmatch(text)
        if found is not None and (clause := _clause(frame.format(*found.groups()), sentence.literals, negated)):
            yield clause


def clause_halves(clause: Clause) -> Iterator[tuple[Clause, Clause]]:
    """The ways to read a clause as two demands that are joined by `and`."""
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
    """The second demand, with the verb and the bound of the first.

    None where it is not clear what the second one demands: `two sentences and 50 words`, `in lowercase and digits`,
    `"a" and "b" or "c"`.
    """
    verb, _, rest = left.partition(" ")
    bound = _BOUND_OF_CLAUSE.match(rest)
    if bound is not None and BARE.match(right):
        return _clause(f"{verb} {bound[0]}{right}", literals, False)
    if BARE.match(right) or " or " in right or (_CHARACTERS.search(left) and _CHARACTERS.search(right)):
        return None
    return _clause(f"{verb} {right}", literals, False)


def _neither(clause: Clause) -> Iterator[tuple[Clause, Clause]]:
    """What is forbidden of two things joined by `or`, `and` or a comma is forbidden of each.

    Nothing where a bound stands before them, which may apply to both.
    """
    if _BOUND_OF_CLAUSE.search(clause.said):
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
        # "Not always" forbids nothing.
        said = _ALWAYS_VERB.sub("", said)
    for pattern, verb in _CANONICAL:
        if (found := pattern.match(said)) is not None:
            said = verb + said[found.end() :]
    if not said.startswith(("be ", "contain ", "start with ", "end with ", "each ")):
        return None
    return Clause(said, literals, negated)
