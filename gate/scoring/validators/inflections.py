"""English inflections of a word, by a few rules of spelling: for words that an answer must not hold in any form.

The rules are those of school grammars: endings -s, -es, -ed, -d, -ing and 's; a final consonant is doubled (`stop`,
`stopped`), a final e dropped (`handle`, `handling`), y becomes i (`carry`, `carries`). They make some forms that no
one writes, which does no harm, and know no irregular verbs (`go`, `went`) and no derived words (`processor`).
"""

_VOWELS = "aeiou"


def inflected(word: str) -> frozenset[str]:
    """The word and its forms.

    Args:
        word: in small letters.
    """
    forms = {word}
    if len(word) < 2 or not (word.isascii() and word.isalpha()):
        return frozenset(forms)
    last, before = word[-1], word[-2]
    if last == "y" and before not in _VOWELS:
        forms |= {word[:-1] + "ies", word[:-1] + "ied", word + "ing"}
    elif word.endswith("ie"):
        forms |= {word + "s", word + "d", word[:-2] + "ying"}
    elif last == "e":
        stem = word if before in "eoy" else word[:-1]
        forms |= {word + "s", word + "d", stem + "ing"}
    else:
        forms |= {word + ("es" if _hisses(word) else "s"), word + "ed", word + "ing"}
        forms |= {word + "es"} if last == "o" else set()
        if last == "c":
            forms |= {word + "ked", word + "king"}
        if _doubles(word):
            forms |= {word + last + "ed", word + last + "ing"}
        if last == "z" and before in _VOWELS:
            forms.add(word + "zes")
    return frozenset(forms)


def _hisses(word: str) -> bool:
    return word.endswith(("s", "x", "z", "ch", "sh"))


def _doubles(word: str) -> bool:
    """One vowel letter before one consonant letter, as in `stop`, `refer` and `travel`; w, x and y never double."""
    if word[-1] in _VOWELS + "wxy" or word[-2] not in _VOWELS:
        return False
    return len(word) < 3 or word[-3] not in _VOWELS or word[-3:-1] == "ui"
