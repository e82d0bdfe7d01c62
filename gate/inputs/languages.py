"""Languages that an answer can be held against, by their ISO 639 codes."""

LANGUAGES = frozenset(
    (
        "af am an ar as az ba be bg bn br bs ca cs cy da de dz el en eo es et eu fa fi fo fr fy ga gd gl gu ha he "
        "hi hr ht hu hy id ig is it ja jv ka kk km kn ko ku ky la lb lg ln lo lt lv mg mk ml mn mr ms mt my ne nl "
        "nn no oc om or pa pl ps pt qu ro ru rw sa se si sk sl sn so sq sr st sv sw ta te tg th tk tl tr tt ug uk "
        "ur uz vi vo wa xh yo zh zu"
    ).split()
)
"""Those with two letters that the detector knows."""

_SAME = {"nb": "no", "iw": "he", "in": "id", "fil": "tl", "cmn": "zh"}


def language_code(text: str) -> str | None:
    """The language of a code such as `de`, `de-AT` or `zh_Hant`.

    Args:
        text: an ISO 639 code, with or without a region or a script.

    Returns:
        One of `LANGUAGES`; None where it is none of them.
    """
    code = text.strip().replace("_", "-").split("-")[0].lower()
    code = _SAME.get(code, code)
    return code if code in LANGUAGES else None
