"""What names a person in a text: mail addresses, telephone numbers, payment cards, as far as their form tells.

What is found is replaced by the name of its kind. Patterns look at a bounded stretch of text, so that no text makes
them slow. A name, or an address of a house, has no form: nothing here finds it.
"""

import re

EMAIL, PHONE, CARD = "[email]", "[phone]", "[card]"
_EMAIL = re.compile(r"(?<![\w.+-])[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[\w-]{1,63}")
_LONG_EMAIL = re.compile(r"[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[\w-]{1,63}")
_CARD = re.compile(r"(?<![\d.,-])(?:\d[ -]?){12,18}\d(?![\d-])")
_PHONE = re.compile(r"(?<![\w.,/:-])(?:\+|\()?\d[\d()]?(?:[ ()./-]{0,3}\d){5,16}(?![\w:])")
_GROUPS = re.compile(r"\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}")
_FEWEST, _MOST = 8, 15
"""Digits of a telephone number, with those of its country (ITU-T E.164)."""


def without_emails(text: str) -> str:
    """The text without addresses of e-mail."""
    if "@" not in text:
        return text
    return _LONG_EMAIL.sub(EMAIL, _EMAIL.sub(EMAIL, text))


def without_cards(text: str) -> str:
    """The text without numbers of payment cards: 13 to 19 digits with the right check digit (ISO/IEC 7812)."""
    return _CARD.sub(lambda found: CARD if _is_card(found[0]) else found[0], text)


def without_phones(text: str) -> str:
    """The text without telephone numbers: those with a `+` or a leading 0, and groups of 3, 3 and 4 digits."""
    return _PHONE.sub(lambda found: PHONE if _is_phone(found[0]) else found[0], text)


def _is_card(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdecimal()]
    doubled = [2 * digit - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(doubled) + sum(digits[::-2])) % 10 == 0


def _is_phone(text: str) -> bool:
    digits = "".join(sign for sign in text if sign.isdecimal())
    if not _FEWEST <= len(digits) <= _MOST:
        return False
    # A decimal number begins with a single 0 and a point.
    led = text.startswith(("+", "(0", "00")) or (text.startswith("0") and text[1] not in ".,")
    return led or _GROUPS.fullmatch(text) is not None
