"""Demands on the form of the output: JSON, capitals, digits, dates, no Markdown, and its language."""

import json
import re
from collections.abc import Mapping

from gate.testgen.rules.sentences import (
    LITERAL,
    Check,
    Checks,
    Clause,
    listed_items,
    pattern_check,
    quoted_items,
    quoted_text,
    read_number,
    read_quantity,
)
from gate.values import JsonValue

MARKDOWN = (
    r"```|~~~|^[^\S\n]{0,3}(?:#{1,6}[^\S\n]|>[^\S\n]|[-*+][^\S\n]++\S)|(?<![\w*])\*\*[^\s*]|"
    r"(?<!\w)__[^\s_]++[^\S\n][^_\n]*+__(?!\w)|(?<!\w)__[A-Z]|(?<![\w_])_[^\s_][^_\n]*+_(?![\w_])|"
    r"`[^`\n]++`|\[[^\[\]\n]++\]\([^()\n]++\)|(?<![\w*])\*[^\s*][^*\n]*+\*(?!\w)|^[^\S\n]*+\|[^\n]*\|[^\S\n]*$"
)
"""`2**3` is no match, nor is a name such as `__init__`."""
MARKUP = r"```|~~~|^[^\S\n]{0,3}#{1,6}[^\S\n]|(?<![\w*])\*\*[^\s*]|\[[^\[\]\n]++\]\([^()\n]++\)"
"""Markdown that no plain text holds; dashes before items may be plain text."""
_ELEMENTS = (
    "a|abbr|address|article|aside|audio|b|blockquote|body|br|button|caption|center|cite|code|dd|del|details|div|dl|dt|"
    "em|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|"
    "link|main|mark|meta|nav|object|ol|option|p|pre|q|s|samp|script|section|select|small|span|strong|style|sub|"
    "summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|title|tr|u|ul|video"
)
HTML = rf"(?i:</?(?:{_ELEMENTS})(?:\s++[\w:-]++\s*+=[^<>]*+)?\s*+/?>)"
"""Tags of elements by their names: `List<String>` is no match."""
ADDRESS = (
    r"https?://|www\.\w|\[[^\[\]\n]++\]\([^()\s]++\)|(?<![\w@.-])(?:[a-z0-9-]++\.)++(?:com|org|net|edu|gov)(?![\w-])"
)
EMOJI = "[\\p{Emoji_Presentation}\U0001f000-\U0001faff]|\\p{Emoji}\ufe0f|(?=\\p{Emoji})[\u2600-\u26ff\u2763\u2764]"
APOLOGY = (
    r"(?i:\b(?:I|we)(?:['’](?:m|re)| am| are)(?: (?:so|very|truly|really|terribly|deeply)){0,2} sorry\b|\A\W*+sorry\b|"
    r"\bsorry (?:about|for|to hear|that|if)\b|"
    r"\b(?:I|we)(?: (?:do|must|sincerely|deeply|truly|really)){0,2} apologi[sz]e\b|"
    r"\b(?:my|our)(?: (?:sincere|deepest|sincerest))? apologies\b|\bapologies (?:for|that)\b)"
)
"""An apology; "no need to apologise" is no match."""
NUMBER = (
    r"\A\s*+[-+−]?(?:\d{1,3}(?:,\d{3})++|\d{1,3}(?:[ \u00a0\u202f]\d{3})++|\d++)?"
    r"(?:(?<=\d)|(?=\.\d))(?:\.\d++)?(?:[eE][-+]?\d++)?\s*\Z"
)
_LEAP = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DAYS_31, _DAYS_30 = r"(?:0[1-9]|[12]\d|3[01])", r"(?:0[1-9]|[12]\d|30)"
_MONTHS_31, _MONTHS_30, _DAYS_28 = r"(?:0[13578]|1[02])", r"(?:0[469]|11)", r"(?:0[1-9]|1\d|2[0-8])"
CODE_BLOCK = r"\A\s*+(`{3,}+|~{3,}+)[^\n`]*+\n(?:(?![^\S\n]*+\1)[^\n]*+\n)*+[^\S\n]*+\1\s*\Z|\A\s*+```[^`\n]++```\s*\Z"
"""One block, and nothing around it."""


