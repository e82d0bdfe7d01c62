"""The output is in a language."""

import re
from collections.abc import Mapping

from gate.testgen.compile.check import Check, Checks
from gate.testgen.compile.clause import Clause

CODES: Mapping[str, str] = dict(
    pair.split(":")
    for pair in (
        "afrikaans:af albanian:sq arabic:ar armenian:hy azerbaijani:az basque:eu belarusian:be bengali:bn bosnian:bs "
        "bulgarian:bg catalan:ca chinese:zh croatian:hr czech:cs danish:da dutch:nl english:en esperanto:eo "
        "estonian:et finnish:fi french:fr galician:gl georgian:ka german:de greek:el gujarati:gu hebrew:he hindi:hi "
        "hungarian:hu icelandic:is indonesian:id irish:ga italian:it japanese:ja kannada:kn kazakh:kk korean:ko "
        "latin:la latvian:lv "
        "lithuanian:lt macedonian:mk malay:ms malayalam:ml marathi:mr mongolian:mn nepali:ne norwegian:no persian:fa "
        "polish:pl portuguese:pt punjabi:pa romanian:ro russian:ru serbian:sr slovak:sk slovenian:sl spanish:es "
        "swahili:sw swedish:sv tagalog:tl tamil:ta telugu:te thai:th turkish:tr ukrainian:uk urdu:ur vietnamese:vi "
        "welsh:cy"
    ).split()
)
"""English names of languages; kinds of one language, such as British English, are left to a judge."""
_ONLY = r"(?:only |entirely |exclusively |fully |completely |solely )?"
_NAME = "[a-z]{4,20}"
_IN = re.compile(
    rf"(?:be {_ONLY}(?:written |expressed )?{_ONLY}in (?:the )?(?P<within>{_NAME})(?: language)?|"
    rf"contain only (?P<only>{_NAME})(?: text)?|be {_ONLY}(?P<text>{_NAME}) text)"
    r"(?: only|,? not (?:in )?(?:another|any other) language)?"
    r"(?:,? (?:regardless of|no matter|whatever) [a-z' ]*language[a-z' ]*|"
    r",? even (?:if|when) [a-z' ]+ (?:in|uses|speaks) (?:another|a different|any other) language)?",
    re.IGNORECASE,
)


def language(clause: Clause) -> Checks:
    """In German; the detector cannot tell what is in no German, so that is left to a judge."""
    found = _IN.fullmatch(clause.said)
    if found is None or clause.negated:
        return ()
    name = next(filter(None, found.groups())).lower()
    return (Check("language", f"in {name.title()}", {"is": CODES[name]}),) if name in CODES else ()
