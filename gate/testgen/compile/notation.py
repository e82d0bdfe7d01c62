"""How the output is written: capitals, digits, numbers, dates, and without Markdown, HTML or emoji."""

import re

from gate.testgen.compile.check import Checks, searched
from gate.testgen.compile.clause import Clause
from gate.testgen.compile.numbers import number
from gate.testgen.compile.signs import ADDRESS, APOLOGY, CODE_BLOCK, EMOJI, HTML, MARKDOWN, MARKUP, NUMBER, date

_ALL = r"(?:entirely |all |only |completely |fully )?"
_LETTERS = r"(?: ?text| ?characters)?(?: only)?"
_SMALL = (
    "a|an|the|and|but|or|nor|for|so|yet|as|at|by|in|of|off|on|per|to|up|via|with|from|into|onto|over|than|that|upon|"
    "about|after|before|between|through|without|within|under|down|near|vs|v"
)
"""Words that titles may leave in small letters, for one style or another."""
_BEING: tuple[tuple[str, str, str], ...] = (
    (rf"be {_ALL}(?:in )?{_ALL}(?:uppercase|upper case|upper-case|all caps|caps|capitals){_LETTERS}|"
     rf"be {_ALL}in {_ALL}(?:uppercase|upper case|upper-case|capital) letters",
     r"\A\P{Ll}*+\Z", "no small letters"),
    (rf"be {_ALL}(?:in )?{_ALL}(?:lowercase|lower case|lower-case){_LETTERS}|"
     rf"be {_ALL}in {_ALL}(?:lowercase|lower case|lower-case|small) letters", r"\A\P{Lu}*+\Z", "no capitals"),
    (rf"be {_ALL}in {_ALL}title[ -]case(?: only)?",
     rf"\A(?!\P{{L}}*+\p{{Ll}}++(?!\p{{Lu}}))(?![\s\S]*?(?<![\w'’-])(?!(?:{_SMALL})(?![\w'’-]))\p{{Ll}}++(?![\w./@-]))"
     r"(?=\P{Ll}{0,4}+\Z|[\s\S]*?\p{Ll})", "capitals at the start of words"),
    (r"be (?:wrapped |enclosed |placed |put )?in(?:side)? "
     r"(?:a (?:Markdown |fenced |single )?code (?:block|fence)|triple backticks)",
     CODE_BLOCK, "a code block"),
    (r"(?:contain|be) only (?:of )?digits|be digits(?: only)?|be numeric only", r"\A\s*+[0-9]++\s*\Z", "only digits"),
    (r"be (?:(?:only |just )?(?:a|one) (?:single )?|only the |just the )"
     r"(?:number|numeric value|numerical value)(?: only| and nothing else)?",
     NUMBER, "one number"),
    (r"be (?:only |just )?(?:an|a|one) (?:single )?(?:integer|whole number)(?: only| and nothing else)?",
     r"\A\s*+[-+]?(?:\d{1,3}(?:,\d{3})++|\d++)\s*\Z", "one whole number"),
    (r"be (?:only |just )?(?:a|one) (?:single )?positive (?:integer|whole number)(?: only)?",
     r"\A\s*+\+?0*+[1-9](?:\d{0,2}(?:,\d{3})++|\d*+)\s*\Z", "one whole number above 0"),
    (r"be (?:only |just )?(?:a|one|exactly one) (?:single )?digit(?: only)?", r"\A\s*+[0-9]\s*\Z", "one digit"),
    (r"contain (?:at least (?:a|one)|a|one or more) (?:digit|numeral)s?", r"[0-9]", "a digit"),
    (r"contain (?:at least (?:an|one)|an|one or more) emojis?", EMOJI, "an emoji"),
    (r"contain (?:at least (?:a|one)|a|one or more) (?:URL|link|hyperlink|web address)s?", ADDRESS, "a web address"),
    (r"be (?:only |just )?(?:a|one|exactly one) (?:single )?letter(?: only)?", r"\A\s*+\p{L}\s*\Z", "one letter"),
    (r"be (?:only )?a (?:valid )?date in (?:the |ISO 8601 )?(?:format )?(?:\()?YYYY-MM-DD(?:\))?(?: format)?",
     date("{y}-{m}-{d}"), "a date as YYYY-MM-DD"),
    (r"be (?:only )?a (?:valid )?date in (?:the )?(?:format )?DD/MM/YYYY(?: format)?",
     date("{d}/{m}/{y}"), "a date as DD/MM/YYYY"),
    (r"be (?:only )?a (?:valid )?date in (?:the )?(?:format )?MM/DD/YYYY(?: format)?",
     date("{m}/{d}/{y}"), "a date as MM/DD/YYYY"),
)  # fmt: skip
_ABSENT: tuple[tuple[str, str, str], ...] = (
    (r"contain (?:any )?Markdown(?: formatting| syntax| markup| elements)?"
     r"(?: (?:such as|like|including) [a-z, ]+)?|be (?:formatted )?in Markdown",
     MARKDOWN, "no Markdown"),
    (r"contain (?:any |a )?(?:Markdown )?(?:code fences?|code blocks?|triple backticks)|"
     r"be (?:wrapped|enclosed|placed|put) in(?:side)? (?:a |any )?(?:Markdown )?code (?:blocks?|fences?)",
     "```|~~~", "no code fence"),
    (r"contain (?:any )?HTML(?: tags?| markup| elements?)?", HTML, "no HTML tags"),
    (r"contain (?:any |an )?emojis?", EMOJI, "no emoji"),
    (r"contain an apology", APOLOGY, "no apology"),
    (r"contain (?:any )?(?:digits|numerals)", r"\d", "no digits"),
    (r"contain (?:any )?(?:uppercase|capital) letters", r"\p{Lu}", "no capitals"),
    (r"contain (?:any )?(?:lowercase|small) letters", r"\p{Ll}", "no small letters"),
    (r"contain (?:any )?(?:blank|empty) lines?", r"\S[^\S\n]*+\n[^\S\n]*+\n\s*+\S", "no empty lines"),
    (r"contain (?:any )?(?:bullet points?|bullets|bulleted lists?)",
     r"^[^\S\n]*+[-*+•‣–][^\S\n]++\S", "no bullet points"),
    (r"contain (?:any )?(?:Markdown )?(?:headings|headers)", r"^[^\S\n]{0,3}#{1,6}[^\S\n]", "no headings"),
    (r"contain (?:any )?(?:lists|list items)", r"^[^\S\n]*+(?:[-*+•‣–]|\d{1,4}[.)])[^\S\n]++\S", "no list items"),
    (r"contain (?:any )?(?:spaces|blanks)", r"\S[^\S\n]+\S", "no blanks"),
    (r"contain (?:any )?(?:whitespace|white space)", r"\S\s+\S", "no white space"),
    (r"contain (?:any )?punctuation(?: marks)?", r"\p{P}", "no punctuation"),
    (r"contain (?:any )?non-ASCII characters", r"[^\x00-\x7f]", "no characters beyond ASCII"),
    (r"contain (?:any )?(?:URLs|links|hyperlinks|web addresses)", ADDRESS, "no web addresses"),
)  # fmt: skip
_RANGE = re.compile(
    r"be (?:only )?(?:a |an )?(?:single )?(?P<of>integer|whole number|number) (?:between|from|in the range(?: of)?) "
    r"(\S{1,5}) (?:and|to) (\S{1,5})(?:,? ?\(?inclusive\)?)?",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"be (?:only )?(?:in |written in )?(?:only )?plain text(?: only)?", re.IGNORECASE)
