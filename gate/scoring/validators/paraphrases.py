"""`paraphrases`: the answer refers to the caller's last turn in other words, and does not repeat it."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import regex

from gate.scoring.interface import Finding, OptionCheck, Options, Subject, Validator, quote

CHARS = 20_000
"""Of the beginning of each text; the rest is not read."""
LEAST = 5
"""Minimum number of runs that are counted: one copied run of a short answer is no parroting."""

LONGEST_NAME = 4
"""Words of a name, at most: a longer row of capitalised words is not a name."""

_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*+"
    r"|[\p{L}\p{M}\p{N}]++(?:['’ʼ][\p{L}\p{M}]++)*+"
)
"""A word; in scripts that put no space between words, a character."""
_SENTENCE_END = frozenset('.!?…:\n"“”«»。！？')
_APOSTROPHES = {ord(sign): None for sign in "'’ʼ"}
_PERSON: Mapping[str, str] = {
    **{"you": "i", "we": "i", "me": "i", "us": "i", "your": "my", "our": "my", "yours": "mine", "ours": "mine"},
    **{"youre": "im", "were": "im", "youve": "ive", "weve": "ive", "youd": "id", "wed": "id", "youll": "ill"},
    **{"are": "am", "yourself": "myself", "ourselves": "myself"},
}
"""`you took a day off` repeats `I took a day off`: a change of person is no paraphrase."""
_STOP_WORDS = frozenset(
    """
    a about ah aint all already also am an and any anything anyway are arent around as at back be because been
    being bit both but by can cant come could did didnt do does doesnt doing dont down each else even ever every
    few first for from get gets getting go goes going gonna got had has hasnt have havent he hello her here hers
    hes hey hi him his how i id if ill im in into is isnt it its ive just kind kinda know last let like look lot
    lots many maybe me mean mine more most much my myself never next no nope nor not nothing now of off oh ok okay
    on once one only or other our ours out over own per please quite rather really right same say see she shes
    should shouldnt since so some someone something soon sorry sort still such sure than thank thanks that thats
    the their them then there theres these they theyre theyve thing this those though through to too uh um under
    until up us very was wasnt we well were werent weve what whatever whats when where which while who whos why
    will with within without wont would wouldnt yeah yep yes yet you your yours yup
    """.split()
)
"""English words without content, spelled without apostrophes."""
_SELF = frozenset({"i", "id", "ill", "im", "ive"})
"""Words that are always capitalised."""


@dataclass(frozen=True, slots=True)
class _Word:
    """One word: without case, apostrophes and person, and as written; `tells` if it is not a stop word."""

    text: str
    shown: str
    tells: bool
    number: bool
    name: bool


def paraphrases(options: Options, subject: Subject) -> Finding:
    """How little of the answer is copied from the caller's last turn.

    The score is the share of the answer's n-grams (runs of n words) that are new, as "novel n-grams" measure how
    abstractive a summary is (See, Liu and Manning 2017, "Get To The Point", section 6.2). Two kinds of runs are left
    out: those of only stop words and names, and those with a number, because repeating a name, a zip code or an
    address is a check, not a copy. Names are words that are capitalised inside a sentence, in the turn
    or in the answer, unless most of the sentence is written in capitals, or it is capitalised like a title.

    Args:
        options: `n`, words of a run; `max_copied`, the share of copied runs up to which the score is 1; above it the
            score decreases linearly, to 0 if everything is copied.
        subject: the answer, and the case with the caller's turn.

    Returns:
        A score in [0, 1], 0 for a blank answer, and what is copied.
    """
    size, most = cast("int", options["n"]), cast("float", options["max_copied"])
    turn = _words(_last_turn(subject))
    answer = _words(subject.text)
    if not subject.text.strip():
        return 0.0, "the answer is empty"
    if len(turn) < size:
        return 1.0, f"the caller's turn has fewer than {size} words, so there is nothing to copy"
    names = {word.text for word in (*turn, *answer) if word.name}
    theirs = {_text(turn[i : i + size]) for i in range(len(turn) - size + 1)}
    starts = [i for i in range(len(answer) - size + 1) if _tells(answer[i : i + size], names)]
    if not starts:
        return 1.0, f"the answer has no sequence of {size} words that could identify a copy"
    copied = [i for i in starts if _text(answer[i : i + size]) in theirs]
    share = len(copied) / max(len(starts), LEAST)
    score = 1.0 if share <= most else (1 - share) / (1 - most)
    return score, _told(copied, starts, answer, size)


def _last_turn(subject: Subject) -> str:
    case = subject.case
    said = [message.content for message in case.messages if message.role == "user"]
    return said[-1] if said else case.input


def _words(text: str) -> list[_Word]:
    """The words in order, from the first `CHARS` characters."""
    text = unicodedata.normalize("NFKC", text[:CHARS])
    words: list[_Word] = []
    for sentence in _sentences(text):
        plain = [match[0].casefold().translate(_APOSTROPHES) for match in sentence]
        names = _names(text, sentence, plain)
        for match, spelled, name in zip(sentence, plain, names, strict=True):
            said = _PERSON.get(spelled, spelled)
            words.append(_Word(said, match[0], said not in _STOP_WORDS, any(map(str.isdigit, said)), name))
    return words


def _sentences(text: str) -> Iterator[list[regex.Match[str]]]:
    """The words of each sentence."""
    sentence: list[regex.Match[str]] = []
    for match in _WORD.finditer(text):
        if sentence and not _SENTENCE_END.isdisjoint(text[sentence[-1].end() : match.start()]):
            yield sentence
            sentence = []
        sentence.append(match)
    if sentence:
        yield sentence


def _names(text: str, sentence: Sequence[regex.Match[str]], plain: Sequence[str]) -> list[bool]:
    """Which words of a sentence are written like names: capitalised, where a capital is informative."""
    capitals = [match[0][0].isupper() for match in sentence]
    if _shouted(sentence) or (2 * sum(capitals) > len(capitals) and _titled(text, sentence, plain)):
        return [False] * len(sentence)
    # The first word of a sentence is part of a name if another follows: `Cedar Bend is closed.`
    return [capital and (i > 0 or capitals[1:2] == [True]) for i, capital in enumerate(capitals)]


def _shouted(sentence: Sequence[regex.Match[str]]) -> bool:
    """Most of it is in capitals."""
    return 2 * sum(len(match[0]) > 1 and match[0].isupper() for match in sentence) > len(sentence)


def _titled(text: str, sentence: Sequence[regex.Match[str]], plain: Sequence[str]) -> bool:
    """A Sentence Is Written Like a Title: more capitals in a row than a name has, or on words that no name is made of.

    `Dana Whitfield, 2207 Cedar Bend Drive` is none.
    """
    row = 0
    small = 0
    for i, match in enumerate(sentence):
        capital = match[0][0].isupper()
        beside = i > 0 and text[sentence[i - 1].end() : match.start()].isspace()
        row = (row + 1 if beside else 1) if capital else 0
        if row > LONGEST_NAME:
            return True
        if i > 0 and plain[i] in _STOP_WORDS and plain[i] not in _SELF:
            small += 1 if capital else -1
    return small > 0


def _tells(run: Sequence[_Word], names: set[str]) -> bool:
    return any(word.tells and word.text not in names for word in run) and not any(word.number for word in run)


def _text(run: Sequence[_Word]) -> tuple[str, ...]:
    return tuple(word.text for word in run)


def _told(copied: Sequence[int], starts: Sequence[int], answer: Sequence[_Word], size: int) -> str:
    """How many runs are copied, and their longest passage."""
    if not copied:
        return f"none of {len(starts)} sequences of {size} words is copied"
    best = first = previous = copied[0]
    length = 1
    for i in copied[1:]:
        first = first if i == previous + 1 else i
        previous = i
        if i - first + 1 > length:
            best, length = first, i - first + 1
    passage = " ".join(word.shown for word in answer[best : best + length + size - 1])
    return f"{len(copied)} of {len(starts)} sequences of {size} words are copied: {quote(passage)}"


VALIDATORS: Mapping[str, Validator] = {"paraphrases": paraphrases}
CHECKS: Mapping[str, OptionCheck] = {}
