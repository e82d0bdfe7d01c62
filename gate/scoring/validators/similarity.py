"""How like a reference text an answer is, in [0, 1]."""

from collections import Counter
from collections.abc import Sequence

from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding, Options, as_text, quote
from gate.scoring.validators.words import composed, folded, pieces, unspaced

_COMPARED = 20_000
"""Characters whose edit distance is worked out; its time grows with the product of both lengths."""
_ARTICLES = frozenset({"a", "an", "the"})


def similarity(options: Options, subject: Subject) -> Finding:
    """By shared words (`token_f1`) or by characters to change (`edit`)."""
    want, metric = as_text(options["value"]), options.get("metric", "token_f1")
    score = edit(want, subject.text) if metric == "edit" else token_f1(want, subject.text)
    return score, f"{metric} {score:.2f} with {quote(want)}"


def token_f1(want: str, got: str) -> float:
    """The harmonic mean of precision and recall over words.

    Source: Rajpurkar et al., SQuAD (EMNLP 2016), section 6.1: capitals, punctuation and English articles count for
    nothing. Unlike theirs, words are Unicode's, and characters of scripts without blanks count one by one.
    """
    first, second = Counter(_tokens(want)), Counter(_tokens(got))
    if not first or not second:
        return 1.0 if first == second else 0.0
    shared = (first & second).total()
    return 2 * shared / (first.total() + second.total())


def edit(want: str, got: str) -> float:
    """1 minus the edit distance (Levenshtein 1966) by the longer text's length, blanks around both left out.

    Beyond the first 20,000 characters, what is longer counts as different: a lower bound.
    """
    from rapidfuzz.distance import Levenshtein

    one, other = composed(want.strip()), composed(got.strip())
    longest = max(len(want.strip()), len(got.strip()), len(one), len(other))
    if longest == 0 or want.strip() == got.strip():
        return 1.0
    distance = Levenshtein.distance(one[:_COMPARED], other[:_COMPARED])
    distance += max(0, longest - _COMPARED)
    return max(0.0, 1.0 - distance / longest)


def _tokens(text: str) -> Sequence[str]:
    found = [word for word, _, _ in pieces(folded(text))]
    found = [part for word in found for part in (word if unspaced(word) else (word,))]
    return [word for word in found if word not in _ARTICLES] or found