def date_pattern(form: str) -> str:
    """A pattern for a valid day; `form` has `{y}`, `{m}` and `{d}` for year, month and day."""
    year = r"\d{4}"
    days = (
        (year, _MONTHS_31, _DAYS_31),
        (year, _MONTHS_30, _DAYS_30),
        (year, "02", _DAYS_28),
        (_LEAP, "02", "29"),
    )
    return rf"\A\s*+(?:{'|'.join(form.format(y=y, m=m, d=d) for y, m, d in days)})\s*\Z"


_BE = r"be (?:only |exactly |just |solely )?"
_A = (
    r"(?:(?:in|as) )?(?:(?:a|an|one) )?(?:single |one )?"
    r"(?:valid |well-formed |syntactically valid |parse?able |strict )?"
)
_END = r"(?:,? and nothing else| only)?"
_ANY = re.compile(
    rf"{_BE}(?:{_A}JSON(?: format| document| text| string| value)?|parse?able as (?:valid )?JSON){_END}", re.IGNORECASE
)
_BARE = re.compile(rf"{_BE}{_A}JSON (object|array|list|dictionary){_END}", re.IGNORECASE)
_OF = re.compile(
    rf"{_BE}{_A}(?:JSON )?(?:array|(?<=JSON )list) of (strings|numbers|integers|booleans|objects|arrays){_END}",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    rf"{_BE}(?:as )?(?:(?:a|an) )?(?:JSON )?(?:array|list)?(?: of strings)?,? ?"
    rf"(?:formatted as|(?:in|of|with) the (?:format|form)):? "
    rf"(?:(?P<quoted>{LITERAL})|\[(?P<inside>{LITERAL}(?:, ?{LITERAL})*(?:, ?\.\.\.)?)\]){_END}",
    re.IGNORECASE,
)
_WITH = r"(?:with|containing|having|(?:that|which) (?:contains|has|includes)|including)"
_SIZED = re.compile(
    rf"{_BE}{_A}(?:JSON )?(?:array|(?<=JSON )list) (?:of|with|containing) (?P<size>.+?) "
    rf"(?P<of>strings|numbers|integers|booleans|objects|items|elements|entries|values){_END}",
    re.IGNORECASE,
)
_COUNT = r"(?:(?P<many>one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|a single|a|an) )?"
_KEY = r"(?:keys?|fields?|propert(?:y|ies)|attributes?)"
_OBJECT = rf"{_BE}{_A}JSON(?: object)? {_WITH} (?P<only>exactly |only )?(?P<the>the |these )?(?:following |required )?"
_KEYED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_OBJECT}{_COUNT}(?:following |required )?{_KEY}(?P<named> named| called)?(?P<colon>:)? (?P<list>.+?){_END}",
        rf"{_OBJECT}{_COUNT}(?P<list>{LITERAL}.*?) {_KEY}{_END}",
    )
)
_NAME = re.compile(r"[A-Za-z_][\w-]{0,63}")
_QUALITY = re.compile(
    r"(?:case|cased|ful|ical|ized|ised|ered|oted|ated|ented|ly|ive|ble|ent|ise|rt|strings?|numbers?|numeric|english|"
    r"unique|valid|clear|simple|plain)$",
    re.IGNORECASE,
)
"""Endings of words that may describe keys, and name none."""
_TYPES: Mapping[str, str] = {
    "strings": "string",
    "numbers": "number",
    "integers": "integer",
    "booleans": "boolean",
    "objects": "object",
    "arrays": "array",
}


def json_checks(clause: Clause) -> Checks:
    """Valid JSON, a JSON object with the keys …, a JSON array of strings."""
    if clause.negated:
        return ()
    bare = clause.alone == clause.said
    if clause.said == "be JSON and nothing else":
        return (Check("json", "JSON and nothing else", {"fence": False}),)
    if _ANY.fullmatch(clause.alone):
        return (Check("json", "valid JSON", {"fence": bare}),)
    shape = _shape(clause)
    # A fence is text beside the JSON; a schema alone would let it pass.
    return shape if bare or not shape else (Check("json", "JSON and nothing else", {"fence": False}), *shape)


