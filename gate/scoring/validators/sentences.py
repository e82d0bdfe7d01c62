"""Takes an answer apart into sentences, by rules.

A sentence ends at `.`, `!`, `?` or `…` before a blank, at a full stop of another script (`。` `！` `？` `।` `؟` `۔`)
anywhere, at an empty line and before an item of a list. No end is a point inside a number (`3.5`) or an address, behind
an abbreviation (`e.g.`, `Dr.`, `z. B.`), an initial (`J. Smith`) or an ordinal (`3. Mai`), and an ellipsis or a closed
quotation that goes on in small letters. What holds no letter and no digit is no sentence.
"""

import re

from gate.scoring.validators.words import opening

_CLOSERS = "\"'”’»›)\\]}*_`」』】）"
_FOREIGN = "。！？｡।॥؟۔።፧"
_END = re.compile(rf"[.!?…{_FOREIGN}]+[{_CLOSERS}]*")
_ITEM = re.compile(r"(?m)^[ \t]*(?:[-*•+–]|#{1,6}|\(?[0-9]{1,3}[.)])[ \t]+")
_BREAK = re.compile(r"\n[ \t\r]*\n|\u2029|\x00")
_BEFORE = re.compile(r"[^\s(\[\"“„«'’/—–]*\Z")
_AFTER = re.compile(r"\s*[\"“„«‘'(\[*_¿¡]*")

_NEVER_LAST = frozenset(
    (
        "mr mrs ms mx dr prof rev hon st sgt capt lt col gen gov sen rep pres e.g i.e eg ie cf vs approx ca incl excl "
        "esp fig figs vol ed eds dept est tel ext viz al "
        "z.b zb d.h u.a z.t z b d h bzw evtl ggf inkl exkl hr fr frl str nr vgl sog abs art "
        "m mme mlle mm p.ex ex env "
        "sr sra srta sres ud uds vd vds p.ej ej aprox pág núm"
    ).split()
)
"""Abbreviations that something follows, whatever letter it begins with."""

_MAY_END = frozenset(
    (
        "etc a.m p.m am pm inc ltd co corp jr usw u.s.w usf u.s u.k e.u d.c ph.d b.a m.a min max std sec hrs mins "
        "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun ave blvd rd gmbh ag ee.uu"
    ).split()
)
"""Abbreviations that end a sentence where a capital follows."""

_BEFORE_NUMBERS = frozenset("no nos nr nº n p pp art fig sec ch vol tel approx ca apt".split())
_MONTHS = frozenset("januar jänner februar märz april mai juni juli august september oktober november dezember".split())


def sentences(text: str) -> list[str]:
    """The sentences of the beginning of a text, in their order, each without the blanks around it."""
    found: list[str] = []
    for block in _BREAK.split(opening(text)):
        for item in _ITEM.split(block):
            found.extend(_of_block(item))
    return found


def _of_block(block: str) -> list[str]:
    found: list[str] = []
    start = 0
    for end in _END.finditer(block):
        if _ends(block, end):
            found.append(block[start : end.end()].strip())
            start = end.end()
    found.append(block[start:].strip())
    return [sentence for sentence in found if any(map(str.isalnum, sentence))]


def _ends(block: str, end: re.Match[str]) -> bool:
    """Is this mark the end of a sentence?"""
    marks = end[0].rstrip(_CLOSERS.replace("\\", ""))
    if marks[-1] in _FOREIGN:
        return True
    after = end.end()
    if after == len(block):
        return True
    if not block[after].isspace():
        return False
    # Blanks beyond these are as good as an end of the line.
    ahead = block[after : after + 60]
    begin = _AFTER.match(ahead)
    rest = ahead[begin.end() :] if begin else ahead
    small = rest[:1].islower()
    if marks == ".":
        return _point_ends(block[max(0, end.start() - 40) : end.start()], rest, small)
    going_on = len(marks) < len(end[0]) or marks[-1] in ".…"
    return not (small and going_on)


def _point_ends(before: str, rest: str, small: bool) -> bool:
    match = _BEFORE.search(before)
    written = match[0] if match else ""
    word = written.lower()
    if not written:
        return True
    if word in _BEFORE_NUMBERS and rest[:1].isdigit():
        return False
    if word in _NEVER_LAST:
        return False
    if word in _MAY_END:
        return not small and not rest[:1].isdigit()
    if len(written) == 1 and written.isupper() and written != "I":
        return not (small or (rest[:1].isupper() and _named(before[: -len(written)])))
    if re.fullmatch(r"(?:\w\.)+\w", written):
        return not small
    if written.isdigit() and len(written) <= 2:
        next_word = re.match(r"\w*", rest)
        return not (small or (next_word is not None and next_word[0].lower() in _MONTHS))
    return True


def _named(before: str) -> bool:
    """What stands before a single letter makes it an initial: nothing, a name, or another initial."""
    last = before.rstrip().rsplit(None, 1)[-1:] or [""]
    return not last[0] or last[0][:1].isupper() or last[0].lower().rstrip(".") in _NEVER_LAST