_WIDEST = 200
"""Numbers in a range that become a pattern."""
_COMPILED = tuple((re.compile(said, re.IGNORECASE), pattern, told) for said, pattern, told in _BEING)
_COMPILED_ABSENT = tuple((re.compile(said, re.IGNORECASE), pattern, told) for said, pattern, told in _ABSENT)


def notation(clause: Clause) -> Checks:
    """In lowercase, only digits, a whole number between 1 and 10, no Markdown."""
    for said, pattern, told in _COMPILED_ABSENT if clause.negated else _COMPILED:
        if said.fullmatch(clause.said):
            return searched(pattern, told, negate=clause.negated)
    if not clause.negated and _PLAIN.fullmatch(clause.said):
        return searched(f"{MARKUP}|{HTML}", "no Markdown, no HTML tags", negate=True)
    found = _RANGE.fullmatch(clause.said)
    if found is None or clause.negated:
        return ()
    low, high = number(found[2]), number(found[3])
    if low is None or high is None or not 0 < high - low <= _WIDEST:
        return ()
    whole = found["of"].lower() != "number"
    numbers = "|".join(map(str, range(low, high + whole)))
    if not whole and low == 0:
        numbers += r"|(?=\.\d)"
    part = "" if whole else rf"(?:\.\d++)?|{high}(?:\.0++)?"
    told = f"a {'whole ' if whole else ''}number from {low} to {high}"
    return searched(rf"\A\s*+(?:(?:{numbers}){part})\s*\Z", told)