def _shape(clause: Clause) -> Checks:
    if (bare := _BARE.fullmatch(clause.alone)) is not None:
        kind = "object" if bare[1].lower() in ("object", "dictionary") else "array"
        return _schema({"type": kind}, f"a JSON {kind}")
    if (of := _OF.fullmatch(clause.alone)) is not None:
        items: JsonValue = {"type": _TYPES[of[1].lower()]}
        return _schema({"type": "array", "items": items}, f"a JSON array of {of[1].lower()}")
    return _as_shown(clause) or _sized(clause) or _keyed(clause)


def _sized(clause: Clause) -> Checks:
    """An array of so many items, of one type or of any."""
    found = _SIZED.fullmatch(clause.alone)
    size = read_quantity(f"{found['size']} items") if found is not None else None
    if found is None or size is None or size.of != "items":
        return ()
    of = found["of"].lower()
    bounds = {"minItems": size.low, "maxItems": size.high}
    schema: dict[str, JsonValue] = {"type": "array", **{key: many for key, many in bounds.items() if many is not None}}
    if of in _TYPES:
        schema["items"] = {"type": _TYPES[of]}
    return _schema(schema, f"a JSON array, {size.told(of.removesuffix('s') if of != 'entries' else 'item')}")


def _as_shown(clause: Clause) -> Checks:
    """An array as the rule shows one: `["name"]` stands for an array of texts."""
    found = _SHOWN.fullmatch(clause.alone)
    if found is None or not (found["inside"] or _array_of_texts(quoted_text(clause, found["quoted"]))):
        return ()
    return _schema({"type": "array", "items": {"type": "string"}}, "a JSON array of strings")


def _array_of_texts(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _keyed(clause: Clause) -> Checks:
    for pattern in _KEYED:
        found = pattern.fullmatch(clause.alone)
        if found is None:
            continue
        keys = _keys(clause, found.groupdict())
        many = read_number(found["many"]) if found["many"] else None
        if not keys or many not in (None, len(keys)):
            return ()
        schema: dict[str, JsonValue] = {"type": "object", "required": [*keys]}
        if found["only"]:
            schema |= {"properties": {key: {} for key in keys}, "additionalProperties": False}
        return _schema(schema, f"a JSON object with {'only ' if found['only'] else ''}the keys {', '.join(keys)}")
    return ()


def _keys(clause: Clause, groups: Mapping[str, str | None]) -> tuple[str, ...]:
    """The names of the keys; unquoted words may describe keys, unless the rule says `the keys` or `keys:`."""
    text, colon = groups["list"] or "", bool(groups.get("colon"))
    if " or " in text:
        return ()
    keys = quoted_items(clause, text)
    if keys:
        return keys
    sure = bool(groups["the"]) or colon
    plain = listed_items(clause, text, sure=not colon)
    return plain if all(_NAME.fullmatch(key) and (sure or not _QUALITY.search(key)) for key in plain) else ()


def _schema(schema: dict[str, JsonValue], told: str) -> Checks:
    return (Check("json_schema", told, {"schema": schema, "fence": True}),)


_ALL = r"(?:entirely |all |only |completely |fully )?"
_LETTERS = r"(?: ?text| ?characters)?(?: only)?"
_SMALL = (
    "a|an|the|and|but|or|nor|for|so|yet|as|at|by|in|of|off|on|per|to|up|via|with|from|into|onto|over|than|that|upon|"
    "about|after|before|between|through|without|within|under|down|near|vs|v"
)
"""Words that titles may leave in small letters, in one style or another."""
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
     date_pattern("{y}-{m}-{d}"), "a date as YYYY-MM-DD"),
    (r"be (?:only )?a (?:valid )?date in (?:the )?(?:format )?DD/MM/YYYY(?: format)?",
     date_pattern("{d}/{m}/{y}"), "a date as DD/MM/YYYY"),
    (r"be (?:only )?a (?:valid )?date in (?:the )?(?:format )?MM/DD/YYYY(?: format)?",
     date_pattern("{m}/{d}/{y}"), "a date as MM/DD/YYYY"),
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


