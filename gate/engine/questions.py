"""Does an answer look as if it ends with a question? For a count in reports; no score rests on it."""

import re

from gate.scoring.validators.asks import question
from gate.scoring.validators.language import sentences

_TAIL = 2_000
"""Characters of the end that are read."""
_SENTENCES = 2
"""At the end, one of which asks: a question may be followed by a closing word."""
_MARKS = re.compile(r"[?？؟\u037e՞፧⁇⁈⁉‽꘏]")
_GREEK_MARK = re.compile(r"[Ͱ-Ͽἀ-῾];\W*$")
_PARTICLES = re.compile(
    r"(?:か|吗|嗎|呢|么|哪一?[个個家间間]|ไหม|มั้ย|หรือไม่|หรือเปล่า|ไหน|อะไร|เท่าไร|เท่าไหร่|เมื่อไร|เมื่อไหร่|까요|나요|가요|니까|ບໍ່?|လား|လဲ)"
    r"\s*(?:ครับ|คะ|ค่ะ)?\W*$"
)
"""Words at the end of a question in languages that may leave out the mark."""
_PLEASE = re.compile(
    r"\b(?:bitte|veuillez|merci de|por favor|per favore|per cortesia|mi dica|alstublieft|alsjeblieft|graag|proszę|"
    r"lütfen|пожалуйста|будь ласка|vui lòng|xin|παρακαλώ|vänligen|snälla|venligst|vennligst|tolong|mohon)\b"
    r"|ください|下さい|[请請](?!问题)|주세요|주십시오|กรุณา|โปรด|يرجى|من فضلك|कृपया",
    re.IGNORECASE,
)
"""Words with which other languages than English ask for something."""
_NO_REQUEST = re.compile(r"\b(?:beachten|noter|nota|notare|let op|bilin)\b|ご了承|注意|참고", re.IGNORECASE)


def ends_asking(answer: str) -> bool:
    """Does one of the last sentences of an answer ask, by a mark or in the form of a question or request?"""
    return any(map(_asks, sentences(answer.strip()[-_TAIL:])[-_SENTENCES:]))


def _asks(sentence: str) -> bool:
    if _MARKS.search(sentence) or _GREEK_MARK.search(sentence) or _PARTICLES.search(sentence):
        return True
    return bool(question(sentence)) or (_PLEASE.search(sentence) is not None and not _NO_REQUEST.search(sentence))
