"""Who or what a sentence is about: the output as a whole, and nothing that is a part of it."""

from gate.testgen.compile.text import LITERAL

ONE, MANY = "(?:output|response|answer|reply|result|completion)", "(?:outputs|responses|answers|replies|completions)"
NOUN = f"(?:{ONE}|{MANY})"
_KIND = r"(?:generated |produced |returned |resulting |assistant's |model's |entire |whole |overall |complete |full )"
PRODUCT = (
    r"(?:summary|message|text|description|explanation|translation|paraphrase|rewrite|rewritten (?:text|version)|"
    r"e-?mail|tweet|caption|blurb|poem|story|essay)"
)
"""What some prompts call their whole output; where the output has parts, the same word may name one of them."""
WHOLE = (
    rf"(?:(?:the |your )?{_KIND}?{ONE}(?: text)?|(?:all |your |all your |all of your )?{_KIND}?{MANY}|all output|"
    rf"(?:each|every) (?:of your )?{_KIND}?(?:output|response)|(?:the )?(?:generated|output|response) text|"
    rf"(?:the |your )?final (?:output|response|reply)|(?:the|your|this) {_KIND}?{PRODUCT}|it|"
    r"everything(?: (?:that )?you (?:write|say|output))?)"
)
"""The output as a whole, and nothing that is a part of it."""
MUST = (
    r"(?:(?:must|should|shall|has to|have to|needs? to|ought to|will|is to|are to|(?:is|are) required to)(?: always)?)"
)
NOT = (
    r"(?:(?:must|should|shall|may|can|will) ?(?:not|never)(?: ever)?|never|does not|do not|cannot|is not to|are not to|"
    r"(?:must|should|does|do|ca|wo)n't|(?:is|are) (?:not|never) (?:allowed |permitted )?to)"
)
WORDS = (
    r"(?:the )?(?:exact )?(?:words?|terms?|phrases?|strings?|symbols?|characters?|expressions?) "
    rf"{LITERAL}(?:(?:,|,? (?:and|or)) {LITERAL}){{0,49}}|{LITERAL}"
)
"""Quotations, named as words or not."""
MORE = (
    r"(?:at most|at least|at the most|at the least|no more than|no fewer than|no less than|not more than|"
    r"no longer than|no shorter than|fewer than|less than|more than|up to|under|below|over|exactly|precisely|between|"
    r"from|max(?:imum|\.)?|min(?:imum|\.)?|a (?:maximum|minimum)|only|a single|one|two|three|four|five)"
)
"""How a phrase begins that says how many."""