def notation_checks(clause: Clause) -> Checks:
    """In lowercase, only digits, a whole number between 1 and 10, no Markdown."""
    for said, pattern, told in _COMPILED_ABSENT if clause.negated else _COMPILED:
        if said.fullmatch(clause.said):
            return pattern_check(pattern, told, negate=clause.negated)
    if not clause.negated and _PLAIN.fullmatch(clause.said):
        return pattern_check(f"{MARKUP}|{HTML}", "no Markdown, no HTML tags", negate=True)
    found = _RANGE.fullmatch(clause.said)
    if found is None or clause.negated:
        return ()
    low, high = read_number(found[2]), read_number(found[3])
    if low is None or high is None or not 0 < high - low <= _WIDEST:
        return ()
    whole = found["of"].lower() != "number"
    numbers = "|".join(map(str, range(low, high + whole)))
    if not whole and low == 0:
        numbers += r"|(?=\.\d)"
    part = "" if whole else rf"(?:\.\d++)?|{high}(?:\.0++)?"
    told = f"a {'whole ' if whole else ''}number from {low} to {high}"
    return pattern_check(rf"\A\s*+(?:(?:{numbers}){part})\s*\Z", told)


LANGUAGE_CODES: Mapping[str, str] = dict(
    re.findall(
        r"(\w+):(\w+)",
        "afrikaans:af albanian:sq arabic:ar armenian:hy azerbaijani:az basque:eu belarusian:be bengali:bn bosnian:bs "
        "bulgarian:bg catalan:ca chinese:zh croatian:hr czech:cs danish:da dutch:nl english:en esperanto:eo "
        "estonian:et finnish:fi french:fr galician:gl georgian:ka german:de greek:el gujarati:gu hebrew:he hindi:hi "
        "hungarian:hu icelandic:is indonesian:id irish:ga italian:it japanese:ja kannada:kn kazakh:kk korean:ko "
        "latin:la latvian:lv "
        "lithuanian:lt macedonian:mk malay:ms malayalam:ml marathi:mr mongolian:mn nepali:ne norwegian:no persian:fa "
        "polish:pl portuguese:pt punjabi:pa romanian:ro russian:ru serbian:sr slovak:sk slovenian:sl spanish:es "
        "swahili:sw swedish:sv tagalog:tl tamil:ta telugu:te thai:th turkish:tr ukrainian:uk urdu:ur vietnamese:vi "
        "welsh:cy",
    )
)
"""English names of languages; kinds of one language, such as British English, are left to a judge."""
_ONLY = r"(?:only |entirely |exclusively |fully |completely |solely )?"
_LANGUAGE_NAME = "[a-z]{4,20}"
_IN = re.compile(
    rf"(?:be {_ONLY}(?:written |expressed )?{_ONLY}in (?:the )?(?P<within>{_LANGUAGE_NAME})(?: language)?|"
    rf"contain only (?P<only>{_LANGUAGE_NAME})(?: text)?|be {_ONLY}(?P<text>{_LANGUAGE_NAME}) text)"
    r"(?: only|,? not (?:in )?(?:another|any other) language)?"
    r"(?:,? (?:regardless of|no matter|whatever) [a-z' ]*language[a-z' ]*|"
    r",? even (?:if|when) [a-z' ]+ (?:in|uses|speaks) (?:another|a different|any other) language)?",
    re.IGNORECASE,
)


def language_checks(clause: Clause) -> Checks:
    """In German. "Not in German" is left to a judge, since the detector cannot tell."""
    found = _IN.fullmatch(clause.said)
    if found is None or clause.negated:
        return ()
    name = next(filter(None, found.groups())).lower()
    return (Check("language", f"in {name.title()}", {"is": LANGUAGE_CODES[name]}),) if name in LANGUAGE_CODES else ()
