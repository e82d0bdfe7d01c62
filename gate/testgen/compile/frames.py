"""Sentences about the output, such as `The output must …`, each with the demand that it makes."""

from gate.testgen.compile.subjects import MORE, MUST, NOT, NOUN, WHOLE, WORDS

_LISTED = r"(?:the following|these) (?:words?|terms?|phrases?|strings?|symbols?|characters?)"
_ABSENT = r"(?:appear|occur|be used|be included|be present|be mentioned)(?: anywhere)?"
_UNIT = r"(word|sentence|character|line|paragraph)"
_EXCEED = r"(?:exceed|surpass|go (?:over|above|beyond)|be (?:more|greater|longer|higher|larger) than|be over|be above)"
_TAG = r"((?:each|every) <[a-z][a-z0-9]{0,19}> (?:tag|element))"

FRAMES: tuple[tuple[str, str, bool], ...] = (
    (rf"(?:the )?(?:output |response )?language(?: of {WHOLE})? {MUST} be (.+)", "be in {}", False),
    (rf"the language of {WHOLE} {MUST} be (.+)", "be in {}", False),
    (rf"(?:the |its )?(?:total )?length(?: of {WHOLE})? {NOT} {_EXCEED} (.+)", "be at most {}", False),
    (rf"(?:the |its )?(?:total )?length(?: of {WHOLE})? {MUST} be (.+)", "be {}", False),
    (rf"(?:the )?(?:total )?{_UNIT} count(?: of {WHOLE})? {NOT} {_EXCEED} (.+)", "be at most {1} {0}s", False),
    (rf"(?:the )?(?:total )?{_UNIT} count(?: of {WHOLE})? {MUST} be ({MORE} .+|\S+ to \S+)", "be {1} {0}s", False),
    (rf"(?:the )?(?:total )?number of {_UNIT}s in {WHOLE} {NOT} {_EXCEED} (.+)", "be at most {1} {0}s", False),
    (rf"(?:the )?(?:total )?number of {_UNIT}s in {WHOLE} {MUST} be ({MORE} .+)", "be {1} {0}s", False),
    (rf"(?:the )?max(?:imum|\.)? (?:total )?length(?: of {WHOLE}| for {WHOLE})?(?: is| {MUST} be|:) (.+)",
     "be at most {}", False),
    (rf"(?:the )?min(?:imum|\.)? (?:total )?length(?: of {WHOLE}| for {WHOLE})?(?: is| {MUST} be|:) (.+)",
     "be at least {}", False),
    (rf"length: ({MORE} .+)", "be {}", False),
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
