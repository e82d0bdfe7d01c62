"""German orders in English, so that one engine reads both: a table of patterns, and nothing that judges."""

import re
from collections.abc import Mapping

_LANGUAGES: Mapping[str, str] = {
    "deutsch": "German",
    "englisch": "English",
    "französisch": "French",
    "spanisch": "Spanish",
    "italienisch": "Italian",
    "niederländisch": "Dutch",
    "polnisch": "Polish",
    "portugiesisch": "Portuguese",
    "türkisch": "Turkish",
}
_NUMBERS: Mapping[str, str] = {
    "einem": "1",
    "einen": "1",
    "ein": "1",
    "zwei": "2",
    "drei": "3",
    "vier": "4",
    "fünf": "5",
    "sechs": "6",
    "sieben": "7",
    "acht": "8",
    "neun": "9",
    "zehn": "10",
}
_UNITS: Mapping[str, str] = {
    "wort": "word",
    "wörter": "words",
    "worte": "words",
    "wörtern": "words",
    "worten": "words",
    "satz": "sentence",
    "sätze": "sentences",
    "sätzen": "sentences",
    "zeichen": "characters",
    "stichpunkt": "bullet point",
    "stichpunkte": "bullet points",
    "stichpunkten": "bullet points",
    "aufzählungspunkte": "bullet points",
}
_MARKS: Mapping[str, str] = {
    "emojis": "emojis",
    "emoji": "emojis",
    "markdown": "Markdown",
    "html": "HTML",
    "ausrufezeichen": "exclamation marks",
    "links": "links",
}
_WORDS = {**_LANGUAGES, **_NUMBERS, **_UNITS, **_MARKS}
_ONLY = r"(?: (?:immer|stets|bitte|nur|ausschließlich))*"
_LANGUAGE = f"(?P<a>{'|'.join(_LANGUAGES)})"
_NUMBER = rf"(?P<a>\d{{1,6}}|{'|'.join(_NUMBERS)})"
_UNIT = f"(?P<b>{'|'.join(_UNITS)})(?: (?:lang|inklusive leerzeichen))?"
_MARK = f"(?P<a>{'|'.join(_MARKS)})"
_MOST = r"(?:höchstens|maximal|max\.|nicht mehr als)"
_USE = r"(?:verwende|benutze|nutze|schreibe|setze)(?: bitte)?(?: niemals| nie)?"
_ANSWER = (
    rf"(?:(?:antworte|schreibe|formuliere)(?: dem (?:kunden|nutzer))?{_ONLY}(?: deine antworte?n?)?|"
    rf"beantworte (?:die|jede) (?:frage|anfrage)(?: des (?:kunden|nutzers))?{_ONLY}|"
    rf"fasse den (?:text|artikel){_ONLY})"
)

_ORDERS: tuple[tuple[str, str], ...] = (
    (rf"{_ANSWER} auf {_LANGUAGE}", "Answer in {a}"),
    (rf"alle antworten müssen auf {_LANGUAGE} sein", "Answer in {a}"),
    (rf"{_ANSWER} (?:in|mit) {_MOST} {_NUMBER} {_UNIT}(?: zusammen)?", "Answer in at most {a} {b}"),
    (rf"(?:{_USE} )?{_MOST} {_NUMBER} {_UNIT}", "At most {a} {b}"),
    (rf"(?:{_USE} )?kein(?:e|en)? {_MARK}", "Do not use {a}"),
    (rf"{_ANSWER} ohne {_MARK}", "Do not use {a}"),
    (r"(?:gib|antworte|liefere)(?: immer| bitte)?(?: als| mit| in)? (?:nur|ausschließlich)(?: als| mit| in)? "
     r"(?:gültiges |valides )?json(?: zurück| aus)?", "Return only valid JSON"),
    (r"(?:gib|antworte|liefere)(?: immer| bitte)?(?: als| mit| in)? (?:gültiges |valides )?json(?: zurück| aus)?",
     "Return valid JSON"),
    (r"(?:beende|schließe) (?:deine|jede) antwort(?: immer)? mit einer frage", "End with a question"),
)  # fmt: skip
"""A whole sentence, and what it is in English; a condition or a part leaves it unread."""
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), english) for pattern, english in _ORDERS)


def in_english(text: str) -> str:
    """The sentence in English where it is a German order of the table, else as it is.

    Args:
        text: a sentence without its quotations.
    """
    for pattern, english in _COMPILED:
        if (found := pattern.fullmatch(text)) is not None:
            return english.format(**{name: _WORDS.get(said.lower(), said) for name, said in found.groupdict().items()})
    return text
